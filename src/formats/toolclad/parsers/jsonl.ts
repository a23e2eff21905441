import type { JsonValue } from '../../../core/json.ts'
import { decodeStrict } from './decode.ts'
import { parseJsonText } from './json.ts'
import type { OutputParser } from './parser.ts'

/** One value per line (ruling 26); blank lines are skipped. */
export const jsonl: OutputParser = {
  name: 'jsonl',
  extension: 'jsonl',
  parse: output => {
    const text = decodeStrict(output)
    if (text === undefined) return { ok: false, message: 'the output is not UTF-8 text' }
    const values: JsonValue[] = []
    for (const [index, line] of text.split('\n').entries()) {
      if (line.trim() === '') continue
      const parsed = parseJsonText(line)
      if (!parsed.ok) return { ok: false, message: `line ${index + 1}: ${parsed.message}` }
      values.push(parsed.value)
    }
    return { ok: true, value: values }
  },
}
