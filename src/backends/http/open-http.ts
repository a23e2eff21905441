import type { CallContext } from '../../core/call.ts'
import { GatewayError } from '../../core/errors.ts'
import type { Clock, Ids } from '../../core/ports.ts'
import type { ExchangeResult, Tool, Values } from '../../core/tool.ts'
import type { CredentialStore } from '../../credentials/store.ts'
import type { EgressPolicy } from '../../io/egress/connector.ts'
import type { Egress } from '../../io/egress/egress.ts'
import { EgressError } from '../../io/egress/error.ts'
import { sha256Hex } from '../../lib/digest.ts'
import { parseRange } from '../../lib/ip.ts'
import type { IpRange } from '../../lib/ip.ts'
import { openScrubber } from '../../lib/scrub.ts'
import type { Scrubber } from '../../lib/scrub.ts'
import type { Backend, Callable, Prepared, Resolution } from '../backend.ts'
import { prepareEvidence } from '../evidence.ts'
import { makeScanId } from '../scan-id.ts'
import { httpBinding } from './binding.ts'
import type { HttpBinding } from './binding.ts'
import { shown, toPreview } from './preview.ts'
import { buildRequest, judgeValues } from './request.ts'
import type { Filling } from './request.ts'
import { revealSecrets } from './secrets.ts'

export interface HttpDeps {
  readonly egress: Egress
  /** What `{_secret:NAME}` stands for. */
  readonly secrets: CredentialStore
  readonly clock: Clock
  readonly ids: Ids
  readonly evidenceRoot: string
  /** Internal ranges the deployment exempts (ruling ToolClad 17). */
  readonly allowInternal: readonly IpRange[]
}

export function openHttp(deps: HttpDeps): Backend {
  return {
    kind: 'http',
    prepare: async tool => prepare(tool, deps),
    close: () => Promise.resolve(), // the door to the network is its owner's
  }
}

function prepare(tool: Tool, deps: HttpDeps): Prepared {
  const binding = httpBinding.parse(tool.binding.data)
  const policy = policyOf(tool, binding, deps)
  const callable: Callable = { resolve: async values => resolve({ tool, binding, policy, deps }, values) }
  return { callable, diagnostics: [] }
}

interface Prepare {
  readonly tool: Tool
  readonly binding: HttpBinding
  readonly policy: EgressPolicy
  readonly deps: HttpDeps
}

function resolve(prepared: Prepare, values: Values): Resolution {
  const { tool, binding, deps } = prepared
  const scanId = makeScanId(deps)
  const filling = shown(values, scanId)
  const refused = judgeValues(binding, filling)
  const refusals = tool.parameters.flatMap(({ name }) => refused.find(({ argument }) => argument === name) ?? [])
  if (refusals.length > 0) return { status: 'refused', refusals }
  return {
    status: 'ready',
    ready: { preview: toPreview(binding, filling), run: ctx => run({ ...prepared, values, scanId }, ctx) },
  }
}

/** One call, constructed up to its secrets. */
interface Invocation extends Prepare {
  readonly values: Values
  readonly scanId: string
}

/** What one exchange came to. */
type Ending = Pick<ExchangeResult, 'ended' | 'body' | 'truncated'> & Partial<Pick<ExchangeResult, 'status' | 'error'>>

const NOTHING = { body: new Uint8Array(), truncated: false } as const

async function run(invocation: Invocation, ctx: CallContext): Promise<ExchangeResult> {
  const { tool, binding, scanId, deps } = invocation
  const { clock } = deps
  const startedAt = clock.now()
  const begun = clock.monotonic()
  const finish = (ending: Ending, { bytes, text: conceal }: Scrubber): ExchangeResult => {
    // Where it broke off or was cut, a secret may have been cut with it.
    const body = bytes(ending.body, { cut: ending.truncated || ending.ended !== 'answered' })
    const identity = { kind: 'exchange', scanId, command: binding.command, startedAt } as const
    const redacted = body !== ending.body
    const durationMs = clock.monotonic() - begun
    return { ...ending, ...identity, durationMs, body, hash: sha256Hex(ending.body), redacted, conceal }
  }
  const revealed = await revealSecrets(binding, deps.secrets)
  if (!revealed.ok) return finish({ ended: 'failed', error: revealed.error, ...NOTHING }, openScrubber([]))
  const scrubber = openScrubber([...revealed.secrets.values()])
  try {
    const { capture, outputDir } = binding.evidence
    const { extension } = binding
    const place = { root: deps.evidenceRoot, outputDir, scanId, tool: tool.name }
    const evidence = capture ? prepareEvidence(place) : undefined
    const result = finish(await exchange(invocation, revealed.secrets, ctx), scrubber)
    try {
      return evidence === undefined ? result : { ...result, outputFile: await evidence.write(result.body, extension) }
    } catch (error) {
      return { ...result, error: asFault(error) }
    }
  } catch (error) {
    return finish({ ended: 'failed', error: asFault(error), ...NOTHING }, scrubber)
  }
}

async function exchange(
  { tool, binding, policy, values, scanId, deps }: Invocation,
  secrets: ReadonlyMap<string, string>,
  { signal }: CallContext,
): Promise<Ending> {
  const secret: Filling['secret'] = (name, encode) => encode(secrets.get(name) ?? '')
  const request = buildRequest(binding, { values, scanId, secret })
  try {
    const { status, body, truncated } = await deps.egress.request({
      ...request,
      policy,
      redirects: 'return',
      overflow: 'cut',
      signal,
      timeoutMs: tool.timeoutMs,
      maxBytes: binding.maxBytes,
    })
    return { ended: 'answered', status, body, truncated }
  } catch (error) {
    if (error instanceof EgressError) return toEnding(error)
    throw error
  }
}

/** Of the author's own hosts only those that are always blocked are out of reach; another is judged as its argument was. */
function policyOf({ lookups = [] }: Tool, { url }: HttpBinding, { allowInternal: allow }: HttpDeps): EgressPolicy {
  if (url.host === undefined) return { blockInternal: false, allow }
  const rule = lookups.find(({ kind, argument }) => kind === 'target' && argument === url.host)
  const blocked = rule?.kind === 'target' ? rule.blocked : []
  return { blockInternal: true, allow, deny: blocked.flatMap(text => parseRange(text) ?? []) }
}

function toEnding({ code, message, partial }: EgressError): Ending {
  const { status, body } = partial ?? {}
  const kept = { ...NOTHING, ...(body === undefined ? {} : { body }), ...(status === undefined ? {} : { status }) }
  if (code === 'timeout' || code === 'cancelled') return { ended: code, ...kept }
  return { ended: 'failed', error: { code, message }, ...kept }
}

function asFault(error: unknown): NonNullable<ExchangeResult['error']> {
  if (error instanceof GatewayError) return { code: error.code, message: error.message }
  throw error
}
