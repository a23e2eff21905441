import { isJsonObject } from '../core/json.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import { isJsonArray } from './json-array.ts'
import { isMultipleOf } from './multiple-of.ts'
import { compileUnanchored } from './regex.ts'
import { stableJson } from './stable-json.ts'

export interface SchemaProblem {
  readonly kind: 'keyword' | 'shape' | 'pattern'
  /** JSON Pointer into the schema. */
  readonly path: string
  readonly message: string
  readonly hint?: string
}

/** The first violation of a value that stands at `path` (`$.hosts[0]`), or nothing. */
export type Check = (value: JsonValue, path: string) => string | undefined

/** Where a keyword stands. What is wrong with the keyword itself is reported, and then it checks nothing. */
interface Site {
  readonly schema: JsonObject
  readonly expected: (what: string) => void
  readonly badPattern: (why: string) => void
  /** Compiles a schema inside this keyword; `steps` lead to it from the keyword. */
  readonly compile: (schema: JsonValue, steps: readonly (string | number)[]) => Check
}

type Keyword = (value: JsonValue, site: Site) => Check | undefined | void

/** One row per keyword (ruling ToolClad 25), in the vocabulary of JSON Schema 2020-12. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['type', type],
  ['enum', oneOfValues],
  ['const', value => isEqualTo([value])],
  ['minimum', bound('at least', (n, limit) => n >= limit)],
  ['maximum', bound('at most', (n, limit) => n <= limit)],
  ['exclusiveMinimum', bound('more than', (n, limit) => n > limit)],
  ['exclusiveMaximum', bound('less than', (n, limit) => n < limit)],
  ['multipleOf', multipleOf],
  ['minLength', count(characters, (n, limit) => n >= limit, 'at least', 'characters')],
  ['maxLength', count(characters, (n, limit) => n <= limit, 'at most', 'characters')],
  ['pattern', pattern],
  ['minItems', count(items, (n, limit) => n >= limit, 'at least', 'items')],
  ['maxItems', count(items, (n, limit) => n <= limit, 'at most', 'items')],
  ['uniqueItems', uniqueItems],
  ['items', each],
  ['minProperties', count(members, (n, limit) => n >= limit, 'at least', 'properties')],
  ['maxProperties', count(members, (n, limit) => n <= limit, 'at most', 'properties')],
  ['required', required],
  ['properties', properties],
  ['additionalProperties', additionalProperties],
  ['anyOf', anyOf],
  ['oneOf', oneOf],
  ['allOf', allOf],
  ['not', not],
])

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

function type(value: JsonValue, site: Site): Check | void {
  const names = (isJsonArray(value) ? value : [value]).filter(name => typeof name === 'string')
  const written = isJsonArray(value) ? value.length : 1
  if (names.length !== written || written === 0 || !names.every(name => TYPES.includes(name)))
    return site.expected(`one of ${TYPES.join(', ')}, or a list of them`)
  return (data, path) => {
    const own = typeOf(data)
    const fits = names.includes(own) || (own === 'integer' && names.includes('number'))
    return fits ? undefined : `${path}: must be ${names.join(' or ')}, not ${own}`
  }
}

/** 1.0 is an integer. */
function typeOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (isJsonArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function oneOfValues(value: JsonValue, site: Site): Check | void {
  return isJsonArray(value) && value.length > 0 ? isEqualTo(value) : site.expected('an array, not empty')
}

function isEqualTo(allowed: readonly JsonValue[]): Check {
  const texts = new Set(allowed.map(item => stableJson(item)))
  return (data, path) => (texts.has(stableJson(data)) ? undefined : `${path}: must be ${[...texts].join(' or ')}`)
}

function bound(words: string, holds: (n: number, limit: number) => boolean): Keyword {
  return (limit, site) => {
    if (typeof limit !== 'number') return site.expected('a number')
    return (data, path) =>
      typeof data !== 'number' || holds(data, limit) ? undefined : `${path}: must be ${words} ${limit}`
  }
}

function multipleOf(value: JsonValue, site: Site): Check | void {
  if (typeof value !== 'number' || value <= 0) return site.expected('a number above 0')
  return (data, path) =>
    typeof data !== 'number' || isMultipleOf(data, value) ? undefined : `${path}: must be a multiple of ${value}`
}

function count(
  measure: (data: JsonValue) => number | undefined,
  holds: (n: number, limit: number) => boolean,
  ...words: readonly [string, string]
): Keyword {
  return (limit, site) => {
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0)
      return site.expected('a whole number of at least 0')
    return (data, path) => {
      const size = measure(data)
      return size === undefined || holds(size, limit)
        ? undefined
        : `${path}: must have ${words[0]} ${limit} ${words[1]}`
    }
  }
}

