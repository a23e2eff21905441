import type { CallContext } from '../../core/call.ts'
import type { HttpResult, Tool } from '../../core/tool.ts'
import type { CredentialStore } from '../../credentials/store.ts'
import type { Egress } from '../../io/egress/egress.ts'
import { EgressError } from '../../io/egress/error.ts'
import { openScrubber } from '../../lib/scrub.ts'
import type { Backend, Callable, Prepared } from '../backend.ts'
import { restBinding } from './binding.ts'
import type { RestBinding } from './binding.ts'
import { openInjector } from './credentials.ts'
import type { Injector } from './credentials.ts'
import { compileRequest } from './request.ts'
import type { BuiltRequest } from './request.ts'

export interface RestDeps {
  readonly egress: Egress
  readonly credentials: CredentialStore
}

export function openRest({ egress, credentials }: RestDeps): Backend {
  const injector = openInjector(credentials)
  return {
    kind: 'rest',
    prepare: async tool => prepare(tool, { egress, injector }),
    close: () => Promise.resolve(), // the door to the network is its owner's
  }
}

interface Deps {
  readonly egress: Egress
  readonly injector: Injector
}

/** For one request; the call as a whole has the tool's timeout (ruling DADL 24). */
const REQUEST_TIMEOUT = 30_000

function prepare(tool: Tool, deps: Deps): Prepared {
  const binding = restBinding.parse(tool.binding.data)
  const { baseUrl, unsupported } = binding
  const build = baseUrl === undefined ? undefined : compileRequest({ ...binding, baseUrl })
  const callable: Callable = {
    resolve: async values => {
      if (unsupported !== undefined)
        return {
          status: 'denied',
          code: 'unsupported',
          reason: `This version of Sallyport does not do ${unsupported} yet.`,
        }
      if (build === undefined)
        return {
          status: 'ready',
          ready: { preview: { kind: 'http' }, run: async () => failed(binding, NOT_CONFIGURED) },
        }
      const built = build(values)
      if (!built.ok) return { status: 'denied', code: built.code, reason: built.reason }
      const { request } = built
      const preview = { kind: 'http', request: { ...request, headers: { ...request.headers } } }
      return { status: 'ready', ready: { preview, run: ctx => run({ binding, request, deps }, ctx) } }
    },
  }
  return { callable, diagnostics: [] }
}

interface Failure {
  readonly code: string
  readonly errorCode?: string
  readonly message: string
  readonly retryable: boolean
}

const NOT_CONFIGURED: Failure = {
  code: 'not_configured',
  message: 'Nobody has said where this API is: set apis.NAME.url in sallyport.yaml.',
  retryable: false,
}

interface Call {
  readonly binding: RestBinding
  readonly request: BuiltRequest
  readonly deps: Deps
}

async function run({ binding, request, deps }: Call, ctx: CallContext): Promise<HttpResult> {
  const { origin, hostname } = new URL(request.url)
  const injection = await deps.injector.inject(binding.auth, origin)
  if (injection.status === 'missing')
    return failed(binding, { code: 'credential_missing', message: injection.reason, retryable: false })
  const { headers, query, secrets } = injection
  try {
    const answer = await deps.egress.request({
      method: request.method,
      url: query === '' ? request.url : `${request.url}${request.url.includes('?') ? '&' : '?'}${query}`,
      headers: request.headers,
      injected: headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      policy: { blockInternal: !binding.allowPrivate, allow: [] },
      ...(binding.trusted ? { trustedHost: hostname } : {}),
      signal: ctx.signal,
      timeoutMs: REQUEST_TIMEOUT,
      maxBytes: binding.maxBytes,
    })
    const { status, headers: received } = answer
    return {
      kind: 'http',
      method: request.method,
      answer: { status, headers: received, body: openScrubber(secrets).bytes(answer.body) },
    }
  } catch (error) {
    if (error instanceof EgressError) return failed(binding, toFailure(error))
    throw error
  }
}

function failed({ method }: RestBinding, answer: Failure): HttpResult {
  return { kind: 'http', method, answer }
}

/** DADL spec 4.6, 8.2; ruling DADL 23. */
function toFailure({ code, message }: EgressError): Failure {
  switch (code) {
    case 'timeout':
      return { code: 'timeout', errorCode: 'timeout', message, retryable: true }
    case 'dns_error':
    case 'tls_error':
    case 'connection_refused':
    case 'protocol_error':
      return { code: 'unavailable', errorCode: code, message, retryable: true }
    case 'cancelled':
      return { code: 'cancelled', message, retryable: false }
    case 'response_too_large':
    case 'redirect_refused':
      return { code: 'response_error', message, retryable: false }
    case 'bad_request':
      return { code: 'invalid_input', message, retryable: false }
    case 'blocked':
    case 'bad_url':
      return { code: 'not_configured', message: `${message}; apis.NAME.url may name a private host`, retryable: false }
  }
}
