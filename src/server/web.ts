import { createAdaptorServer } from '@hono/node-server'
import {
  OAuthError,
  OAuthErrorCode,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  requireBearerAuth,
} from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import { GatewayError } from '../core/errors.ts'
import type { Clock, Ids } from '../core/ports.ts'
import type { Principal } from '../core/principal.ts'
import type { Gateway } from '../gateway.ts'
import type { Authenticator } from '../identity/authenticator.ts'
import { openMcpHttp } from './mcp/http.ts'
import type { McpDeps } from './mcp/server.ts'
import type { SessionLimits } from './mcp/sessions.ts'

export interface WebOptions extends McpDeps {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  readonly authenticate: Authenticator
  readonly clock: Clock
  readonly ids: Ids
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number
  /** How long `close` waits for answers that are on their way, in milliseconds. Default 5,000. */
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
  const { host, port, clock, maxBodyBytes = 1 << 20, drainMs = 5000 } = options
  const { gateway, running } = tracked(options.gateway)
  const mcp = openMcpHttp({ ...options, gateway, maxBodyBytes })
  const bearer = bearerGate(options.authenticate)
  const ownNames = isWildcard(host) ? [] : [host.includes(':') ? `[${host}]` : host]
  const hosts = [...localhostAllowedHostnames(), ...ownNames]
  const origins = [...localhostAllowedOrigins(), ...ownNames]
  let draining = false

  const app = new Hono()
  app.use(({ req }, next) => {
    const refused = hostHeaderValidationResponse(req.raw, hosts) ?? originValidationResponse(req.raw, origins)
    return refused === undefined ? next() : Promise.resolve(refused)
  })
  app.get('/healthz', c => c.json({ ok: true }))
  app.get('/readyz', c => (draining ? c.json({ ok: false, reason: 'draining' }, 503) : c.json({ ok: true })))
  app.all('/mcp', async c => {
    if (draining) return c.json({ error: 'shutting down' }, 503)
    const principal = await bearer(c.req.raw)
    if (principal instanceof Response) return principal
    const answer = await mcp.fetch(c.req.raw, principal)
    // The rest of the body is not read, so the connection cannot carry another request.
    if (answer.status === 413) answer.headers.set('Connection', 'close')
    return answer
  })
  app.onError((error, c) => {
    options.logger.error('a request ended in a bug', { why: error.stack ?? error.message })
    return c.json({ error: 'internal' }, 500)
  })

  const http = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: { requestTimeout: REQUEST_TIMEOUT, headersTimeout: REQUEST_TIMEOUT / 2, maxHeaderSize: 32 << 10 },
  })
  const listening = Promise.withResolvers<void>()
  http.once('error', listening.reject)
  http.listen(port, host, () => listening.resolve())
  try {
    await listening.promise
  } catch (error) {
    await mcp.close()
    throw new GatewayError('listen_failed', `${host}:${port} ${reasonOf(error)}`, { cause: error })
  }
  const address = http.address()
  const actual = typeof address === 'object' && address !== null ? address.port : port

  const close = async (): Promise<void> => {
    draining = true
    const drained = new AbortController()
    await Promise.race([Promise.allSettled(running).then(() => drained.abort()), clock.sleep(drainMs, drained.signal)])
    drained.abort()
    await mcp.close()
    const closed = new Promise<void>(resolve => http.close(() => resolve()))
    if ('closeIdleConnections' in http) http.closeIdleConnections()
    const flushed = new AbortController()
    await Promise.race([closed.then(() => flushed.abort()), clock.sleep(FLUSH_MS, flushed.signal)])
    if ('closeAllConnections' in http) http.closeAllConnections()
    await closed
  }
  let closing: Promise<void> | undefined
  return {
    listener: { address: host, port: actual },
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}/mcp`,
    close: () => (closing ??= close()),
  }
}

/** The gateway, and the calls that came this way and have no answer yet. */
function tracked(gateway: Gateway): { readonly gateway: Gateway; readonly running: ReadonlySet<Promise<unknown>> } {
  const running = new Set<Promise<unknown>>()
  const call: Gateway['call'] = (request, options) => {
    const outcome = gateway.call(request, options)
    running.add(outcome)
    return outcome.finally(() => running.delete(outcome))
  }
  return { gateway: { ...gateway, call }, running }
}

/** For answers to reach a client that is still connected. */
const FLUSH_MS = 250

type BearerGate = (request: Request) => Promise<Response | Principal>

/** Answers 401 with a challenge where the token is missing or wrong. */
function bearerGate(authenticate: Authenticator): BearerGate {
  return async request => {
    const found: Principal[] = []
    const gate = requireBearerAuth({
      verifier: {
        verifyAccessToken: async token => {
          const principal = authenticate(token)
          if (principal === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token is not known here')
          found.push(principal)
          return { token: '', clientId: principal.id, scopes: [], expiresAt: Number.MAX_SAFE_INTEGER }
        },
      },
    })
    const answer = await gate(request)
    const [principal] = found
    if (answer instanceof Response) return answer
    return principal ?? new Response(null, { status: 401 })
  }
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return 'is in use: stop the other program, or choose another with --listen HOST:PORT'
  if (code === 'EACCES') return 'may not be listened on: ports below 1024 belong to root'
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'is no address of this machine'
  return `failed (${String(code)})`
}
