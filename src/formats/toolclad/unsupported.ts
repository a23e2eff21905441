// What the specification has and this version does not run. Such a manifest is refused: nothing it says is ever ignored.
// Types need no row here: those of `spec.ts` without an entry in their table are unsupported too.
import type { TomlTable } from '../../lib/toml.ts'
import { isTomlTable } from '../../lib/toml.ts'
import { toPointer } from '../../lib/pointer.ts'
import type { Problems } from './problems.ts'

const SECTIONS: readonly (readonly [string, ...string[]])[] = [['mcp'], ['session'], ['browser']]

export function reportUnsupported(manifest: TomlTable, problems: Problems): void {
  for (const steps of SECTIONS)
    if (isPresent(manifest, steps)) problems.error('unsupported', toPointer(steps), sentence(`[${steps.join('.')}]`))
}

export function sentence(what: string): string {
  return `${what} is part of ToolClad, but this version of Sallyport does not run it yet`
}

function isPresent(table: TomlTable, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true
  const value = Object.hasOwn(table, first) ? table[first] : undefined
  return value !== undefined && (rest.length === 0 || (isTomlTable(value) && isPresent(value, rest)))
}
