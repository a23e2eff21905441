import type { Resolution } from '../backends/backend.ts'
import type { CallContext, CallRequest } from '../core/call.ts'
import type { JsonObject } from '../core/json.ts'
import type { Outcome, Refusal } from '../core/outcome.ts'
import type { Values } from '../core/tool.ts'
import type { Steps } from './run-call.ts'
import { Stage } from './stage.ts'

type Check = 'ok' | 'refused' | 'skipped'

/** What a call would do. */
export interface DryRun {
  readonly status: 'dry_run'
  readonly tool: string
  /** What would run; absent where a check refused before it could be constructed. */
  readonly preview?: JsonObject
  readonly values: Values
  readonly checks: { readonly scope: Check; readonly dns: Check; readonly gate: Check }
  readonly refusals: readonly Refusal[]
  readonly timeoutMs: number
  readonly riskTier?: string
}

export interface DryRunOptions {
  /** Also resolve names and look whether files exist. */
  readonly lookups: boolean
}

/** Judges a call by the pipeline's own steps and constructs it; nothing runs, nothing is recorded, no approval is needed. */
export async function dryRun(
  steps: Pick<Steps, 'authorize' | 'validate' | 'scope'>,
  request: CallRequest,
  ctx: CallContext,
  { lookups }: DryRunOptions,
): Promise<DryRun | Outcome> {
  const authorized = await steps.authorize(Stage.receive(request), ctx)
  if ('stop' in authorized) return authorized.stop
  const validated = await steps.validate(authorized.go, ctx)
  if ('stop' in validated) return validated.stop
  const { entry, values } = validated.go.value
  const { tool } = entry
  const scoped = await steps.scope(validated.go, ctx)
  const outOfScope = 'stop' in scoped ? refusalsOf(scoped.stop) : []
  const resolution = await entry.callable.resolve(values, { lookups, signal: ctx.signal })
  if (resolution.status === 'denied' && resolution.preview === undefined) {
    const { code, reason } = resolution
    return { status: 'denied', by: 'backend', code, reason }
  }
  const lookedUp: Check = resolution.status === 'refused' ? 'refused' : 'ok'
  return {
    status: 'dry_run',
    tool: entry.name,
    ...previewOf(resolution),
    values,
    checks: {
      scope: outOfScope.length > 0 ? 'refused' : 'ok',
      dns: lookups ? lookedUp : 'skipped',
      gate: tool.needsApproval ? 'refused' : 'ok',
    },
    refusals: [...outOfScope, ...(resolution.status === 'refused' ? resolution.refusals : [])],
    timeoutMs: tool.timeoutMs,
    ...(tool.riskTier === undefined ? {} : { riskTier: tool.riskTier }),
  }
}

function previewOf(resolution: Resolution): { readonly preview?: JsonObject } {
  if (resolution.status === 'ready') return { preview: resolution.ready.preview }
  return resolution.status === 'denied' && resolution.preview !== undefined ? { preview: resolution.preview } : {}
}

function refusalsOf(stop: Outcome): readonly Refusal[] {
  return stop.status === 'denied' && 'refusals' in stop ? stop.refusals : []
}
