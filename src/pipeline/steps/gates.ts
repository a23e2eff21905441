import type { CallContext } from '../../core/call.ts'
import type { Outcome } from '../../core/outcome.ts'
import type { Gate, GateDecision, GateRequest } from '../../policy/gate.ts'
import { withinDeadline } from '../deadline.ts'
import { Stage } from '../stage.ts'
import type { Step } from '../stage.ts'

/** Gates in their order, before the call. The first that denies or changes the arguments ends the round. */
export function preGate(gates: readonly Gate[]) {
  return async (
    stage: Stage<'scoped'>,
    ctx: CallContext,
  ): Promise<Step<'gated'> | { readonly again: Stage<'authorized'> }> => {
    const request = requestOf(stage.value, ctx)
    for (const gate of gates) {
      if (gate.before === undefined) continue
      const { before } = gate
      const answer = await withinDeadline<GateDecision>(
        ctx,
        () => before(request),
        why => ({ decision: 'deny', code: 'gate_failed', reason: `Gate ${gate.name} gave no decision: ${why}` }),
      )
      if (answer.decision === 'deny')
        return { stop: { status: 'denied', by: 'gate', code: answer.code, reason: answer.reason } }
      if (answer.decision === 'change') return { again: Stage.reenter(stage, answer.args) }
    }
    return { go: Stage.advance(stage, 'gated', stage.value) }
  }
}

/** Gates in reverse order, after the call. A gate that fails withholds the result. */
export function postGate(gates: readonly Gate[]) {
  return async (stage: Stage<'executed'>, ctx: CallContext): Promise<Step<'released'>> => {
    const request = requestOf(stage.value, ctx)
    let { outcome } = stage.value
    for (const gate of gates.toReversed()) {
      if (gate.after === undefined) continue
      const { after } = gate
      const current = outcome
      outcome = await withinDeadline<Outcome>(
        ctx,
        () => after(request, current),
        why => ({
          status: 'denied',
          by: 'gate',
          code: 'gate_failed',
          reason: `Gate ${gate.name} withheld the result: ${why}`,
        }),
      )
    }
    return { go: Stage.advance(stage, 'released', { ...stage.value, outcome }) }
  }
}

function requestOf({ entry, values }: Stage<'scoped'>['value'], ctx: CallContext): GateRequest {
  return { principal: ctx.principal, name: entry.name, tool: entry.tool, values }
}
