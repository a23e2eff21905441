import type { JsonValue } from '../../../core/json.ts'
import type { FORMATS } from '../spec.ts'

/** One of the specification's output parsers (ToolClad spec, Output Handling). */
export interface OutputParser {
  readonly name: (typeof FORMATS)[number]
  /** How files with this output are called. */
  readonly extension: 'txt' | 'json'
  /** Pure, total and linear in the bytes. */
  readonly parse: (output: Uint8Array) => Parsed
}

export type Parsed = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly message: string }
