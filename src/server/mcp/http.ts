import { createMcpHandler, isLegacyRequest, legacyStatelessFallback } from '@modelcontextprotocol/server'
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
  const modern = createMcpHandler(factory, { legacy: 'reject', maxRequestBodySize: maxBodyBytes, onerror })
  const stateless = legacyStatelessFallback(factory, onerror, { maxRequestBodySize: maxBodyBytes })
  const sessions = openSessions({ ...deps, open, ...(sessionLimits === undefined ? {} : { limits: sessionLimits }) })
  const forget = gateway.onChange(() => {
    modern.notify.toolsChanged()
    sessions.toolsChanged()
  })

  return {
    fetch: async (request, principal) => {
      const authInfo = authInfoOf(principal)
      principals.set(authInfo, principal)
      if (!(await isLegacyRequest(request, undefined, { maxRequestBodySize: maxBodyBytes })))
        return modern.fetch(request, { authInfo })
      if (request.headers.has('mcp-session-id') || (await isInitialize(request)))
        return sessions.fetch(request, principal)
      return stateless(request, { authInfo })
    },
    close: async () => {
      forget()
      await Promise.all([modern.close(), sessions.close()])
    },
  }
}

/** The token stays outside: nothing below the edge needs it. */
function authInfoOf({ id }: Principal): AuthInfo {
  return { token: '', clientId: id, scopes: [] }
}

async function isInitialize(request: Request): Promise<boolean> {
  if (request.method !== 'POST') return false
  try {
    const body: unknown = await request.clone().json()
    return [body].flat().some(m => typeof m === 'object' && m !== null && 'method' in m && m.method === 'initialize')
  } catch {
    return false // no JSON: the transport answers what is wrong with it
  }
}
