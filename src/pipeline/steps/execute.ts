import type { CallContext } from '../../core/call.ts'
import { ERRORS } from '../../core/errors.ts'
import type { Outcome } from '../../core/outcome.ts'
import { Stage } from '../stage.ts'
import type { Step } from '../stage.ts'

/** Dispatches, then lets the tool's own output rules judge what came back. Secrets live and die below `ready.run`. */
export async function execute(stage: Stage<'recorded'>, ctx: CallContext): Promise<Step<'executed'>> {
  const { entry, ready } = stage.value
  if (ctx.signal.aborted) return { stop: cancelled() }
  const interpretation = await entry.tool.interpret(await ready.run(ctx))
  if (interpretation.ok) return done(stage, { status: 'ok', result: interpretation.result })
  const { code, message, retryable, exit, result } = interpretation
  return done(stage, { status: 'failed', code, message, retryable, exit, result })
}

function done(stage: Stage<'recorded'>, outcome: Outcome): Step<'executed'> {
  const { request, entry, args, values } = stage.value
  return { go: Stage.advance(stage, 'executed', { request, entry, args, values, outcome }) }
}

function cancelled(): Outcome {
  const { message, retryable, exit } = ERRORS.cancelled
  return { status: 'failed', code: 'cancelled', message, retryable, exit }
}
