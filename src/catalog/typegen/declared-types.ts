// The types of an API as one graph: their identifiers, and which of them stand directly in which.
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { isJsonArray } from '../../lib/json-array.ts'
import { fromPointer } from '../../lib/pointer.ts'
import { typeNames } from './names.ts'

type Types = Readonly<Record<string, JsonObject>>

export interface DeclaredTypes {
  readonly types: Types
  /** The identifier of each. */
  readonly names: ReadonlyMap<string, string>
  /** Those that lead back to themselves without an object or array between: no alias may do that. */
  readonly knots: ReadonlySet<string>
  /** How many members each has as a union, about. */
  readonly widths: ReadonlyMap<string, number>
}

/** Deeper inside one schema nothing is looked at. */
export const MAX_DEPTH = 32

export function declareTypes(types: Types): DeclaredTypes {
  const names = Object.keys(types)
  const contained = new Map(names.map(name => [name, directReferences(types[name], types)]))
  const containers = new Map(names.map((name): [string, string[]] => [name, []]))
  for (const [name, inner] of contained) for (const other of inner) containers.get(other)?.push(name)

  // From those that contain none upwards; what is never reached stands in a circle, or above one.
  const widths = new Map<string, number>()
  const above = peel(contained, containers, name => widths.set(name, widthOf(types[name], { types, widths })))
  const below = peel(containers, contained)
  const knots = new Set(names.filter(name => above.has(name) && below.has(name)))
  for (const name of above) widths.set(name, widthOf(types[name], { types, widths }))
  return { types, names: typeNames(names), knots, widths }
}

/** The declared type a schema's `$ref` names. */
export function referenced(schema: JsonObject, types: Types): string | undefined {
  const { $ref: reference } = schema
  if (typeof reference !== 'string' || !reference.startsWith('#/types/')) return undefined
  const [, name = '', ...more] = fromPointer(reference.slice(1))
  return more.length === 0 && Object.hasOwn(types, name) ? name : undefined
}

/** The types a schema names, and those they name. */
export function collectTypes(schema: JsonValue | undefined, types: Types, into: Set<string>): void {
  const waiting: (JsonValue | undefined)[] = [schema]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    const name = isJsonObject(next) ? referenced(next, types) : undefined
    if (name !== undefined && !into.has(name)) {
      into.add(name)
      waiting.push(types[name])
    }
    for (const inner of Object.values(next)) waiting.push(inner)
  }
}

type Edges = ReadonlyMap<string, Iterable<string>>

/** Takes away, again and again, what leads nowhere any more; gives what stays. */
function peel(to: Edges, from: Edges, taken: (name: string) => void = () => {}): ReadonlySet<string> {
  const open = new Map([...to].map(([name, edges]) => [name, [...edges].length]))
  const free = [...open].filter(([, count]) => count === 0).map(([name]) => name)
  for (let name = free.pop(); name !== undefined; name = free.pop()) {
    open.delete(name)
    taken(name)
    for (const other of from.get(name) ?? []) {
      const count = (open.get(other) ?? 0) - 1
      open.set(other, count)
      if (count === 0) free.push(other)
    }
  }
  return new Set(open.keys())
}

const COMBINED = ['oneOf', 'anyOf', 'allOf'] as const

function directReferences(schema: JsonValue | undefined, types: Types, depth = 0): ReadonlySet<string> {
  if (schema === undefined || !isJsonObject(schema) || depth > MAX_DEPTH) return new Set()
  const name = referenced(schema, types)
  if (name !== undefined) return new Set([name])
  const found = new Set<string>()
  for (const key of COMBINED)
    for (const one of listOf(schema[key])) for (const inner of directReferences(one, types, depth + 1)) found.add(inner)
  return found
}

/** How many members a schema has as a union, about; one where that is not known yet. */
function widthOf(schema: JsonValue | undefined, declared: Pick<DeclaredTypes, 'types' | 'widths'>, depth = 0): number {
  if (schema === undefined || !isJsonObject(schema) || depth > MAX_DEPTH) return 1
  const name = referenced(schema, declared.types)
  if (name !== undefined) return declared.widths.get(name) ?? 1
  const { type } = schema
  if (isJsonArray(schema['enum'])) return schema['enum'].length
  const width = (one: JsonValue): number => widthOf(one, declared, depth + 1)
  const sum = (list: readonly JsonValue[]): number => list.reduce<number>((total, one) => total + width(one), 0) || 1
  const own = isJsonArray(type) ? type.length + 1 : type === 'boolean' ? 2 : 1
  const all = listOf(schema['allOf']).reduce<number>((product, one) => product * width(one), 1)
  return Math.min(Number.MAX_SAFE_INTEGER, own * sum(listOf(schema['oneOf'])) * sum(listOf(schema['anyOf'])) * all)
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonArray(value) ? value : []
}
