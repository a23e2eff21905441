// The JSONPath dialect of DADL (spec 9.4): root, names, indices, wildcards of RFC 9535, and nothing else. Own code because a
// construct outside it has to be an error with a place, and a name is always an own property.
import { isJsonObject } from '../core/json.ts'
import type { JsonValue } from '../core/json.ts'
import { isJsonArray } from './json-array.ts'

type Step = { readonly name: string } | { readonly index: number } | 'wildcard'

export interface JsonPath {
  readonly source: string
  /** One value at most: no wildcard. */
  readonly singular: boolean
  /** Every value it leads to, in order. */
  readonly values: (root: JsonValue) => readonly JsonValue[]
}

export type CompiledPath =
  | { readonly ok: true; readonly path: JsonPath }
  /** `at` is the offset, from 0, of what is not part of the dialect. */
  | { readonly ok: false; readonly at: number; readonly message: string }

/** `hyphens` reads `$.invoice-items` as one name, as published v0.1 documents mean it (ruling DADL 2). */
export function compileJsonPath(
  source: string,
  { hyphens = false }: { readonly hyphens?: boolean } = {},
): CompiledPath {
  if (!source.startsWith('$')) return refuse(0, 'a path begins with "$"')
  const steps: Step[] = []
  let at = 1
  while (at < source.length) {
    const read = readStep(source, at, hyphens)
    if (typeof read === 'string') return refuse(at, read)
    steps.push(read.step)
    at = read.end
  }
  return {
    ok: true,
    path: {
      source,
      singular: !steps.includes('wildcard'),
      values: root =>
        steps.reduce<readonly JsonValue[]>((values, step) => values.flatMap(value => select(value, step)), [root]),
    },
  }
}

interface ReadStep {
  readonly step: Step
  readonly end: number
}

const NAME = /[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_\u0080-\u{10ffff}]*/uy
const HYPHENATED = /[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_\u0080-\u{10ffff}-]*/uy
const WILDCARD = /\.\*|\[[ \t\n\r]*\*[ \t\n\r]*\]/y
const INDEX = /\[[ \t\n\r]*(0|-?[1-9]\d{0,15})[ \t\n\r]*\]/y
const QUOTED =
  /\[[ \t\n\r]*('(?:[^'\\\u0000-\u001f]|\\['\\/bfnrt]|\\u[0-9a-fA-F]{4})*'|"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")[ \t\n\r]*\]/y

function readStep(source: string, at: number, hyphens: boolean): ReadStep | string {
  if (source.startsWith('..', at)) return 'descendants ("..") are not part of the dialect'
  const wildcard = match(WILDCARD, source, at)
  if (wildcard !== undefined) return { step: 'wildcard', end: at + wildcard[0].length }
  if (source[at] === '.') {
    const name = match(hyphens ? HYPHENATED : NAME, source, at + 1)
    if (name === undefined) return 'expected a name after "."'
    return { step: { name: name[0] }, end: at + 1 + name[0].length }
  }
  const index = match(INDEX, source, at)
  if (index?.[1] !== undefined) {
    const value = Number(index[1])
    if (!Number.isSafeInteger(value)) return 'the index is too large'
    return { step: { index: value }, end: at + index[0].length }
  }
  const quoted = match(QUOTED, source, at)
  if (quoted?.[1] !== undefined) {
    const name = unquote(quoted[1])
    return name.isWellFormed() ? { step: { name }, end: at + quoted[0].length } : 'the name has an unpaired surrogate'
  }
  if (source[at] !== '[') return source[at] === '-' ? 'a name with "-" is written $["a-b"]' : 'expected "." or "["'
  return 'expected ["name"], [index] or [*]: slices, filters and unions are not part of the dialect'
}

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(source) ?? undefined
}

/** A single-quoted name is written as JSON writes it, but for the quotes. */
function unquote(text: string): string {
  const inner = text.slice(1, -1)
  const json = text.startsWith('"') ? inner : inner.replaceAll(/\\'|"/g, found => (found === '"' ? '\\"' : "'"))
  const value: unknown = JSON.parse(`"${json}"`)
  return String(value)
}

function select(value: JsonValue, step: Step): readonly JsonValue[] {
  if (step === 'wildcard') {
    if (isJsonArray(value)) return value
    return isJsonObject(value) ? Object.values(value) : []
  }
  if ('index' in step) {
    const item = isJsonArray(value) ? value.at(step.index) : undefined
    return item === undefined ? [] : [item]
  }
  const member = isJsonObject(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined
  return member === undefined ? [] : [member]
}

function refuse(at: number, message: string): CompiledPath {
  return { ok: false, at, message }
}
