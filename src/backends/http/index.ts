import type { CallContext } from '../../core/call.ts'
import { GatewayError } from '../../core/errors.ts'
import type { Clock, Ids } from '../../core/ports.ts'
import type { ExchangeResult, Tool, Values } from '../../core/tool.ts'
import type { ToolSecrets } from '../../credentials/tool-secrets.ts'
import type { Egress, EgressResponse } from '../../io/egress/egress.ts'
import { EgressError } from '../../io/egress/error.ts'
import { sha256Hex } from '../../lib/digest.ts'
import { parseRange } from '../../lib/ip.ts'
import type { IpRange } from '../../lib/ip.ts'
import { scrub, scrubText } from '../../lib/scrub.ts'
import type { Backend, Callable, Resolution } from '../backend.ts'
import { prepareEvidence } from '../evidence.ts'
import { scanIdOf } from '../scan-id.ts'
import { httpBinding } from './binding.ts'
import type { HttpBinding, Template } from './binding.ts'
import { buildRequest } from './request.ts'
import type { BuiltRequest, HttpRequest } from './request.ts'

export interface HttpDeps {
  readonly egress: Egress
  readonly secrets: ToolSecrets
  readonly clock: Clock
  readonly ids: Ids
  readonly evidenceRoot: string
  /** Internal ranges the deployment exempts. */
  readonly allowInternal: readonly IpRange[]
}

/** `[http]`: one request, no redirects, the connection to the address that was judged (ToolClad spec, HTTP backend). */
export const http = {
  kind: 'http',
  open: (deps: HttpDeps): Backend => ({
    kind: 'http',
    prepare: async tool => ({ callable: prepare(tool, deps), diagnostics: [] }),
    close: () => Promise.resolve(), // the door to the network is its owner's
  }),
} as const

/** A shorter one would be found everywhere in an answer (ruling ToolClad 23). */
const SHORTEST_SECRET = 8

interface Prepared {
  readonly tool: Tool
  readonly binding: HttpBinding
  readonly secretNames: readonly string[]
  readonly deps: HttpDeps
}

function prepare(tool: Tool, deps: HttpDeps): Callable {
  const binding = httpBinding.parse(tool.binding.data)
  const templates = [binding.authority, binding.path, ...binding.headers.map(({ value }) => value), binding.body ?? []]
  const prepared = { tool, binding, secretNames: [...new Set(templates.flatMap(secretsOf))], deps }
  return { resolve: async values => resolve(prepared, values) }
}

function secretsOf(template: Template): readonly string[] {
  return template.flatMap(piece => ('secret' in piece ? [piece.secret] : []))
}

/** Everything but the secrets is put in and judged here; they are asked for when the request is sent. */
function resolve(prepared: Prepared, values: Values): Resolution {
  const { binding, deps } = prepared
  const scanId = scanIdOf(deps)
  const shown = buildRequest(binding, { values, scanId, secret: name => `{_secret:${name}}` })
  if (shown.status !== 'ready') return shown
  const preview = { kind: 'http', request: { ...shown.request, headers: { ...shown.request.headers } } }
  return { status: 'ready', ready: { preview, run: ctx => run({ ...prepared, values, scanId }, ctx) } }
}

interface Invocation extends Prepared {
  readonly values: Values
  readonly scanId: string
}

/** How it ended, before evidence and envelope. */
type Ending = Pick<ExchangeResult, 'ended'> & Partial<ExchangeResult>

async function run(invocation: Invocation, ctx: CallContext): Promise<ExchangeResult> {
  const { binding, scanId, deps } = invocation
  const startedAt = deps.clock.now()
  const began = deps.clock.monotonic()
  const ending = await exchange(invocation, ctx)
  return {
    kind: 'exchange',
    scanId,
    command: `${binding.method} ${binding.writtenUrl}`,
    startedAt,
    durationMs: deps.clock.monotonic() - began,
    body: new Uint8Array(),
    outputHash: sha256Hex(new Uint8Array()),
    truncated: false,
    redacted: false,
    ...ending,
  }
}

