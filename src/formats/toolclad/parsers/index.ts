import { csv } from './csv.ts'
import { json } from './json.ts'
import { jsonl } from './jsonl.ts'
import type { OutputParser } from './parser.ts'
import { text } from './text.ts'
import { xml } from './xml.ts'

/** By name, without the prefix `builtin:`. */
export const PARSERS: ReadonlyMap<string, OutputParser> = new Map(
  [text, json, jsonl, csv, xml].map(parser => [parser.name, parser]),
)
