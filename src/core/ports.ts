/** Time, as handed down to everything that needs it. Milliseconds throughout. */
export interface Clock {
  /** Unix time. */
  readonly now: () => number
  /** A clock that never goes back, for durations. */
  readonly monotonic: () => number
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Runs once after `ms`, unless what it returns was called before. */
  readonly timer: (ms: number, run: () => void) => () => void
}

/** Randomness and identifiers. */
export interface Ids {
  /** UUIDv7: sorts by time of creation. */
  readonly uuid: () => string
  readonly hex: (bytes: number) => string
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

/** Structured log lines; they never hold arguments, results or secrets. */
export interface Logger {
  readonly debug: (message: string, fields?: LogFields) => void
  readonly info: (message: string, fields?: LogFields) => void
  readonly warn: (message: string, fields?: LogFields) => void
  readonly error: (message: string, fields?: LogFields) => void
}

/** Of a program that wants no log. */
export const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
