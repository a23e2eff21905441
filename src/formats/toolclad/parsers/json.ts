import { parseJson } from '../../../lib/parse-json.ts'
import { MAX_OUTPUT_DEPTH } from '../spec.ts'
import { decodeStrict } from './decode.ts'
import type { OutputParser, Parsed } from './parser.ts'

export const json: OutputParser = {
  name: 'json',
  extension: 'json',
  parse: output => {
    const text = decodeStrict(output)
    if (text === undefined) return { ok: false, message: 'the output is not UTF-8 text' }
    return parseJsonText(text)
  },
}

/** One value, nested no deeper than everything that later walks it may recurse. */
export function parseJsonText(text: string): Parsed {
  if (nestsDeeper(text, MAX_OUTPUT_DEPTH))
    return { ok: false, message: `the output is nested deeper than ${MAX_OUTPUT_DEPTH} levels` }
  try {
    return { ok: true, value: parseJson(text) }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown reason'
    return {
      ok: false,
      message: text.trim() === '' ? 'the output is empty, not JSON' : `the output is not JSON: ${why}`,
    }
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Counts brackets outside strings, so that everything that later walks the value may recurse. */
function nestsDeeper(text: string, limit: number): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === BACKSLASH) i++
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > limit) return true
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return false
}
