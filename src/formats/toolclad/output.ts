import { isJsonObject } from '../../core/json.ts'
import type { JsonValue } from '../../core/json.ts'
import { compileSchema } from '../../lib/json-schema.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { PARSERS } from './parsers/index.ts'
import { text } from './parsers/text.ts'
import { xmlWithBareDoctype } from './parsers/xml.ts'
import type { Deployment } from '../format.ts'
import type { OutputParser } from './parsers/parser.ts'
import type { Problems } from './problems.ts'
import { OUTPUT } from './schema.ts'
import { hasKey, pathOf, readBoolean, readInteger, readSection, readString, tomlToJson } from './section.ts'
import type { Section } from './section.ts'
import { ARRAY_PARSERS, FORMATS, IGNORED_KEYWORDS, MAX_CAPTURE, PARSER_PREFIX, SENTENCES } from './spec.ts'

/** `[output]`, read and compiled (ToolClad spec, Output Handling; rulings 25 and 26). */
export interface Output {
  readonly parser: OutputParser
  readonly envelope: boolean
  readonly maxBytes: number
  readonly schema: OutputSchema | undefined
}

interface OutputSchema {
  readonly json: JsonValue
  readonly check: (value: JsonValue) => string | undefined
}

export function readOutput(manifest: Section, { allowBareDoctype }: Deployment, problems: Problems): Output {
  const output = readSection(manifest, 'output', OUTPUT)
  const parserName = readParserName(output, problems)
  const schema = readSchema(output, problems)
  const wantsObject = isJsonObject(schema?.json) && schema.json['type'] === 'object'
  if (wantsObject && ARRAY_PARSERS.includes(parserName))
    problems.warning(
      'schema_array',
      pathOf(output, 'schema'),
      `the parser ${PARSER_PREFIX}${parserName} yields an array, which a schema of type object always refuses`,
    )
  return {
    parser: parserName === 'xml' && allowBareDoctype ? xmlWithBareDoctype : (PARSERS.get(parserName) ?? text),
    envelope: readBoolean(output, 'envelope'),
    maxBytes: readMaxBytes(output, problems),
    schema,
  }
}

/** The parser follows from the format unless one is named. */
function readParserName(output: Section<typeof OUTPUT>, problems: Problems): string {
  const format = readString(output, 'format')
  if (!FORMATS.some(known => known === format)) {
    const near = nearest(format, FORMATS)
    const message = `invalid format '${format}', must be one of: ${FORMATS.join(', ')}`
    problems.error('bad_format', pathOf(output, 'format'), message + didYouMean(near), near)
  }
  const parser = readString(output, 'parser')
  const name = parser === undefined ? format : parser.slice(PARSER_PREFIX.length)
  const path = pathOf(output, parser === undefined ? 'format' : 'parser')
  if (parser !== undefined && (!parser.startsWith(PARSER_PREFIX) || !FORMATS.some(known => known === name))) {
    const near = nearest(
      parser,
      FORMATS.map(known => PARSER_PREFIX + known),
    )
    problems.error('custom_parser', path, SENTENCES.customParser + didYouMean(near), near)
  }
  return name
}

function readMaxBytes(output: Section<typeof OUTPUT>, problems: Problems): number {
  const bytes = readInteger(output, 'max_bytes')
  if (bytes < 1n || bytes > MAX_CAPTURE)
    problems.error('bad_bounds', pathOf(output, 'max_bytes'), `max_bytes must be 1 to ${MAX_CAPTURE}, not ${bytes}`)
  return Number(bytes)
}

const SCHEMA_CODES = { keyword: 'schema_keyword', shape: 'wrong_type', pattern: 'pattern_invalid' } as const

/** Without `[output.schema]` nothing is checked. */
function readSchema(output: Section<typeof OUTPUT>, problems: Problems): OutputSchema | undefined {
  const written = hasKey(output, 'schema') ? output.table['schema'] : undefined
  if (written === undefined) return undefined
  const json = tomlToJson(written)
  const compiled = compileSchema(json, IGNORED_KEYWORDS)
  if (compiled.ok) return { json, check: compiled.check }
  for (const { kind, path, message, hint } of compiled.problems)
    problems.error(SCHEMA_CODES[kind], pathOf(output, 'schema') + path, message + didYouMean(hint), hint)
  return undefined
}
