/**
 * The candidate a person most likely meant: few typing slips away, else begun (`int` → `integer`), else sharing a word,
 * the last one before others (`target_ip` → `ip_address`). `undefined` where nothing is near.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD) return undefined
  const wanted = word.toLowerCase()
  let best: { readonly name: string; readonly cost: number } | undefined
  for (const name of candidates) {
    if (name.length > MAX_WORD) continue
    const cost = costOf(wanted, name.toLowerCase())
    if (cost < (best?.cost ?? Infinity)) best = { name, cost }
  }
  return best?.name
}

/** ` (did you mean "x"?)`, or nothing. */
export function didYouMean(name: string | undefined): string {
  return name === undefined ? '' : ` (did you mean "${name}"?)`
}

const MAX_WORD = 128

function costOf(wanted: string, name: string): number {
  const slips = distance(wanted, name)
  if (slips <= Math.max(1, Math.floor(Math.max(wanted.length, name.length) / 3))) return slips
  if (wanted.length > 2 && name.startsWith(wanted)) return MAX_WORD + slips
  const words = name.split(/[^a-z0-9]+/).filter(word => word.length > 1)
  const shared = wanted.split(/[^a-z0-9]+/).map(word => words.includes(word))
  if (shared.at(-1) === true) return 2 * MAX_WORD + slips
  return shared.includes(true) ? 3 * MAX_WORD + slips : Infinity
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: readonly number[] = []
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const edited = Math.min(at(above, j) + 1, at(row, j - 1) + 1, at(above, j - 1) + (same ? 0 : 1))
      row.push(swapped ? Math.min(edited, at(before, j - 2) + 1) : edited)
    }
    before = above
    above = row
  }
  return at(above, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity
}
