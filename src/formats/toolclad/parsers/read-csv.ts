// Ruling 26: a header and its rows become a list of objects.
import { CsvError, parse } from 'csv-parse/sync'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { MAX_CSV_CELLS } from '../spec.ts'
import { decodeStrict } from './decode.ts'
import type { Parsed } from './parser.ts'

export function readCsv(output: Uint8Array): Parsed {
  const text = decodeStrict(output)
  if (text === undefined) return { ok: false, message: 'the output is not UTF-8 text' }
  try {
    return toObjects(tableOf(text))
  } catch (error) {
    if (error instanceof CsvError) return { ok: false, message: `the output is not CSV: ${error.message}` }
    throw error
  }
}

interface Table {
  readonly records: readonly (readonly string[])[]
  /** The line of the file at which each record ends. */
  readonly lines: readonly number[]
}

function tableOf(text: string): Table {
  const lines: number[] = []
  const records = parse(text, {
    delimiter: delimiterOf(text),
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    on_record: (record: string[], context) => {
      lines.push(context.lines)
      return record
    },
  })
  return { records, lines }
}

function toObjects({ records: [header = [], ...rows], lines }: Table): Parsed {
  const names = header.map(name => name.trim())
  if (names.includes('')) return { ok: false, message: 'a column has no name' }
  const repeated = firstRepeated(names)
  if (repeated !== undefined) return { ok: false, message: `two columns are named "${repeated}"` }
  if (names.length * rows.length > MAX_CSV_CELLS)
    return { ok: false, message: `the table has more than ${MAX_CSV_CELLS} cells` }
  const objects: JsonObject[] = []
  for (const [index, row] of rows.entries()) {
    if (row.length > names.length) {
      const message = `line ${lines[index + 1]}: ${row.length} cells, but the header has ${names.length}`
      return { ok: false, message }
    }
    objects.push(Object.fromEntries(names.map((name, column) => [name, toValue(row[column])])))
  }
  return { ok: true, value: objects }
}

function firstRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return names.find(name => seen.size === seen.add(name).size)
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** A number or a boolean where the cell is written as one and nothing is lost; an absent cell is null. */
function toValue(cell: string | undefined): JsonValue {
  if (cell === undefined) return null
  if (cell === 'true' || cell === 'false') return cell === 'true'
  if (!NUMBER.test(cell)) return cell
  const value = Number(cell)
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : cell
}

/** Tab, else `|`, else the comma: the first of them that stands in the header, outside quotes. */
function delimiterOf(text: string): string {
  let quoted = false
  let mayQuote = true
  const found = new Set<string>()
  for (const character of text.trimStart()) {
    if (quoted) quoted = character !== '"'
    else if (character === '\n') break
    else if (character === '"' && mayQuote) quoted = true
    else found.add(character)
    mayQuote = quoted || '\t|,"'.includes(character)
  }
  return ['\t', '|'].find(delimiter => found.has(delimiter)) ?? ','
}
