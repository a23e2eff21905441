import { readFileSync } from 'node:fs'

/** What this process may have at most, by the row of /proc/self/limits; the largest number where nothing limits it. */
export function hardLimit(row: string): number {
  const line = ownLimits().find(text => text.startsWith(row))
  const [, hard] = line?.slice(row.length).trim().split(/\s+/) ?? []
  const value = Number(hard)
  return Number.isSafeInteger(value) ? value : Number.MAX_SAFE_INTEGER // `unlimited`
}

function ownLimits(): readonly string[] {
  try {
    return readFileSync('/proc/self/limits', 'latin1').split('\n')
  } catch {
    return [] // not Linux
  }
}
