// A subset of JSON Schema 2020-12, compiled once into closures. Own code because it has to treat every property name as data
// (`__proto__` too), stay linear in the value, and run no generated code; Ajv is the oracle of its tests.
import { isJsonObject } from '../core/json.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import { KEYWORDS } from './json-schema-keywords.ts'
import type { Check, SchemaProblem } from './json-schema-keywords.ts'
import { nearest } from './nearest.ts'
import { toPointer } from './pointer.ts'

export type CompiledSchema =
  /** The first violation as `<path>: <message>`, `undefined` for a value that fits. */
  | { readonly ok: true; readonly check: (value: JsonValue) => string | undefined }
  | { readonly ok: false; readonly problems: readonly SchemaProblem[] }

/** `ignored` are keywords that are let through and have no effect; any other unknown one is a problem. Never throws. */
export function compileSchema(schema: JsonValue, ignored: ReadonlySet<string>): CompiledSchema {
  const problems: SchemaProblem[] = []
  const check = compileNode(schema, '', { ignored, report: problem => problems.push(problem) })
  return problems.length > 0 ? { ok: false, problems } : { ok: true, check: value => check(value, '$') }
}

interface Run {
  readonly ignored: ReadonlySet<string>
  readonly report: (problem: SchemaProblem) => void
}

function compileNode(schema: JsonValue, path: string, run: Run): Check {
  if (schema === true) return () => undefined
  if (schema === false) return (_, at) => `${at}: nothing is allowed here`
  if (!isJsonObject(schema)) {
    run.report({ kind: 'shape', path, message: 'a schema is a table, true or false' })
    return () => undefined
  }
  const checks = Object.keys(schema).flatMap(keyword => compileKeyword(schema, keyword, { path, run }))
  return (value, at) => {
    for (const check of checks) {
      const violation = check(value, at)
      if (violation !== undefined) return violation
    }
    return undefined
  }
}

function compileKeyword(schema: JsonObject, keyword: string, where: { path: string; run: Run }): readonly Check[] {
  const { run } = where
  if (run.ignored.has(keyword)) return []
  const path = where.path + toPointer([keyword])
  const compile = KEYWORDS.get(keyword)
  if (compile === undefined) {
    const hint = nearest(keyword, [...KEYWORDS.keys(), ...run.ignored])
    const message = `unknown schema keyword "${keyword}"`
    run.report({ kind: 'keyword', path, message, ...(hint === undefined ? {} : { hint }) })
    return []
  }
  const check = compile(schema[keyword] ?? null, {
    schema,
    expected: what => run.report({ kind: 'shape', path, message: `"${keyword}" must be ${what}` }),
    badPattern: why => run.report({ kind: 'pattern', path, message: `the pattern is not valid: ${why}` }),
    compile: (part, steps) => compileNode(part, path + toPointer(steps), run),
  })
  return check === undefined ? [] : [check]
}
