import {
  createMcpHandler,
  isLegacyRequest,
  legacyStatelessFallback,
  readRequestBody,
} from '@modelcontextprotocol/server'
import type { AuthInfo, McpRequestContext, Server } from '@modelcontextprotocol/server'
import type { Clock, Ids } from '../../core/ports.ts'
import type { Principal } from '../../core/principal.ts'
import { openServers } from './server.ts'
import type { McpDeps } from './server.ts'
import { openSessions } from './sessions.ts'
import type { SessionLimits } from './sessions.ts'

export interface McpHttpDeps extends McpDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly maxBodyBytes: number
  readonly sessionLimits?: SessionLimits
}

export interface McpHttp {
  /** Serves one authenticated request of either era. */
  readonly fetch: (request: Request, principal: Principal) => Promise<Response>
  /** Cancels what runs and closes every session and stream. */
  readonly close: () => Promise<void>
}

/** MCP over HTTP: 2026-07-28 without state, 2025 revisions with sessions, clients that never initialize by themselves. */
export function openMcpHttp(deps: McpHttpDeps): McpHttp {
  const { gateway, logger, maxBodyBytes, sessionLimits } = deps
  const open = openServers(deps)
  const principals = new WeakMap<AuthInfo, Principal>()
  const factory = ({ authInfo }: McpRequestContext): Server => {
    const principal = authInfo === undefined ? undefined : principals.get(authInfo)
    if (principal === undefined) throw new TypeError('a request without its principal')
    return open(principal)
  }
  const onerror = (error: Error): void => logger.debug('mcp', { why: error.message })
  const modern = createMcpHandler(factory, { legacy: 'reject', onerror })
  const stateless = legacyStatelessFallback(factory, onerror)
  const sessions = openSessions({ ...deps, open, ...(sessionLimits === undefined ? {} : { limits: sessionLimits }) })
  const forget = gateway.onChange(() => {
    modern.notify.toolsChanged()
    sessions.toolsChanged()
  })
  let closed = false

  return {
    fetch: async (request, principal) => {
      const authInfo = authInfoOf(principal)
      principals.set(authInfo, principal)
      // Read once: everybody below would read, copy and parse it for itself.
      const body = request.method === 'POST' ? await readJson(request, maxBodyBytes) : {}
      if ('refused' in body) return body.refused
      if (closed) return refusal(503, -32_000, 'The gateway is shutting down')
      if (!(await isLegacyRequest(request, body.parsedBody))) return modern.fetch(request, { authInfo, ...body })
      if (request.headers.has('mcp-session-id') || isInitialize(body.parsedBody))
        return sessions.fetch(request, principal, body)
      return stateless(request, { authInfo, ...body })
    },
    close: async () => {
      closed = true
      forget()
      await Promise.all([modern.close(), sessions.close()])
    },
  }
}

/** The token stays outside: nothing below the edge needs it. */
function authInfoOf({ id }: Principal): AuthInfo {
  return { token: '', clientId: id, scopes: [] }
}

type Body = { readonly parsedBody?: unknown } | { readonly refused: Response }

async function readJson(request: Request, maxBytes: number): Promise<Body> {
  const read = await readRequestBody(request, maxBytes).catch(() => undefined) // the client has left in the middle of it
  if (read === undefined) return { refused: refusal(400, -32_700, 'The body ended too early') }
  if (read.tooLarge) return { refused: refusal(413, -32_600, `The body is larger than ${maxBytes} bytes`) }
  try {
    return { parsedBody: JSON.parse(read.text) }
  } catch {
    return { refused: refusal(400, -32_700, 'The body is not JSON') }
  }
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}

function isInitialize(body: unknown): boolean {
  return [body].flat().some(m => typeof m === 'object' && m !== null && 'method' in m && m.method === 'initialize')
}
