// One call of a manifest through the pipeline, for `sallyport/toolclad`: the gateway's own steps, without its audit and catalogue.
import { command } from './backends/command/index.ts'
import type { PreparedTool } from './catalog/load-file.ts'
import { ERRORS, GatewayError } from './core/errors.ts'
import type { ErrorCode } from './core/errors.ts'
import { isJsonObject } from './core/json.ts'
import type { JsonObject, JsonValue } from './core/json.ts'
import type { Outcome, Refusal } from './core/outcome.ts'
import { SILENT } from './core/ports.ts'
import { LOCAL } from './core/principal.ts'
import type { RiskTier, Tool, Values } from './core/tool.ts'
import { systemClock, systemIds } from './io/system.ts'
import type { DryRun } from './pipeline/dry-run.ts'
import { openPipeline } from './pipeline/open-pipeline.ts'
import { reportJson } from './pipeline/shapes.ts'
import { ALLOW_ALL } from './policy/engine.ts'
import type { Gate } from './policy/gate.ts'
import { evidenceRootOf } from './toolclad-runtime.ts'
import type { Settings } from './toolclad-runtime.ts'

export type Arguments = Readonly<Record<string, JsonValue>>

export interface GateRequest {
  readonly tool: string
  readonly version?: string
  readonly values: Readonly<Record<string, string>>
  /** Of a command. */
  readonly argv?: readonly string[]
  readonly risk_tier: RiskTier
}

export interface RunOptions {
  /** All addresses of a name. Default: the system's. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
  /** Which command, of a `[session]` or `[browser]` manifest; only a dry run of one can be made. */
  readonly command?: string
  /** A person approved this very call. It satisfies the default gate only. */
  readonly approve?: boolean
  /**
   * Instead of the default gate, which denies what needs approval. A throw denies, and so does an answer that is none.
   * ToolClad spec, Policy gate.
   */
  readonly gate?: (
    request: GateRequest,
  ) =>
    | Promise<{ readonly allow: boolean; readonly reason?: string }>
    | { readonly allow: boolean; readonly reason?: string }
  readonly signal?: AbortSignal
  /** Judge and show only; names are resolved where `resolve` is given. Default false. */
  readonly dryRun?: boolean
  /** Beside those the manifest was loaded with, and above them. */
  readonly settings?: Settings
}

export type RunResult =
  /** It ran; `status` of the envelope says how that ended. */
  | { readonly kind: 'envelope'; readonly envelope: JsonValue }
  | {
      readonly kind: 'denied'
      readonly denied: { readonly by: string; readonly code: string; readonly reason: string }
    }
  | { readonly kind: 'refused'; readonly refusals: readonly Refusal[] }
  /** As `sallyport test --json` prints it. */
  | { readonly kind: 'dry_run'; readonly report: JsonObject }
  /** `dispatch = "callback"`: the arguments are judged, and yours to use. */
  | { readonly kind: 'values'; readonly values: Readonly<Record<string, string>> }

/** A tool, and where its files go. */
export interface Runnable {
  readonly prepared: PreparedTool
  readonly settings: Settings
}

export async function runTool(
  { prepared, settings }: Runnable,
  args: Arguments,
  options: RunOptions,
): Promise<RunResult> {
  const gates = options.gate === undefined ? [] : [toGate(options.gate, settings)]
  const context = { ...contextOf(options), withheld: 'denied' } as const
  const { tool } = prepared
  return toRunResult(tool, await pipelineOf(prepared, gates).run({ tool: tool.name, args }, context))
}

export async function showDryRun(
  { prepared, settings }: Runnable,
  args: Arguments,
  options: RunOptions,
): Promise<RunResult> {
  const { tool } = prepared
  const context = { ...contextOf(options), withheld: 'judged' } as const
  const lookups = options.resolve !== undefined
  const outcome = await pipelineOf(prepared, []).dryRun({ tool: tool.name, args }, context, { lookups })
  if (outcome.status !== 'dry_run') return toRunResult(tool, outcome)
  const gate = await judgeGate(tool, outcome, options, settings)
  return { kind: 'dry_run', report: reportJson({ ...outcome, checks: { ...outcome.checks, gate } }) }
}

const UNAUDITED = { started: async () => {}, finished: () => {} }
export const NEVER: AbortSignal = new AbortController().signal

function pipelineOf(prepared: PreparedTool, gates: readonly Gate[]) {
  const entry = { ...prepared, name: prepared.tool.name, hash: '' }
  return openPipeline({ find: () => entry, policy: ALLOW_ALL, gates, audit: UNAUDITED, logger: SILENT })
}

function contextOf({ signal = NEVER, approve = false, gate }: RunOptions) {
  return {
    id: systemIds.uuid(),
    principal: LOCAL,
    signal,
    clock: systemClock,
    progress: () => {},
    approved: approve || gate !== undefined,
  }
}

/** What plain JavaScript may have returned. */
interface Answer {
  readonly allow?: unknown
  readonly reason?: string
}

function toGate(ask: NonNullable<RunOptions['gate']>, settings: Settings): Gate {
  const places = { clock: systemClock, ids: systemIds, evidenceRoot: evidenceRootOf(settings) }
  return {
    name: 'options.gate',
    before: async ({ tool, values }) => {
      const { name, version, riskTier = 'low', binding } = tool
      const { allow, reason = 'The gate denied the call.' }: Answer = await ask({
        tool: name,
        ...(version === undefined ? {} : { version }),
        values: toTexts(values),
        ...(binding.kind === 'command' ? { argv: command.preview(tool, values, places).argv } : {}),
        risk_tier: riskTier,
      })
      return allow === true ? { decision: 'allow' } : { decision: 'deny', code: 'gate_denied', reason }
    },
  }
}

async function judgeGate(
  tool: Tool,
  { values }: DryRun,
  { gate, approve = false }: RunOptions,
  settings: Settings,
): Promise<DryRun['checks']['gate']> {
  if (gate === undefined) return tool.needsApproval && !approve ? 'refused' : 'ok'
  try {
    const answer = await toGate(gate, settings).before?.({ principal: LOCAL, name: tool.name, tool, values })
    return answer?.decision === 'allow' ? 'ok' : 'refused'
  } catch {
    return 'refused' // a gate that fails denies
  }
}

function toRunResult({ binding }: Tool, outcome: Outcome): RunResult {
  switch (outcome.status) {
    case 'ok': {
      const { value } = outcome.result
      if (binding.kind === 'callback') return { kind: 'values', values: toTexts(isJsonObject(value) ? value : {}) }
      return { kind: 'envelope', envelope: value }
    }
    case 'failed':
      if (outcome.result !== undefined) return { kind: 'envelope', envelope: outcome.result.value }
      throw new GatewayError(isErrorCode(outcome.code) ? outcome.code : 'internal')
    case 'denied':
      if ('refusals' in outcome) return { kind: 'refused', refusals: outcome.refusals }
      return { kind: 'denied', denied: { by: outcome.by, code: outcome.code, reason: outcome.reason } }
    case 'pending':
      throw new GatewayError('internal', 'nobody can be asked here') // no gate answers so
  }
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code)
}

/** The values of a manifest are texts. */
export function toTexts(values: Values): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}
