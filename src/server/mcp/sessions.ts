import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Server } from '@modelcontextprotocol/server'
import type { Clock, Ids, Logger } from '../../core/ports.ts'
import type { Principal } from '../../core/principal.ts'
import type { OpenServer } from './server.ts'

export interface SessionLimits {
  /** Sessions at once, of all callers. */
  readonly maxSessions: number
  /** A session without a request or an open stream for this long is closed. */
  readonly idleMs: number
}

export const SESSION_LIMITS: SessionLimits = { maxSessions: 256, idleMs: 30 * 60_000 }

/** How often idle sessions are looked for, at the least. */
const SWEEP_MS = 15_000

export interface SessionsDeps {
  readonly open: OpenServer
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly limits?: SessionLimits
}

/** What a POST held; it is read before it gets here. */
export interface SessionBody {
  readonly parsedBody?: unknown
}

/** 2025-era clients: each has a session, with one server, that belongs to whoever opened it. */
export interface Sessions {
  readonly fetch: (request: Request, principal: Principal, body: SessionBody) => Promise<Response>
  readonly toolsChanged: () => void
  readonly close: () => Promise<void>
}

interface Session {
  readonly owner: string
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  usedAt: number
  /** Requests and streams that are open now. */
  busy: number
}

export function openSessions(deps: SessionsDeps): Sessions {
  const { clock, logger, limits = SESSION_LIMITS } = deps
  const live = new Map<string, Session>()

  async function end(id: string, session: Session): Promise<void> {
    live.delete(id)
    await session.server.close().catch((error: unknown) => logger.debug('mcp session', { why: String(error) }))
  }

  const sweep = setInterval(
    () => {
      const oldest = clock.now() - limits.idleMs
      for (const [id, session] of live) if (session.busy === 0 && session.usedAt < oldest) void end(id, session)
    },
    Math.min(SWEEP_MS, limits.idleMs),
  )
  sweep.unref()

  /** The idle session that was used longest ago makes room. */
  async function makeRoom(): Promise<boolean> {
    if (live.size < limits.maxSessions) return true
    const [victim] = [...live].filter(([, { busy }]) => busy === 0).toSorted(([, a], [, b]) => a.usedAt - b.usedAt)
    if (victim === undefined) return false
    await end(...victim)
    return true
  }

  async function handle(session: Session, request: Request, body: SessionBody): Promise<Response> {
    session.busy += 1
    session.usedAt = clock.now()
    const done = (): void => {
      session.busy -= 1
      session.usedAt = clock.now()
    }
    if (request.method !== 'GET') return session.transport.handleRequest(request, body).finally(done)
    // The stream for messages of the server's own: open until the client leaves.
    const response = await session.transport.handleRequest(request)
    if (response.ok && !request.signal.aborted) request.signal.addEventListener('abort', done, { once: true })
    else done()
    return response
  }

  async function begin(request: Request, principal: Principal, body: SessionBody): Promise<Response> {
    if (!(await makeRoom())) return refusal(503, 'Too many sessions are open')
    const server = deps.open(principal)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => deps.ids.hex(32),
      onsessioninitialized: id => void live.set(id, session),
      onsessionclosed: id => void live.delete(id),
    })
    const session: Session = { owner: principal.id, transport, server, usedAt: clock.now(), busy: 0 }
    await server.connect(transport)
    const response = await handle(session, request, body)
    if (transport.sessionId === undefined) await server.close()
    return response
  }

  return {
    fetch: async (request, principal, body) => {
      const id = request.headers.get('mcp-session-id')
      if (id === null) return begin(request, principal, body)
      const session = live.get(id)
      if (session === undefined || session.owner !== principal.id) return refusal(404, 'Session not found')
      return handle(session, request, body)
    },
    toolsChanged: () => {
      for (const { server } of live.values()) void server.sendToolListChanged().catch(() => undefined) // no stream open
    },
    close: async () => {
      clearInterval(sweep)
      await Promise.all([...live].map(([id, session]) => end(id, session)))
    },
  }
}

function refusal(status: 404 | 503, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32001, message }, id: null }, { status })
}
