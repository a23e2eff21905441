import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Server } from '@modelcontextprotocol/server'
import { isJsonObject } from '../../core/json.ts'
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
  /** Requests, calls and streams that are open now. */
  busy: number
  /** A batch (2025-03-26) was sent: the answers of several calls may share one stream. */
  batched: boolean
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

  function makeRoom(caller: string): boolean {
    if (live.size < limits.maxSessions) return true
    const victim = mostIdle(live, caller)
    if (victim === undefined) return false
    void end(...victim)
    return true
  }

  async function handle(session: Session, request: Request, body: SessionBody): Promise<Response> {
    const release = hold(session, clock)
    session.batched ||= Array.isArray(body.parsedBody)
    if (request.method !== 'GET') {
      const response = await session.transport.handleRequest(request, body).finally(release)
      endCancelled(session, body)
      return response
    }
    // The stream for messages of the server's own: open until the client leaves.
    const response = await session.transport.handleRequest(request)
    if (response.ok && !request.signal.aborted) request.signal.addEventListener('abort', release, { once: true })
    else release()
    return response
  }

  async function begin(request: Request, principal: Principal, body: SessionBody): Promise<Response> {
    if (!makeRoom(principal.id)) return refusal(503, 'Too many sessions are open')
    const id = deps.ids.hex(32)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => void live.delete(id),
    })
    const server = deps.open(principal, () => hold(session, clock))
    const session: Session = { owner: principal.id, transport, server, usedAt: 0, busy: 0, batched: false }
    // Before the first wait, so that any number of sessions begun at once stay within the limit; nobody knows the id yet.
    live.set(id, session)
    const release = hold(session, clock)
    await server.connect(transport)
    const response = await handle(session, request, body).finally(release)
    if (transport.sessionId === undefined) await end(id, session)
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

/** Keeps a session from counting as idle, until what it returns is called. */
function hold(session: Session, { now }: Clock): () => void {
  session.busy += 1
  session.usedAt = now()
  return () => {
    session.busy -= 1
    session.usedAt = now()
  }
}

/** The idle session that was used longest ago, one of the caller's own before anybody else's. */
function mostIdle(live: ReadonlyMap<string, Session>, caller: string): [string, Session] | undefined {
  const foreign = ({ owner }: Session): number => (owner === caller ? 0 : 1)
  return [...live]
    .filter(([, { busy }]) => busy === 0)
    .toSorted(([, a], [, b]) => foreign(a) - foreign(b) || a.usedAt - b.usedAt)[0]
}

/**
 * A cancelled call gets no answer (MCP 2025-11-25, Cancellation), so nothing else would ever end its stream: each cancel would
 * keep a connection and a timer until the session ends.
 */
function endCancelled(session: Session, { parsedBody }: SessionBody): void {
  const requestId = session.batched ? undefined : cancelledId(parsedBody)
  if (requestId !== undefined) session.transport.closeSSEStream(requestId)
}

function cancelledId(message: unknown): string | number | undefined {
  if (!isJsonObject(message) || message['method'] !== 'notifications/cancelled') return undefined
  const { params } = message
  const id = isJsonObject(params) ? params['requestId'] : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

function refusal(status: 404 | 503, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32001, message }, id: null }, { status })
}
