import type { Entry } from './entry.ts'

/** All tools at one moment. Immutable; a reload makes a new one, and calls in flight keep theirs. */
export interface Snapshot {
  /** Grows by one with every swap. */
  readonly generation: number
  /** Sorted by name. */
  readonly entries: readonly Entry[]
  readonly find: (name: string) => Entry | undefined
}

export function buildSnapshot(generation: number, entries: readonly Entry[]): Snapshot {
  const sorted = Object.freeze(entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
  // A command is also found as `<tool>.<command>` (ruling gateway 1); no name clients see holds a dot.
  const dotted = sorted.flatMap((entry): [string, Entry][] =>
    entry.tool.family === undefined ? [] : [[entry.tool.name, entry]],
  )
  const byName = new Map([...dotted, ...sorted.map((entry): [string, Entry] => [entry.name, entry])])
  return Object.freeze({ generation, entries: sorted, find: (name: string) => byName.get(name) })
}

/** Whether a client would see the same list: names and behaviour, whatever file they come from. */
export function sameOffer(a: Snapshot, b: Snapshot): boolean {
  return (
    a.entries.length === b.entries.length &&
    a.entries.every((entry, index) => entry.name === b.entries[index]?.name && entry.hash === b.entries[index]?.hash)
  )
}
