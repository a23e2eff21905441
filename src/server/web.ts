import { createAdaptorServer } from '@hono/node-server'
import type { HttpBindings, ServerType } from '@hono/node-server'
import { Hono } from 'hono'
import { GatewayError } from '../core/errors.ts'
import type { Clock, Ids } from '../core/ports.ts'
import type { Gateway } from '../gateway.ts'
import type { Authenticator } from '../identity/authenticator.ts'
import { bearerGate } from './bearer-gate.ts'
import { hostGate } from './host-gate.ts'
import { openMcpHttp } from './mcp/http.ts'
import type { McpHttp } from './mcp/http.ts'
import type { McpDeps } from './mcp/server.ts'
import type { SessionLimits } from './mcp/sessions.ts'

export interface WebOptions extends McpDeps {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  /** Names clients may know this machine by, beside `host` and those of loopback. Default none. */
  readonly allowedHosts?: readonly string[]
  readonly authenticate: Authenticator
  readonly clock: Clock
  readonly ids: Ids
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number
  /** How long `close` waits for running calls and for their answers to arrive, in milliseconds. Default 5,000. */
  readonly drainMs?: number
  readonly sessionLimits?: SessionLimits
}

export interface Web {
  /** Where it really listens. */
  readonly listener: { readonly address: string; readonly port: number }
  /** Of the MCP endpoint. */
  readonly url: string
  /** Idempotent: takes no new request, lets the running ones finish for a while, then ends them. */
  readonly close: () => Promise<void>
}

/** A client that sends its headers or its body more slowly than this is cut off, in milliseconds. */
const REQUEST_TIMEOUT = 60_000

/**
 * Listens. Every request needs a Host of this machine, an Origin of this machine or none, and a token.
 * @throws GatewayError `listen_failed`
 */
export async function openWeb(options: WebOptions): Promise<Web> {
  const { host, clock, logger, maxBodyBytes = 1 << 20, drainMs = 5000 } = options
  const { gateway, running } = tracked(options.gateway)
  const mcp = openMcpHttp({ ...options, gateway, maxBodyBytes })
  const answering: Pending = new Set()
  let draining = false
  const app = makeApp({ ...options, mcp, answering, draining: () => draining })
  const http = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: { requestTimeout: REQUEST_TIMEOUT, headersTimeout: REQUEST_TIMEOUT / 2, maxHeaderSize: 32 << 10 },
  })
  try {
    await listen(http, options)
  } catch (error) {
    await mcp.close()
    throw error
  }
  http.on('error', error => logger.error('a connection could not be accepted', { why: String(error) }))

  const close = async (): Promise<void> => {
    draining = true
    const stop = new AbortController()
    const deadline = clock.sleep(drainMs, stop.signal)
    await Promise.race([emptied(running), deadline])
    await turnOfTheLoop()
    await mcp.close()
    const flushed = Promise.all([deadline, clock.sleep(FLUSH_MS, stop.signal)])
    await Promise.race([emptied(answering), flushed])
    stop.abort()
    const closed = new Promise<void>(resolve => http.close(() => resolve()))
    if ('closeAllConnections' in http) http.closeAllConnections()
    await closed
  }
  let closing: Promise<void> | undefined
  const address = http.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  return {
    listener: { address: host, port },
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/mcp`,
    close: () => (closing ??= close()),
  }
}

/** For answers to reach a client that is still connected, when calls have used up all the time there was. */
const FLUSH_MS = 250

interface AppDeps extends WebOptions {
  readonly mcp: McpHttp
  /** Takes up every answer of the MCP endpoint, until it has left or its client has. */
  readonly answering: Pending
  readonly draining: () => boolean
}

function makeApp({ mcp, answering, draining, logger, authenticate, ...names }: AppDeps): Hono<Env> {
  const bearer = bearerGate(authenticate)
  const ownHost = hostGate(names)
  const app = new Hono<Env>()
  app.use(({ req }, next) => {
    const refused = ownHost(req.raw)
    return refused === undefined ? next() : Promise.resolve(refused)
  })
  app.get('/healthz', c => c.json({ ok: true }))
  app.get('/readyz', c => (draining() ? c.json({ ok: false, reason: 'draining' }, 503) : c.json({ ok: true })))
  app.all('/mcp', async c => {
    if (draining()) return c.json({ error: 'shutting down' }, 503)
    // Before anything is waited for: a client that leaves meanwhile closes it, and that is told only once.
    void track(answering, new Promise(resolve => c.env.outgoing.once('close', resolve)))
    const principal = await bearer(c.req.raw)
    if (principal instanceof Response) return principal
    const answer = await mcp.fetch(c.req.raw, principal)
    // The SDK sets it on streams, also for a client that asked for the connection to be closed: the server knows better.
    answer.headers.delete('Connection')
    // The rest of the body is not read, so the connection cannot carry another request.
    if (answer.status === 413) answer.headers.set('Connection', 'close')
    return answer
  })
  app.onError((error, c) => {
    logger.error('a request ended in a bug', { why: error.stack ?? error.message })
    return c.json({ error: 'internal' }, 500)
  })
  return app
}

interface Env {
  readonly Bindings: HttpBindings
}

async function listen(http: ServerType, { host, port }: Pick<WebOptions, 'host' | 'port'>): Promise<void> {
  const listening = Promise.withResolvers<void>()
  http.once('error', listening.reject)
  http.listen(port, host, () => listening.resolve())
  try {
    await listening.promise
  } catch (error) {
    throw new GatewayError('listen_failed', `${host}:${port} ${reasonOf(error)}`, { cause: error })
  }
  http.off('error', listening.reject)
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return 'is in use: stop the other program, or choose another with --listen HOST:PORT'
  if (code === 'EACCES') return 'may not be listened on: ports below 1024 belong to root'
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'is no address of this machine'
  return `failed (${String(code)})`
}

type Pending = Set<Promise<unknown>>

/** The gateway, and the calls that came this way and have no answer yet. */
function tracked(gateway: Gateway): { readonly gateway: Gateway; readonly running: Pending } {
  const running: Pending = new Set()
  const call: Gateway['call'] = (request, options) => track(running, gateway.call(request, options))
  return { gateway: { ...gateway, call }, running }
}

function track<T>(pending: Pending, work: Promise<T>): Promise<T> {
  pending.add(work)
  return work.finally(() => pending.delete(work))
}

/** Resolves when nothing is pending any more, what is added meanwhile included. */
async function emptied(pending: Pending): Promise<void> {
  while (pending.size > 0) await Promise.allSettled(pending)
}

/** An outcome becomes an answer on its stream within the turn of the event loop that it came in. */
function turnOfTheLoop(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
