import { isJsonObject } from '../../core/json.ts'
import type { JsonObject } from '../../core/json.ts'

/** The members of an object, none of anything else: for documents that nobody has checked. */
export function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(isJsonObject(value) ? Object.entries(value) : [])
}

/** The members that are objects. */
export function objectsIn(value: unknown): ReadonlyMap<string, JsonObject> {
  return new Map([...membersOf(value)].flatMap(([name, member]) => (isJsonObject(member) ? [[name, member]] : [])))
}