async function exchange(invocation: Invocation, ctx: CallContext): Promise<Ending> {
  const secrets = await revealSecrets(invocation)
  if ('error' in secrets) return { ended: 'failed', error: secrets.error }
  const built = buildWith(invocation, secrets.values)
  if (built.status !== 'ready')
    return {
      ended: 'failed',
      error: { code: 'secret_unusable', message: 'The request cannot be made with that secret' },
    }
  try {
    const evidence = await evidenceOf(invocation)
    const answer = await send(invocation, built.request, ctx)
    const kept = keep(answer, [...secrets.values.values()])
    if (evidence === undefined) return kept
    return { ...kept, outputFile: await evidence.write(kept.body) }
  } catch (error) {
    if (error instanceof EgressError) return failed(error, [...secrets.values.values()])
    if (error instanceof GatewayError) return { ended: 'failed', error: { code: error.code, message: error.message } }
    throw error
  }
}

type Revealed =
  | { readonly values: ReadonlyMap<string, string> }
  | { readonly error: { readonly code: string; readonly message: string } }

async function revealSecrets({ secretNames, deps: { secrets } }: Invocation): Promise<Revealed> {
  const values = new Map<string, string>()
  for (const name of secretNames) {
    const secret = await secrets.get(name)
    if (secret === undefined) {
      const message = `Secret '${name}' not found (${secrets.howToSet(name)})`
      return { error: { code: 'secret_missing', message } }
    }
    const value = secret.reveal()
    if (value.length < SHORTEST_SECRET) {
      const message = `Secret '${name}' is shorter than ${SHORTEST_SECRET} characters: an answer that repeats it could not be redacted`
      return { error: { code: 'secret_unusable', message } }
    }
    values.set(name, value)
  }
  return { values }
}

function buildWith({ binding, values, scanId }: Invocation, secrets: ReadonlyMap<string, string>): BuiltRequest {
  return buildRequest(binding, { values, scanId, secret: (name, encode) => encode(secrets.get(name) ?? '') })
}

function evidenceOf({ binding, tool, scanId, deps }: Invocation) {
  const { capture, outputDir } = binding.evidence
  if (!capture) return Promise.resolve(undefined)
  return prepareEvidence({
    root: deps.evidenceRoot,
    outputDir,
    scanId,
    tool: tool.name,
    extension: binding.extension,
  })
}

function send({ binding, tool, deps }: Invocation, request: HttpRequest, ctx: CallContext): Promise<EgressResponse> {
  const { hostArgument, maxBytes } = binding
  const { method, url, headers, body } = request
  const trusted = hostArgument === undefined ? { trustedHost: URL.parse(url)?.hostname ?? '' } : {}
  return deps.egress.request({
    method,
    url,
    headers,
    ...(body === undefined ? {} : { body }),
    policy: {
      blockInternal: hostArgument?.blockInternal ?? false,
      allow: deps.allowInternal,
      deny: (hostArgument?.blocked ?? []).flatMap(range => parseRange(range) ?? []),
    },
    ...trusted,
    signal: ctx.signal,
    timeoutMs: tool.timeoutMs,
    maxBytes,
    overflow: 'cut',
    redirects: 'return',
  })
}

/** The answer as it may be kept and shown. The hash is of what came (ruling ToolClad 23). */
function keep(answer: EgressResponse, secrets: readonly string[]): Ending & { readonly body: Uint8Array } {
  const { status, truncated } = answer
  const body = scrub(answer.body, secrets, { truncated })
  return {
    ended: 'answered',
    httpStatus: status,
    body,
    outputHash: sha256Hex(answer.body),
    truncated,
    redacted: body !== answer.body,
  }
}

function failed({ code, message }: EgressError, secrets: readonly string[]): Ending {
  const ended = code === 'timeout' || code === 'cancelled' ? code : 'failed'
  return { ended, error: { code, message: scrubText(message, secrets) } }
}
