import { didYouMean, nearest } from '../../lib/nearest.ts'
import type { Problems } from './problems.ts'

interface Choice {
  readonly code: 'bad_mode' | 'bad_dispatch' | 'bad_risk_tier'
  /** As the author knows it. */
  readonly key: string
  readonly path: string
  readonly problems: Problems
}

/** The member of a closed list that was written; a problem where it is none. */
export function oneOf<T extends string>(list: readonly T[], written: string, choice: Choice): T | undefined {
  const found = list.find(entry => entry === written)
  if (found !== undefined) return found
  const { code, key, path, problems } = choice
  const near = nearest(written, list)
  const message = `invalid ${key} '${written}', must be one of: ${list.join(', ')}`
  problems.error(code, path, message + didYouMean(near), near)
  return undefined
}
