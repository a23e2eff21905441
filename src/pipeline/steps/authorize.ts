import type { Entry } from '../../catalog/entry.ts'
import type { CallContext } from '../../core/call.ts'
import type { Denial } from '../../core/outcome.ts'
import type { Decision, PolicyEngine } from '../../policy/engine.ts'
import { Stage } from '../stage.ts'
import type { Step } from '../stage.ts'
import { withinDeadline } from '../deadline.ts'

export interface AuthorizeDeps {
  readonly find: (name: string) => Entry | undefined
  readonly policy: PolicyEngine
}

/**
 * Finds the tool and asks the policy. A denial answers like an unknown tool (ruling gateway 3), audit alone knows better; so
 * does a tool that is not offered, except to a person who asks for it.
 */
export function authorize({ find, policy }: AuthorizeDeps) {
  return async (stage: Stage<'received'>, ctx: CallContext): Promise<Step<'authorized'>> => {
    const { request } = stage.value
    const entry = find(request.tool)
    const { withheld: asking = 'unknown' } = ctx
    if (entry === undefined || (entry.withheld !== undefined && asking === 'unknown'))
      return denied('unknown_tool', 'No such tool.')
    const asked = { principal: ctx.principal, name: entry.name, tool: entry.tool, args: request.args }
    const decision = await withinDeadline(ctx, () => policy.decide(asked), failedDecision)
    if (!decision.allow) return denied('not_authorized', decision.reason)
    if (entry.withheld !== undefined && asking === 'denied')
      return { stop: { status: 'denied', by: 'backend', ...entry.withheld } }
    return { go: Stage.advance(stage, 'authorized', { request, entry, args: request.args }) }
  }
}

const failedDecision = (why: string): Decision => ({ allow: false, reason: `The policy gave no decision: ${why}` })

function denied(code: Extract<Denial, { by: 'authorization' }>['code'], reason: string): Step<'authorized'> {
  return { stop: { status: 'denied', by: 'authorization', code, reason } }
}
