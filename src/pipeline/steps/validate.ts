import { Stage } from '../stage.ts'
import type { Step } from '../stage.ts'

/** Shape and type of every argument, by the tool's own compiled validator; nothing is looked up. */
export function validate(stage: Stage<'authorized'>): Step<'validated'> {
  const { entry, args } = stage.value
  const validation = entry.tool.validate(args)
  if (!validation.ok) return { stop: { status: 'denied', by: 'argument', refusals: validation.refusals } }
  return { go: Stage.advance(stage, 'validated', { ...stage.value, values: validation.values }) }
}
