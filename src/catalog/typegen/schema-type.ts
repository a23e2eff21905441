// JSON Schema as TypeScript: the keywords of DADL spec 10, everything else ignored. Whatever the schema, the text compiles.
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { isJsonArray } from '../../lib/json-array.ts'
import { MAX_DEPTH, referenced } from './declared-types.ts'
import type { DeclaredTypes } from './declared-types.ts'
import { commentLine, commentLines, cut, docComment, indent, memberName, quoted } from './text.ts'

/** What schemas are read with. */
export interface TypeContext extends DeclaredTypes {
  /** With descriptions and defaults. */
  readonly documented: boolean
}

/** The compiler multiplies the unions of an intersection out, and gives up at a hundred thousand. */
const MAX_WIDTH = 1000
const LINE_LENGTH = 100
const DEFAULT_LENGTH = 200

/** The type of the values a schema describes, perhaps of several lines. */
export function toType(schema: JsonValue | undefined, context: TypeContext): string {
  return read(schema, { ...context, depth: 0 }).text
}

/** The declaration of one of `types`. */
export function toDeclaration(name: string, context: TypeContext): string {
  const schema = context.types[name] ?? {}
  const identifier = context.names.get(name) ?? name
  const inside = { ...context, depth: 0 }
  const doc = context.documented ? docComment(commentLines(descriptionOf(schema))) : []
  const body = isObjectType(schema)
    ? `interface ${identifier} ${objectText(schema, inside)}`
    : `type ${identifier} = ${read(schema, { ...inside, alias: name }).text};`
  return [...doc, body].join('\n')
}

/** Properties of an object schema: those that are needed first, then by name. */
export function propertiesOf(schema: JsonObject): readonly Property[] {
  const declared = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : []
  const required = new Set(isJsonArray(schema['required']) ? schema['required'].filter(isText) : [])
  const known = new Set(declared.map(([name]) => name))
  const more = [...required].filter(name => !known.has(name))
  return [...declared, ...more.map((name): [string, JsonValue] => [name, {}])]
    .map(([name, property]) => ({
      name,
      schema: property,
      optional: !required.has(name) || (isJsonObject(property) && property['default'] !== undefined),
    }))
    .toSorted((a, b) => Number(a.optional) - Number(b.optional) || (a.name < b.name ? -1 : 1))
}

function isText(value: JsonValue): value is string {
  return typeof value === 'string'
}

export interface Property {
  readonly name: string
  readonly schema: JsonValue
  readonly optional: boolean
}

interface Inside extends TypeContext {
  readonly depth: number
  /** The type alias this stands directly in, not inside of an object or array: it may not lead back to itself. */
  readonly alias?: string
}

interface Text {
  readonly text: string
  readonly joined?: '|' | '&'
  /** How many members it has as a union, at most. */
  readonly width: number
}

const ANY: Text = { text: 'any', width: 1 }

function read(schema: JsonValue | undefined, inside: Inside): Text {
  if (schema === false) return { text: 'never', width: 1 }
  if (schema === undefined || !isJsonObject(schema) || inside.depth > MAX_DEPTH) return ANY
  const deeper = { ...inside, depth: inside.depth + 1 }
  if (schema['$ref'] !== undefined) return readReference(schema, inside)
  if (isJsonArray(schema['enum'])) return union(schema['enum'].map(literal))
  const parts = [
    ...(hasOwnShape(schema) ? [readShape(schema, deeper)] : []),
    ...alternatives(schema['oneOf'], deeper),
    ...alternatives(schema['anyOf'], deeper),
    ...(isJsonArray(schema['allOf']) ? schema['allOf'].map(one => read(one, deeper)) : []),
  ]
  return intersection(parts)
}

function readReference(schema: JsonObject, { types, names, knots, widths, alias }: Inside): Text {
  const name = referenced(schema, types)
  if (name === undefined || (alias !== undefined && knots.has(alias) && knots.has(name))) return ANY
  return { text: names.get(name) ?? 'any', width: widths.get(name) ?? 1 }
}

function alternatives(list: JsonValue | undefined, inside: Inside): readonly Text[] {
  return isJsonArray(list) && list.length > 0 ? [union(list.map(one => read(one, inside)))] : []
}

function hasOwnShape(schema: JsonObject): boolean {
  return ['type', 'properties', 'additionalProperties', 'items'].some(key => schema[key] !== undefined)
}

/** Without what is combined into it. */
function readShape(schema: JsonObject, inside: Inside): Text {
  const { type } = schema
  if (isJsonArray(type)) return union(type.map(one => readTyped(one, schema, inside)))
  if (type !== undefined) return readTyped(type, schema, inside)
  return readTyped(schema['items'] === undefined ? 'object' : 'array', schema, inside)
}

