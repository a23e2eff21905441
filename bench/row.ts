/** One figure of the table. */
export interface Row {
  readonly id: string
  readonly what: string
  readonly ours: number
  /** The same without us, measured in the same run. */
  readonly floor?: number
  readonly unit: 'ms' | '/s' | 'MiB'
}

/** The value that so many of the sorted others do not exceed. */
export function quantile(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0
}
