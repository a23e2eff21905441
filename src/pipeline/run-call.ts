import type { CallContext, CallRequest } from '../core/call.ts'
import type { Outcome } from '../core/outcome.ts'
import { Stage } from './stage.ts'
import type { StageName, Step } from './stage.ts'

type Answer<T> = T | Promise<T>
type StepOf<From extends StageName, To extends StageName> = (stage: Stage<From>, ctx: CallContext) => Answer<Step<To>>

/** The steps of the pipeline; `open-pipeline.ts` builds them, drawn in `docs/explanation/pipeline.md`. */
export interface Steps {
  readonly audited: (
    request: CallRequest,
    ctx: CallContext,
    body: (trail: Trail) => Promise<Outcome>,
  ) => Promise<Outcome>
  readonly authorize: StepOf<'received', 'authorized'>
  readonly validate: StepOf<'authorized', 'validated'>
  readonly scope: StepOf<'validated', 'scoped'>
  readonly preGate: (
    stage: Stage<'scoped'>,
    ctx: CallContext,
  ) => Answer<Step<'gated'> | { readonly again: Stage<'authorized'> }>
  readonly approve: StepOf<'gated', 'approved'>
  readonly resolve: StepOf<'approved', 'resolved'>
  readonly execute: StepOf<'recorded', 'executed'>
  readonly postGate: StepOf<'executed', 'released'>
}

/** Any step's answer, as a trail notes it. */
export type Noted = Step<StageName> | { readonly again: Stage<'authorized'> }

/** What audit sees of one call while it runs. */
export interface Trail {
  /** Notes what a step decided, and hands it on. */
  readonly note: <T extends Noted>(step: string, answer: Answer<T>) => Promise<T>
  /** Commits the `started` row; without it nothing is executed. */
  readonly record: (stage: Stage<'resolved'>) => Promise<Step<'recorded'>>
}

/** How often gates may change a call's arguments before it is refused. */
const MAX_CHANGES = 4

/** Runs one call, whoever makes it: every exit is audited, no stage can be skipped or reordered. */
export function runCall(steps: Steps, request: CallRequest, ctx: CallContext): Promise<Outcome> {
  return steps.audited(request, ctx, async trail => {
    const authorized = await trail.note('authorize', steps.authorize(Stage.receive(request), ctx))
    if ('stop' in authorized) return authorized.stop

    let current = authorized.go
    for (let changes = 0; changes <= MAX_CHANGES; changes++) {
      const validated = await trail.note('validate', steps.validate(current, ctx))
      if ('stop' in validated) return validated.stop
      const scoped = await trail.note('scope', steps.scope(validated.go, ctx))
      if ('stop' in scoped) return scoped.stop
      const gated = await trail.note('pre-gate', steps.preGate(scoped.go, ctx))
      if ('stop' in gated) return gated.stop
      if ('go' in gated) return finish(steps, trail, gated.go, ctx)
      current = gated.again
    }
    return { status: 'denied', by: 'gate', code: 'unsettled', reason: 'The gates keep changing the arguments.' }
  })
}

async function finish(steps: Steps, trail: Trail, gated: Stage<'gated'>, ctx: CallContext): Promise<Outcome> {
  const approved = await trail.note('approve', steps.approve(gated, ctx))
  if ('stop' in approved) return approved.stop
  const resolved = await trail.note('resolve', steps.resolve(approved.go, ctx))
  if ('stop' in resolved) return resolved.stop
  const recorded = await trail.record(resolved.go)
  if ('stop' in recorded) return recorded.stop
  const executed = await trail.note('execute', steps.execute(recorded.go, ctx))
  if ('stop' in executed) return executed.stop
  const released = await trail.note('post-gate', steps.postGate(executed.go, ctx))
  return 'stop' in released ? released.stop : released.go.value.outcome
}
