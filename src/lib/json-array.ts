import type { JsonValue } from '../core/json.ts'

/** `Array.isArray` that keeps the items typed. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}
