import { Stage } from '../stage.ts'
import type { Step } from '../stage.ts'

/** The tool's scope rules; a tool without scoped arguments has none. */
export function scope(stage: Stage<'validated'>): Step<'scoped'> {
  const { entry, values } = stage.value
  const refusals = entry.tool.scope?.(values) ?? []
  if (refusals.length > 0) return { stop: { status: 'denied', by: 'scope', refusals } }
  return { go: Stage.advance(stage, 'scoped', stage.value) }
}