function readTyped(type: JsonValue, schema: JsonObject, inside: Inside): Text {
  if (type === 'object') return { text: objectText(schema, inside), width: 1 }
  if (type === 'array') return { text: arrayText(schema['items'], inside), width: 1 }
  return {
    text: (typeof type === 'string' ? SCALARS.get(type) : undefined) ?? 'any',
    width: type === 'boolean' ? 2 : 1,
  }
}

const SCALARS: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['integer', 'number'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
])

function arrayText(items: JsonValue | undefined, { alias: _outer, ...inside }: Inside): string {
  const { text, joined } = isJsonArray(items) ? union(items.map(one => read(one, inside))) : read(items, inside)
  return joined === undefined ? `${text}[]` : `(${text})[]`
}

function isObjectType(schema: JsonObject): boolean {
  const combined = ['$ref', 'enum', 'oneOf', 'anyOf', 'allOf'].some(key => schema[key] !== undefined)
  return (
    !combined && (schema['type'] === 'object' || (schema['type'] === undefined && isJsonObject(schema['properties'])))
  )
}

function objectText(schema: JsonObject, { alias: _outer, ...inside }: Inside): string {
  const properties = propertiesOf(schema)
  const members = [
    ...properties.map(property => memberText(property, inside)),
    ...indexText(schema, properties.length > 0, inside),
  ]
  return members.length === 0 ? '{}' : braces(members, inside.documented)
}

/** Members on one line where that is short, or nobody wants to read them. */
export function braces(members: readonly string[], documented: boolean): string {
  const line = `{ ${members.join('; ')} }`
  if (!documented || (line.length <= LINE_LENGTH && !line.includes('\n') && !line.includes('/**'))) return line
  return `{\n${indent(members.map(member => `${member};`).join('\n'))}\n}`
}

function memberText({ name, schema, optional }: Property, inside: Inside): string {
  const doc = inside.documented ? docComment(propertyDoc(schema)) : []
  return [...doc, `${memberName(name)}${optional ? '?' : ''}: ${read(schema, inside).text}`].join('\n')
}

function propertyDoc(schema: JsonValue): readonly string[] {
  if (!isJsonObject(schema)) return []
  const lines = commentLines(descriptionOf(schema))
  const { default: preset } = schema
  if (preset === undefined) return lines
  const shown = `Default: ${commentLine(cut(JSON.stringify(preset), DEFAULT_LENGTH))}`
  const [only] = lines
  if (lines.length > 1 || only === undefined) return [...lines, shown]
  return [`${/[.!?]$/.test(only) ? only : `${only}.`} ${shown}`]
}

function descriptionOf({ description }: JsonObject): string {
  return typeof description === 'string' ? description : ''
}

/** Properties that are not named. Beside named ones they are `any`: theirs would have to fit, too. */
function indexText(schema: JsonObject, named: boolean, inside: Inside): readonly string[] {
  const { additionalProperties: additional } = schema
  if (additional === false) return named ? [] : ['[key: string]: never']
  if (additional === undefined && named) return []
  return [`[key: string]: ${named ? 'any' : read(additional, inside).text}`]
}

function literal(value: JsonValue): Text {
  if (typeof value === 'string') return { text: quoted(value), width: 1 }
  if (typeof value === 'number') return { text: Number.isFinite(value) ? String(value) : 'number', width: 1 }
  if (typeof value === 'object' && value !== null) return ANY
  return { text: String(value), width: 1 }
}

function union(parts: readonly Text[]): Text {
  const texts = new Set(parts.map(({ text, joined }) => (joined === '&' ? `(${text})` : text)))
  if (texts.has('any')) return ANY
  const [only] = parts
  if (texts.size === 1 && only !== undefined) return only
  if (texts.size === 0) return { text: 'never', width: 1 }
  return { text: [...texts].join(' | '), joined: '|', width: parts.reduce((sum, { width }) => sum + width, 0) }
}

/** `any` says nothing about the rest, so the rest stays. */
function intersection(parts: readonly Text[]): Text {
  const telling = [...new Map(parts.filter(({ text }) => text !== 'any').map(part => [part.text, part])).values()]
  const [only] = telling
  if (only === undefined) return ANY
  if (telling.length === 1) return only
  const width = telling.reduce((product, part) => product * part.width, 1)
  if (width > MAX_WIDTH) return ANY
  return {
    text: telling.map(({ text, joined }) => (joined === '|' ? `(${text})` : text)).join(' & '),
    joined: '&',
    width,
  }
}
