import type { AuditSink, FinishedRecord, StepRecord } from '../audit/record.ts'
import type { Entry } from '../catalog/entry.ts'
import type { CallContext, CallRequest } from '../core/call.ts'
import { ERRORS, GatewayError } from '../core/errors.ts'
import type { Outcome } from '../core/outcome.ts'
import type { Logger } from '../core/ports.ts'
import type { Noted, Steps, Trail } from './run-call.ts'
import { Stage } from './stage.ts'

/** Wraps a call so that every exit leaves exactly one finished record; a throw becomes an outcome here and nowhere else. */
export function audited(audit: AuditSink, logger: Logger): Steps['audited'] {
  return async (request, ctx, body) => {
    const began = ctx.clock.monotonic()
    const trail = openTrail(audit, request, ctx)
    const outcome = await body(trail).catch((error: unknown) => fault(error, ctx, logger))
    audit.finished({
      ...trail.identity(),
      steps: trail.steps,
      outcome: outcome.status,
      ...problemOf(outcome),
      durationMs: Math.round(ctx.clock.monotonic() - began),
    })
    return outcome
  }
}

type Identity = Pick<FinishedRecord, 'id' | 'parent' | 'principal' | 'tool' | 'toolHash' | 'args'>

interface OpenTrail extends Trail {
  readonly steps: readonly StepRecord[]
  readonly identity: () => Identity
}

function openTrail(audit: AuditSink, request: CallRequest, ctx: CallContext): OpenTrail {
  const steps: StepRecord[] = []
  let entry: Entry | undefined
  let started = false
  const identity = (): Identity => ({
    id: ctx.id,
    ...(ctx.parent === undefined ? {} : { parent: ctx.parent }),
    principal: ctx.principal.id,
    tool: entry?.name ?? request.tool,
    ...(entry === undefined ? {} : { toolHash: entry.hash }),
  })
  return {
    steps,
    identity: () => (started ? identity() : { ...identity(), args: request.args }),
    note: async (step, answer) => {
      const result = await answer
      steps.push({ step, ...decisionOf(result) })
      if ('go' in result && 'entry' in result.go.value) entry = result.go.value.entry
      return result
    },
    record: async stage => {
      try {
        await audit.started({ ...identity(), args: stage.value.args })
      } catch (error) {
        if (error instanceof GatewayError) return { stop: failure(error) }
        throw error
      }
      started = true
      return { go: Stage.advance(stage, 'recorded', stage.value) }
    },
  }
}

function decisionOf(answer: Noted): Pick<StepRecord, 'decision' | 'reason'> {
  if ('go' in answer) {
    const { value } = answer.go
    const exempt = 'exempt' in value ? (value.exempt ?? []) : []
    return exempt.length === 0 ? { decision: 'go' } : { decision: 'go', reason: `allow_internal: ${exempt.join(', ')}` }
  }
  if ('again' in answer) return { decision: 'again' }
  const reason = problemOf(answer.stop).error
  if (reason === undefined) return { decision: 'stop' }
  return { decision: 'stop', reason: reason.code === 'refused' ? reason.message : reason.code }
}

function problemOf(outcome: Outcome): Pick<FinishedRecord, 'error'> {
  if (outcome.status === 'failed') return { error: { code: outcome.code, message: outcome.message } }
  if (outcome.status === 'denied' && 'code' in outcome)
    return { error: { code: outcome.code, message: outcome.reason } }
  if (outcome.status === 'denied')
    return { error: { code: 'refused', message: outcome.refusals.map(r => `${r.argument}: ${r.fence}`).join(', ') } }
  return {}
}

function fault(error: unknown, ctx: CallContext, logger: Logger): Outcome {
  if (error instanceof GatewayError && error.code !== 'internal') return failure(error)
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
  logger.error('a call ended in a bug', { call: ctx.id, why })
  return failure(new GatewayError('internal', `see the log for call ${ctx.id}`))
}

function failure({ code, message }: GatewayError): Outcome {
  const { retryable, exit } = ERRORS[code]
  return { status: 'failed', code, message, retryable, exit }
}
