// What became of a run, and what its output is worth (ToolClad spec, Output Limits and Schema Validation; rulings 23 to 26).
import { ERRORS } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { isJsonArray } from '../../lib/json-array.ts'
import type { Output } from './output.ts'
import { decodeLossy } from './parsers/decode.ts'
import type { Status } from './spec.ts'

export type Judged =
  | { readonly status: Status; readonly results: JsonValue }
  | {
      readonly status: Status
      readonly results: JsonObject
      readonly failure: { readonly code: string; readonly message: string; readonly exit: number }
    }

/** Exit codes of a call (ruling 24). */
const EXIT_EXECUTION = 3
export const EXIT_RESPONSE = 4

export interface OutputOptions {
  /** What text goes through before anything is made of it. */
  readonly conceal?: (text: string) => string
  /** That there is nothing to parse is no mistake: the value is then null. */
  readonly mayBeEmpty?: boolean
}

export async function judgeOutput(
  bytes: Uint8Array,
  output: Output,
  { conceal, mayBeEmpty = false }: OutputOptions = {},
): Promise<Judged> {
  const parsed = await output.parser.parse(bytes, output.schema?.json)
  const absent = !parsed.ok && mayBeEmpty && bytes.length === 0
  if (!parsed.ok && !absent) {
    const message = conceal === undefined ? parsed.message : conceal(parsed.message)
    return failed(bytes, 'error', { code: 'parse', message, exit: EXIT_RESPONSE })
  }
  const found = parsed.ok ? parsed.value : null
  const value = conceal === undefined ? found : mapText(found, conceal)
  const violation = output.schema?.check(value)
  if (violation === undefined) return { status: 'success', results: value }
  return {
    status: 'schema_error',
    results: { schema_error: violation, raw_output: decodeLossy(bytes) },
    failure: { code: 'schema_error', message: `output schema validation failed: ${violation}`, exit: EXIT_RESPONSE },
  }
}

/** Every text of a value, names too. Parsers bound the depth. */
function mapText(value: JsonValue, map: (text: string) => string): JsonValue {
  if (typeof value === 'string') return map(value)
  if (typeof value === 'number') return mapNumber(value, map)
  if (isJsonArray(value)) return value.map(item => mapText(item, map))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [map(name), mapText(entry, map)]))
}

/** `12345678` may have come as `1234567.8e1`. */
function mapNumber(value: number, map: (text: string) => string): JsonValue {
  const text = String(value)
  const mapped = map(text)
  return mapped === text ? value : mapped
}

interface Reason {
  /** Goes into `results.error`; without one the envelope's other fields say it all. */
  readonly code?: string
  readonly message: string
  readonly exit?: number
}

export function failed(
  bytes: Uint8Array,
  status: Exclude<Status, 'success' | 'schema_error' | 'delegation_preview'>,
  { code, message, exit = EXIT_EXECUTION }: Reason,
): Judged {
  const error = code === undefined ? {} : { error: { code, message } }
  return {
    status,
    results: { raw_output: decodeLossy(bytes), ...error },
    failure: { code: code === undefined || code === 'parse' ? status : code, message, exit },
  }
}

export function cancelled(bytes: Uint8Array): Judged {
  const { message, exit } = ERRORS.cancelled
  return failed(bytes, 'error', { code: 'cancelled', message, exit })
}
