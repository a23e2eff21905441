import { didYouMean } from '../../../lib/nearest.ts'
import type { Said } from '../problems.ts'

/** A message with the nearest valid spelling, where there is one. */
export function suggesting(message: string, meant: string | undefined): Said {
  return { message: `${message}${didYouMean(meant)}`, ...(meant === undefined ? {} : { hint: meant }) }
}
