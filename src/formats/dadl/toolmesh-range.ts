// The range of versions a document asks for in `requires.toolmesh` (DADL spec 15.3).
import { compareVersions, parseVersion } from './version.ts'

export type RangeResult =
  | { readonly ok: true; readonly satisfied: boolean }
  | { readonly ok: false; readonly message: string }

const OPERATORS: ReadonlyMap<string, (difference: number) => boolean> = new Map([
  ['>=', difference => difference >= 0],
  ['<=', difference => difference <= 0],
  ['>', difference => difference > 0],
  ['<', difference => difference < 0],
  ['=', difference => difference === 0],
])

/**
 * Whether a version is within a range: comparisons (`>=`, `>`, `<=`, `<`, `=`) parted by commas, all of which must hold.
 * What is written otherwise is refused: a runtime that guessed would load what it cannot run.
 */
export function satisfies(range: string, version: string): RangeResult {
  const own = parseVersion(version)
  if (own === undefined) return { ok: false, message: `"${version}" is no version to compare with` }
  let satisfied = true
  for (const part of range.split(',')) {
    const comparison = part.trim()
    const [, operator = '', text = ''] = /^([<>]=?|=)\s*(\S+)$/.exec(comparison) ?? []
    const holds = OPERATORS.get(operator)
    const bound = parseVersion(text)
    if (holds === undefined || bound === undefined)
      return { ok: false, message: `"${comparison}" is no comparison: expected one like ">=0.9.0", parted by commas` }
    satisfied &&= holds(compareVersions(own, bound))
  }
  return { ok: true, satisfied }
}
