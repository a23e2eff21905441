import { decodeLossy } from './decode.ts'
import type { OutputParser } from './parser.ts'

export const text: OutputParser = {
  name: 'text',
  extension: 'txt',
  parse: output => ({ ok: true, value: { raw_output: decodeLossy(output) } }),
}
