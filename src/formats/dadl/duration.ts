import { DURATION, DURATION_UNITS } from './spec.ts'

/** Milliseconds of a Go duration such as `1h30m`; undefined where the text is none. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined
  const parts = text.matchAll(/(\d+(?:\.\d+)?)([a-zµ]+)/g)
  return [...parts].reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (DURATION_UNITS.get(unit) ?? 0), 0)
}
