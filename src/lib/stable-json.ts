import type { JsonValue } from '../core/json.ts'
import { isJsonArray } from './json-array.ts'

/** One text for one value: keys sorted by code unit, no white space. What is hashed is written like this. */
export function stableJson(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(item => stableJson(item)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${stableJson(member)}`)
  return `{${members.join(',')}}`
}
