import type { CallContext } from '../../core/call.ts'
import { Stage } from '../stage.ts'
import type { Step } from '../stage.ts'

/** What the manifest marks as needing a person is denied unless a person at this machine approved this very call. */
export function approve(stage: Stage<'gated'>, ctx: CallContext): Step<'approved'> {
  const { tool } = stage.value.entry
  if (tool.needsApproval && !ctx.approved)
    return {
      stop: {
        status: 'denied',
        by: 'approval',
        code: 'approval_required',
        reason: `${tool.name} needs a person's approval: run it at the machine with "sallyport run ${tool.name} --approve".`,
      },
    }
  return { go: Stage.advance(stage, 'approved', stage.value) }
}