/** Code points, not UTF-16 units. */
function characters(data: JsonValue): number | undefined {
  if (typeof data !== 'string') return undefined
  let size = 0
  for (const _ of data) size++
  return size
}

function items(data: JsonValue): number | undefined {
  return isJsonArray(data) ? data.length : undefined
}

function members(data: JsonValue): number | undefined {
  return isJsonObject(data) ? Object.keys(data).length : undefined
}

function pattern(value: JsonValue, site: Site): Check | void {
  if (typeof value !== 'string') return site.expected('a string')
  const compiled = compileUnanchored(value)
  if (!compiled.ok) return site.badPattern(compiled.message)
  return (data, path) =>
    typeof data !== 'string' || compiled.test(data) ? undefined : `${path}: must match the pattern ${value}`
}

function uniqueItems(value: JsonValue, site: Site): Check | void {
  if (typeof value !== 'boolean') return site.expected('true or false')
  return (data, path) => {
    if (!value || !isJsonArray(data)) return undefined
    const texts = new Set(data.map((item: JsonValue) => stableJson(item)))
    return texts.size === data.length ? undefined : `${path}: must not hold the same item twice`
  }
}

function each(value: JsonValue, site: Site): Check {
  const check = site.compile(value, [])
  return (data, path) => {
    if (!isJsonArray(data)) return undefined
    for (const [index, item] of data.entries()) {
      const violation = check(item, `${path}[${index}]`)
      if (violation !== undefined) return violation
    }
    return undefined
  }
}

function required(value: JsonValue, site: Site): Check | void {
  if (!isJsonArray(value) || !value.every(name => typeof name === 'string')) return site.expected('an array of strings')
  return (data, path) => {
    if (!isJsonObject(data)) return undefined
    const missing = value.find((name: string) => !Object.hasOwn(data, name))
    return missing === undefined ? undefined : `${path}: must have the property ${JSON.stringify(missing)}`
  }
}

function properties(value: JsonValue, site: Site): Check | void {
  if (!isJsonObject(value)) return site.expected('a table')
  const checks = Object.entries(value).map(([name, schema]) => ({ name, check: site.compile(schema, [name]) }))
  return (data, path) => {
    if (!isJsonObject(data)) return undefined
    for (const { name, check } of checks) {
      const violation = Object.hasOwn(data, name) ? check(data[name] ?? null, member(path, name)) : undefined
      if (violation !== undefined) return violation
    }
    return undefined
  }
}

function additionalProperties(value: JsonValue, site: Site): Check {
  const check = site.compile(value, [])
  const declared = site.schema['properties'] ?? null
  const known = new Set(isJsonObject(declared) ? Object.keys(declared) : [])
  return (data, path) => {
    if (!isJsonObject(data)) return undefined
    for (const [name, item] of Object.entries(data)) {
      const violation = known.has(name) ? undefined : check(item, member(path, name))
      if (violation !== undefined) return violation
    }
    return undefined
  }
}

function member(path: string, name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`
}

function branches(value: JsonValue, site: Site): readonly Check[] | void {
  if (!isJsonArray(value) || value.length === 0) return site.expected('an array of schemas, not empty')
  return value.map((schema: JsonValue, index) => site.compile(schema, [index]))
}

function anyOf(value: JsonValue, site: Site): Check | void {
  const checks = branches(value, site)
  return checks && ((data, path) => (passing(checks, data) > 0 ? undefined : `${path}: must fit one schema of anyOf`))
}

function oneOf(value: JsonValue, site: Site): Check | void {
  const checks = branches(value, site)
  return (
    checks &&
    ((data, path) => (passing(checks, data) === 1 ? undefined : `${path}: must fit exactly one schema of oneOf`))
  )
}

function passing(checks: readonly Check[], data: JsonValue): number {
  return checks.filter(check => check(data, '$') === undefined).length
}

function allOf(value: JsonValue, site: Site): Check | void {
  const checks = branches(value, site)
  if (!checks) return undefined
  return (data, path) => {
    for (const check of checks) {
      const violation = check(data, path)
      if (violation !== undefined) return violation
    }
    return undefined
  }
}

function not(value: JsonValue, site: Site): Check {
  const check = site.compile(value, [])
  return (data, path) => (check(data, path) === undefined ? `${path}: must not fit the schema of "not"` : undefined)
}
