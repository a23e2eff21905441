import type { JsonValue } from '../../../core/json.ts'
import type { FORMATS } from '../spec.ts'

/** One of the specification's output parsers (ToolClad spec, Output Handling). */
export interface OutputParser {
  readonly name: (typeof FORMATS)[number]
  /** How files with this output are called. */
  readonly extension: 'txt' | 'json' | 'jsonl' | 'csv' | 'xml'
  /**
   * Pure, total and linear in the bytes; a promise where the parser loads its package when the first output comes. Only `xml`
   * asks the schema, where an array of one cannot be told from one.
   */
  readonly parse: (output: Uint8Array, schema?: JsonValue) => Parsed | Promise<Parsed>
}

export type Parsed = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly message: string }
