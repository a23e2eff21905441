import type { Clock, LogFields, Logger } from '../core/ports.ts'

/** From the most talkative to the quietest. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface LoggerOptions {
  /** Receives whole lines, each with its newline. */
  readonly write: (line: string) => void
  /** Anything quieter than this is left out. */
  readonly level: LogLevel
  readonly clock: Pick<Clock, 'now'>
  /** A short line for a person at a terminal instead of JSON. */
  readonly pretty?: boolean
}

/** One line per record, whatever its values hold: no value can forge a line or drive a terminal. */
export function createLogger({ write, level, clock, pretty = false }: LoggerOptions): Logger {
  const line = pretty ? prettyLine : jsonLine
  const at =
    (recordLevel: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (LOG_LEVELS.indexOf(recordLevel) < LOG_LEVELS.indexOf(level)) return
      write(`${line({ time: new Date(clock.now()).toISOString(), level: recordLevel, message }, fields)}\n`)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

interface Head {
  readonly time: string
  readonly level: LogLevel
  readonly message: string
}

function jsonLine(head: Head, fields: LogFields): string {
  // The head is spread twice: first for its place in the line, last so that no field can stand in for it.
  return visible(JSON.stringify({ ...head, ...fields, ...head }))
}

function prettyLine({ time, level, message }: Head, fields: LogFields): string {
  const pairs = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${shown(value)}`],
  )
  return visible([time.slice(11, 19), level.padEnd(5), message, ...pairs].join(' '))
}

/** Bare where that is unambiguous, else quoted. */
function shown(value: string | number | boolean): string {
  return typeof value === 'string' && !/^[\w./:@%+,-]+$/.test(value) ? JSON.stringify(value) : String(value)
}

/** Control characters, line separators and bidirectional controls as `\uXXXX`, which JSON reads back. */
function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
