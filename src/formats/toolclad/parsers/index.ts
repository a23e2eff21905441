import { json } from './json.ts'
import type { OutputParser } from './parser.ts'
import { text } from './text.ts'

/** The parsers this version runs. The specification's others load to `unsupported` until they stand here. */
export const PARSERS: ReadonlyMap<string, OutputParser> = new Map([text, json].map(parser => [parser.name, parser]))
