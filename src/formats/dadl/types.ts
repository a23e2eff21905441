// Schemas of `types` and `returns` with their references resolved (DADL spec 6.5): a bare name where a schema stands, or
// `$ref: "#/backend/types/NAME"`, become `{$ref: "#/types/NAME"}`, as `Api.types` has them.
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { toPointer } from '../../lib/pointer.ts'
import { kindOf } from './issues.ts'

/** Keywords whose value is a schema, a list of schemas, or schemas by name; what others hold is kept as it is. */
const SCHEMA = new Set(['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else'])
const SCHEMAS = new Set(['oneOf', 'anyOf', 'allOf', 'prefixItems'])
const NAMED_SCHEMAS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const REFERENCE = /^#\/backend\/types\/([^/]+)$/

export interface SchemaProblem {
  /** JSON Pointer into the schema. */
  readonly path: string
  readonly problem: string
  /** The type that is not there; absent where the schema has the wrong shape. */
  readonly name?: string
}

export interface ResolvedSchema {
  readonly schema: JsonObject
  readonly problems: readonly SchemaProblem[]
}

export function resolveSchema(schema: unknown, known: ReadonlySet<string>): ResolvedSchema {
  const problems: SchemaProblem[] = []
  const resolved = resolve(schema, '', { known, problems })
  return { schema: isJsonObject(resolved) ? resolved : {}, problems }
}

interface Run {
  readonly known: ReadonlySet<string>
  readonly problems: SchemaProblem[]
}

function resolve(schema: unknown, path: string, run: Run): JsonValue {
  if (typeof schema === 'string') return refer(schema, path, { run, written: `"${schema}"` })
  if (typeof schema === 'boolean') return schema
  if (!isJsonObject(schema)) {
    return misplaced('a schema or the name of a type', schema, path, run)
  }
  const entries = Object.entries(schema).map(([key, value]): readonly [string, JsonValue] => {
    const at = path + toPointer([key])
    if (SCHEMA.has(key)) return [key, Array.isArray(value) ? resolveList(value, at, run) : resolve(value, at, run)]
    if (SCHEMAS.has(key))
      return [key, Array.isArray(value) ? resolveList(value, at, run) : misplaced('a list of schemas', value, at, run)]
    if (NAMED_SCHEMAS.has(key))
      return [key, isJsonObject(value) ? resolveNamed(value, at, run) : misplaced('schemas by name', value, at, run)]
    return [key, key === '$ref' ? refTo(value, at, run) : value]
  })
  return Object.fromEntries(entries)
}

function resolveList(values: readonly JsonValue[], at: string, run: Run): readonly JsonValue[] {
  return values.map((inner, index) => resolve(inner, `${at}/${index}`, run))
}

function resolveNamed(schemas: JsonObject, at: string, run: Run): JsonObject {
  const entries = Object.entries(schemas).map(([name, inner]) => [name, resolve(inner, at + toPointer([name]), run)])
  return Object.fromEntries(entries)
}

function misplaced(expected: string, value: unknown, path: string, { problems }: Run): JsonObject {
  problems.push({ path, problem: `expected ${expected}, found ${kindOf(value)}` })
  return {}
}

function refTo(value: JsonValue, path: string, run: Run): JsonValue {
  const name = typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined
  if (name === undefined) {
    const found = typeof value === 'string' ? `"${value}"` : kindOf(value)
    run.problems.push({ path, problem: `$ref: expected "#/backend/types/NAME", found ${found}`, name: lastOf(value) })
    return '#/types/unknown'
  }
  refer(name, path, { run, written: `"#/backend/types/${name}"` })
  return `#/types/${name}`
}

/** What a reference of another form may have meant. */
function lastOf(value: JsonValue): string {
  return typeof value === 'string' ? (value.split('/').at(-1) ?? '') : ''
}

function refer(
  name: string,
  path: string,
  { run, written }: { readonly run: Run; readonly written: string },
): JsonValue {
  if (!run.known.has(name)) run.problems.push({ path, problem: `the document declares no type ${written}`, name })
  return { $ref: `#/types/${name}` }
}
