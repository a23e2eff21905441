import type { CallContext } from '../../core/call.ts'
import { Stage } from '../stage.ts'
import type { Step } from '../stage.ts'

/** Files, addresses and the program itself: looked up only for a call that is allowed (ruling ToolClad 11). */
export async function resolve(stage: Stage<'approved'>, ctx: CallContext): Promise<Step<'resolved'>> {
  const { entry, values } = stage.value
  const resolution = await entry.callable.resolve(values, { lookups: true, signal: ctx.signal })
  switch (resolution.status) {
    case 'ready': {
      const { ready, exempt = [] } = resolution
      return { go: Stage.advance(stage, 'resolved', { ...stage.value, ready, exempt }) }
    }
    case 'refused':
      return { stop: { status: 'denied', by: 'argument', refusals: resolution.refusals } }
    case 'denied':
      return { stop: { status: 'denied', by: 'backend', code: resolution.code, reason: resolution.reason } }
  }
}
