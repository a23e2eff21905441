// Reading the parts of a manifest. `checkKeys` reports every key that is unknown or of the wrong kind, once and everywhere;
// the readers below then hand out values that are right, and the default or nothing for all others.
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { toPointer } from '../../lib/pointer.ts'
import { isTomlArray, isTomlTable } from '../../lib/toml.ts'
import type { TomlTable, TomlValue } from '../../lib/toml.ts'
import type { Problems } from './problems.ts'
import type { Kind, Row, Rows } from './schema.ts'
import { MAX_INT64, MIN_INT64 } from './spec.ts'

/** A table of the manifest, its rows, and where it stands. An absent one is empty. */
export interface Section<R extends Rows = Rows> {
  readonly rows: R
  readonly table: TomlTable
  readonly path: string
}

type KeyOf<R extends Rows, K extends Kind> = {
  [Key in keyof R]: R[Key] extends { readonly kind: K } ? Key : never
}[keyof R] &
  string
type DefaultedKey<R extends Rows, K extends Kind> = {
  [Key in keyof R]: R[Key] extends { readonly kind: K; readonly default: unknown } ? Key : never
}[keyof R] &
  string

export function checkKeys(section: Section, problems: Problems, allowUnknownKeys: boolean): void {
  const { rows, table, path } = section
  for (const [key, value] of Object.entries(table)) {
    const at = path + toPointer([key])
    const row = rowOf(rows, key)
    if (row !== undefined) checkRow(row, value, { at, problems, allowUnknownKeys })
    else reportUnknown(section, key, allowUnknownKeys ? problems.warning : problems.error)
  }
}

interface Place {
  readonly at: string
  readonly problems: Problems
  readonly allowUnknownKeys: boolean
}

function checkRow(row: Row, value: TomlValue, place: Place): void {
  const { at, problems, allowUnknownKeys } = place
  if ('kind' in row) {
    checkKind(row.kind, value, place)
    return
  }
  if (!isTomlTable(value)) {
    problems.error('wrong_type', at, `${name(at)} must be a table, not ${kindOf(value)}`)
    return
  }
  if ('rows' in row) checkKeys({ rows: row.rows, table: value, path: at }, problems, allowUnknownKeys)
  else
    for (const [key, entry] of Object.entries(value)) checkRow(row.each, entry, { ...place, at: at + toPointer([key]) })
}

function checkKind(kind: Kind, value: TomlValue, { at, problems }: Place): void {
  const item = ITEMS.get(kind)
  if (item !== undefined && isTomlArray(value)) {
    for (const [index, entry] of value.entries())
      if (!KINDS[item].is(entry))
        problems.error(
          'wrong_type',
          at + toPointer([index]),
          `${name(at)} must hold ${KINDS[item].words} only, not ${kindOf(entry)}`,
        )
    return
  }
  if (!KINDS[kind].is(value))
    problems.error('wrong_type', at, `${name(at)} must be ${KINDS[kind].words}, not ${kindOf(value)}`)
}

const ITEMS: ReadonlyMap<Kind, Kind> = new Map<Kind, Kind>([
  ['strings', 'string'],
  ['integers', 'integer'],
])

const KINDS: Readonly<Record<Kind, { readonly is: (value: TomlValue) => boolean; readonly words: string }>> = {
  string: { is: value => typeof value === 'string', words: 'a string' },
  boolean: { is: value => typeof value === 'boolean', words: 'true or false' },
  integer: { is: isInt64, words: 'a 64-bit integer' },
  number: { is: value => typeof value === 'number' || isInt64(value), words: 'a number' },
  scalar: {
    is: value => isScalar(value) && (typeof value !== 'bigint' || isInt64(value)),
    words: 'a string, number or boolean',
  },
  strings: { is: () => false, words: 'an array of strings' },
  integers: { is: () => false, words: 'an array of integers' },
  value: { is: () => true, words: 'any value' },
}

function isInt64(value: TomlValue): value is bigint {
  return typeof value === 'bigint' && value >= MIN_INT64 && value <= MAX_INT64
}

function kindOf(value: TomlValue): string {
  if (isTomlArray(value)) return 'an array'
  if (isTomlTable(value)) return 'a table'
  if (typeof value === 'string') return 'a string'
  if (typeof value === 'boolean') return 'a boolean'
  if (typeof value === 'bigint') return isInt64(value) ? 'an integer' : 'an integer of more than 64 bits'
  return typeof value === 'number' ? 'a float' : 'a date'
}

function reportUnknown(section: Section, key: string, report: Problems['error']): void {
  const near = nearest(key, Object.keys(section.rows))
  const where = section.path === '' ? 'at the top level' : `in ${name(section.path)}`
  report('unknown_key', section.path + toPointer([key]), `unknown key "${key}" ${where}${didYouMean(near)}`, near)
}

