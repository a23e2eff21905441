// Ruling 26: `{tag: …}`, attributes as `@name`, text as `#text`, repeated siblings as a list.
import { SaxesParser } from 'saxes'
import { isJsonObject } from '../../../core/json.ts'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { MAX_OUTPUT_DEPTH, TEXT_ENCODINGS } from '../spec.ts'
import { decodeStrict } from './decode.ts'
import type { Parsed } from './parser.ts'

export interface XmlRules {
  readonly schema: JsonValue | undefined
  readonly allowBareDoctype: boolean
}

export function readXml(output: Uint8Array, { schema, allowBareDoctype }: XmlRules): Parsed {
  const text = decodeStrict(output)
  if (text === undefined) return { ok: false, message: 'the output is not UTF-8 text' }
  const declarations = text.match(/<!(?:DOCTYPE|ENTITY)/gi) ?? []
  const bare = allowBareDoctype && declarations.length === 1 && BARE_DOCTYPE.test(text)
  if (declarations.length > 0 && !bare)
    return {
      ok: false,
      message: `the output contains ${declarations[0]}, which is refused: it can read files and grow`,
    }
  const parsed = build(text)
  return parsed.ok ? { ok: true, value: wrapSingles(parsed.value, schema) } : parsed
}

/** Neither an internal subset nor an external identifier; where it may stand, the parser knows. */
const BARE_DOCTYPE = /<!DOCTYPE[ \t\r\n]+[\w.:-]+[ \t\r\n]*>/

interface Element {
  readonly attributes: readonly (readonly [string, string])[]
  readonly children: Map<string, JsonValue[]>
  text: string
}

function build(text: string): Parsed {
  const parser = new SaxesParser()
  const document = emptyElement()
  const open = [document]
  const append = (more: string): void => {
    const element = open.at(-1)
    if (element !== undefined) element.text += more
  }
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !TEXT_ENCODINGS.includes(encoding.toLowerCase()))
      parser.fail(`the encoding ${encoding} is not supported, only UTF-8`)
  })
  parser.on('opentag', ({ attributes }) => {
    if (open.length > MAX_OUTPUT_DEPTH) parser.fail(`nested deeper than ${MAX_OUTPUT_DEPTH} levels`)
    open.push(emptyElement(Object.entries(attributes)))
  })
  parser.on('text', append)
  parser.on('cdata', append)
  parser.on('closetag', ({ name }) => {
    const element = open.pop()
    const siblings = open.at(-1)?.children
    if (element === undefined || siblings === undefined) return
    const same = siblings.get(name)
    if (same === undefined) siblings.set(name, [toObject(element)])
    else same.push(toObject(element))
  })
  let problem: string | undefined
  parser.on('error', ({ message }) => {
    problem ??= message
    throw new NotWellFormed()
  })
  try {
    parser.write(text).close()
  } catch (error) {
    if (!(error instanceof NotWellFormed)) throw error
  }
  if (problem !== undefined) return { ok: false, message: `the output is not well-formed XML: ${problem}` }
  return { ok: true, value: toObject({ ...document, text: '' }) }
}

/** Ends the parsing at the first problem. */
class NotWellFormed extends Error {}

function emptyElement(attributes: Element['attributes'] = []): Element {
  return { attributes, children: new Map(), text: '' }
}

function toObject({ attributes, children, text }: Element): JsonObject {
  const trimmed = text.trim()
  return Object.fromEntries<JsonValue>([
    ...attributes.map(([name, value]) => [`@${name}`, value] as const),
    ...(trimmed === '' ? [] : [['#text', trimmed] as const]),
    ...[...children].map(([name, same]) => [name, same.length === 1 ? (same[0] ?? null) : same] as const),
  ])
}

/** Where the schema says array, one element is an array of one. */
function wrapSingles(value: JsonValue, schema: JsonValue | undefined): JsonValue {
  if (!isJsonObject(schema)) return value
  if (schema['type'] === 'array') {
    const list: readonly JsonValue[] = Array.isArray(value) ? value : [value]
    return list.map(item => wrapSingles(item, schema['items']))
  }
  const { properties } = schema
  if (!isJsonObject(value) || !isJsonObject(properties)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      wrapSingles(member, Object.hasOwn(properties, name) ? properties[name] : undefined),
    ]),
  )
}
