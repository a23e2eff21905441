import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { CallToolResult, ListToolsResult, ServerContext } from '@modelcontextprotocol/server'
import { toMcpTool } from '../../catalog/mcp-tool.ts'
import type { Progress } from '../../core/call.ts'
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Logger } from '../../core/ports.ts'
import type { Principal } from '../../core/principal.ts'
import type { Gateway, OfferedTool } from '../../gateway.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { toCallResult } from './result.ts'

export interface McpDeps {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly version: string
}

const INSTRUCTIONS =
  'Tools of this machine and of real systems, behind one gateway. Arguments are checked strictly: a result with "refusals" names each bad argument and the rule it broke, so correct it and call again. A result with "denied" needs a person.'

/**
 * Makes the MCP server of one connection or request; both protocol eras are served by the same one. Its `onclose` is taken:
 * whoever wants to know too calls what was there. `hold` is called as a call begins, what it returns as the call ends.
 */
export type OpenServer = (principal: Principal, hold?: () => () => void) => Server

export function openServers({ gateway, logger, version }: McpDeps): OpenServer {
  const listed = new WeakMap<readonly OfferedTool[], ListToolsResult['tools']>()
  const listOf = (principal: Principal): ListToolsResult['tools'] => {
    const offered = gateway.tools(principal)
    const known = listed.get(offered)
    if (known !== undefined) return known
    const tools = offered.map(toMcpTool)
    listed.set(offered, tools)
    return tools
  }
  return (principal, hold) => {
    const server = new Server(
      { name: 'sallyport', title: 'Sallyport', version },
      { capabilities: { tools: { listChanged: true } }, instructions: INSTRUCTIONS },
    )
    server.onerror = error => logger.debug('mcp', { why: error.message })
    const gone = new AbortController()
    server.onclose = () => gone.abort()
    server.setRequestHandler('tools/list', () => ({ tools: listOf(principal) }))
    server.setRequestHandler('tools/call', async ({ params }, ctx) => {
      const release = hold?.()
      const called = { gateway, principal, tool: params.name, args: params.arguments, gone: gone.signal }
      return call(called, ctx).finally(release)
    })
    return server
  }
}

interface Called {
  readonly gateway: Gateway
  readonly principal: Principal
  readonly tool: string
  readonly args: unknown
  /**
   * The connection has ended. The SDK aborts what runs then, but knows one call per id, and a client may use one twice at a time.
   */
  readonly gone: AbortSignal
}

async function call(
  { gateway, principal, tool, args = {}, gone }: Called,
  { mcpReq }: ServerContext,
): Promise<CallToolResult> {
  if (!isJsonObject(args)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'arguments must be an object')
  const signal = AbortSignal.any([mcpReq.signal, gone])
  const outcome = await gateway.call({ tool, args }, { principal, signal, ...progressOf(mcpReq) })
  if (outcome.status !== 'denied' || outcome.by !== 'authorization') return toCallResult(outcome, tool)
  // Not the name itself: a policy may deny one call of a tool it shows.
  const visible = gateway.tools(principal).flatMap(({ name }) => (name === tool ? [] : [name]))
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${tool}${didYouMean(nearest(tool, visible))}`)
}

/** Forwarded only where the client asked for it. */
function progressOf({ _meta, notify }: ServerContext['mcpReq']): { readonly progress?: (progress: Progress) => void } {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return {}
  return {
    progress: ({ progress, total, message }) => {
      const params: JsonObject = { progressToken, progress, message, ...(total === undefined ? {} : { total }) }
      void notify({ method: 'notifications/progress', params: { ...params } }).catch(() => undefined) // the client has gone
    },
  }
}
