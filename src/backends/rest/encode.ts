// How values stand in a URL (ruling DADL 10). What is encoded here is never decoded or encoded again.
import { isJsonObject } from '../../core/json.ts'
import type { JsonValue } from '../../core/json.ts'
import { toDecimal } from '../../lib/decimal.ts'
import { encodeComponent } from '../../lib/encode-component.ts'
import { isJsonArray } from '../../lib/json-array.ts'

/** Text as it is, numbers without an exponent, `true` and `false`; lists and objects as JSON. */
export function toText(value: JsonValue): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? toDecimal(value) : JSON.stringify(value)
}

/** A list repeats its key, an object is `key[sub]`, a list in an object repeats `key[sub]`. Nulls are left out. */
export function toQuery(name: string, value: JsonValue): readonly string[] {
  if (value === null) return []
  if (isJsonArray(value)) return value.flatMap(item => (isJsonObject(item) ? toQuery(name, item) : pair(name, item)))
  if (isJsonObject(value)) return Object.entries(value).flatMap(([sub, inner]) => toQuery(`${name}[${sub}]`, inner))
  return pair(name, value)
}

/** Lists are joined by commas, without their nulls. */
export function toHeader(value: JsonValue): string {
  return isJsonArray(value)
    ? value
        .filter(item => item !== null)
        .map(toText)
        .join(',')
    : toText(value)
}

function pair(name: string, value: JsonValue): readonly string[] {
  return value === null ? [] : [`${encodeComponent(name)}=${encodeComponent(toText(value))}`]
}
