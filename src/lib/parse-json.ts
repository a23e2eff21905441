import type { JsonValue } from '../core/json.ts'

/** `JSON.parse` with its type: throws a `SyntaxError`, and gives `__proto__` as data. */
export function parseJson(text: string): JsonValue {
  const value: unknown = JSON.parse(text)
  if (!isJson(value)) throw new SyntaxError('not JSON')
  return value
}

/** `JSON.parse` without a reviver gives nothing but JSON. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined
}