/** `/tool/evidence` as an author would say it: `[tool.evidence]`. */
function name(path: string): string {
  return `[${path.slice(1).replaceAll('/', '.')}]`
}

function rowOf(rows: Rows, key: string): Row | undefined {
  return Object.hasOwn(rows, key) ? rows[key] : undefined
}

// ---- readers

export function hasKey<R extends Rows>(section: Section<R>, key: keyof R & string): boolean {
  return Object.hasOwn(section.table, key)
}

export function pathOf<R extends Rows>(section: Section<R>, key: keyof R & string): string {
  return section.path + toPointer([key])
}

export function readString<R extends Rows>(section: Section<R>, key: DefaultedKey<R, 'string'>): string
export function readString<R extends Rows>(section: Section<R>, key: KeyOf<R, 'string'>): string | undefined
export function readString(section: Section, key: string): string | undefined {
  const value = readValue(section, key) ?? defaultOf(section, key)
  return typeof value === 'string' ? value : undefined
}

export function readInteger<R extends Rows>(section: Section<R>, key: DefaultedKey<R, 'integer'>): bigint
export function readInteger<R extends Rows>(section: Section<R>, key: KeyOf<R, 'integer'>): bigint | undefined
export function readInteger(section: Section, key: string): bigint | undefined {
  const value = readValue(section, key) ?? defaultOf(section, key)
  return typeof value === 'bigint' ? value : undefined
}

/** An integer or a float as a double. */
export function readNumber<R extends Rows>(
  section: Section<R>,
  key: KeyOf<R, 'integer'> | KeyOf<R, 'number'>,
): number | undefined {
  const value = readValue(section, key)
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : undefined
}

/** False where neither the manifest nor the row says more. */
export function readBoolean<R extends Rows>(section: Section<R>, key: KeyOf<R, 'boolean'>): boolean {
  return (readValue(section, key) ?? defaultOf(section, key)) === true
}

export function readStrings<R extends Rows>(
  section: Section<R>,
  key: KeyOf<R, 'strings'>,
): readonly string[] | undefined {
  const value = readValue(section, key)
  return value !== undefined && isTomlArray(value) && value.every(item => typeof item === 'string') ? value : undefined
}

/** A string, number or boolean as text, the way a caller would write it. */
export function toText(value: TomlValue | undefined): string | undefined {
  return isScalar(value) && KINDS.scalar.is(value) ? String(value) : undefined
}

function isScalar(value: TomlValue | undefined): value is string | bigint | number | boolean {
  return ['string', 'bigint', 'number', 'boolean'].includes(typeof value)
}

/** Anything a manifest says under a key, if it has the kind the key wants. */
export function readValue(section: Section, key: string): TomlValue | undefined {
  const value = Object.hasOwn(section.table, key) ? section.table[key] : undefined
  const row = rowOf(section.rows, key)
  if (value === undefined || row === undefined || !('kind' in row) || ITEMS.has(row.kind)) return value
  return KINDS[row.kind].is(value) ? value : undefined
}

function defaultOf(section: Section, key: string): string | bigint | boolean | undefined {
  const row = rowOf(section.rows, key)
  return row !== undefined && 'kind' in row ? row.default : undefined
}

/** The table under a key, with the rows it is known to have. */
export function readSection<R extends Rows>(parent: Section, key: string, rows: R): Section<R> {
  const value = Object.hasOwn(parent.table, key) ? parent.table[key] : undefined
  return { rows, table: isTomlTable(value) ? value : {}, path: parent.path + toPointer([key]) }
}

/** The manifest as plain JSON with every default of a present section filled in; unknown keys are left out. */
export function toDefinition(rows: Rows, table: TomlTable): JsonObject {
  const entries = Object.entries(rows).flatMap(([key, row]): readonly [string, JsonValue][] => {
    const value = Object.hasOwn(table, key) ? table[key] : 'kind' in row ? row.default : undefined
    return value === undefined ? [] : [[key, rowToJson(row, value)]]
  })
  return Object.fromEntries(entries)
}

function rowToJson(row: Row, value: TomlValue): JsonValue {
  if ('kind' in row || !isTomlTable(value)) return tomlToJson(value)
  if ('rows' in row) return toDefinition(row.rows, value)
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, rowToJson(row.each, entry)]))
}

/** Integers that no JSON number holds exactly become strings, as do dates and floats that are not finite. */
export function tomlToJson(value: TomlValue): JsonValue {
  if (isTomlArray(value)) return value.map(item => tomlToJson(item))
  if (isTomlTable(value))
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, tomlToJson(entry)]))
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  return typeof value === 'string' || typeof value === 'boolean' ? value : value.toISOString()
}
