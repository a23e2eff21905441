// Arguments against the declared types (DADL spec 6.1; rulings DADL 10 and 12). What does not fit is refused before anything
// is sent.
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Fence, Refusal } from '../../core/outcome.ts'
import type { Validation } from '../../core/tool.ts'
import { isJsonArray } from '../../lib/json-array.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { parseJson } from '../../lib/parse-json.ts'
import { MAX_NESTING } from './spec.ts'
import type { Location, ParamType } from './spec.ts'

export interface Parameter {
  readonly name: string
  readonly type: ParamType
  /** Arguments of composites are sent nowhere. */
  readonly in?: Location
  readonly required: boolean
  readonly description: string
  readonly default?: JsonValue
}

export function compileValidate(parameters: readonly Parameter[]): (given: JsonObject) => Validation {
  const names = new Set(parameters.map(({ name }) => name))
  return given => {
    const values: [string, JsonValue][] = []
    const refusals: Refusal[] = []
    for (const parameter of parameters) {
      const judged = judge(parameter, Object.hasOwn(given, parameter.name) ? given[parameter.name] : undefined)
      if ('fence' in judged)
        refusals.push({
          argument: parameter.name,
          fence: judged.fence,
          message: `${parameter.name}: ${judged.message}`,
        })
      else if (judged.value !== undefined) values.push([parameter.name, judged.value])
    }
    for (const name of Object.keys(given)) if (!names.has(name)) refusals.push(unknown(name, names))
    return refusals.length === 0 ? { ok: true, values: Object.fromEntries(values) } : { ok: false, refusals }
  }
}

export function toInputSchema(parameters: readonly Parameter[]): JsonObject {
  const required = parameters.filter(p => p.required && p.default === undefined).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(parameter => [parameter.name, toSchema(parameter)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

function toSchema({ type, description, default: preset }: Parameter): JsonObject {
  return {
    // A file is named by a text; JSON Schema has no such type, and one bad schema costs clients all tools.
    type: type === 'file_url' ? 'string' : type,
    // A list without `items` is refused by some model APIs; any item is meant.
    ...(type === 'array' ? { items: {} } : {}),
    ...(description === '' ? {} : { description }),
    ...(preset === undefined ? {} : { default: preset }),
  }
}

type Judged = { readonly value: JsonValue | undefined } | { readonly fence: Fence; readonly message: string }

function judge(parameter: Parameter, given: JsonValue | undefined): Judged {
  const { type, in: location, required, default: preset } = parameter
  // An explicit null is sent in a JSON body alone; elsewhere it means "not given" (ruling DADL 10).
  const value =
    given === undefined || (given === null && location !== 'body' && location !== undefined) ? preset : given
  if (value === undefined) return required ? refuse('required', 'is required') : { value }
  if (value === null) return { value }
  const typed = READERS[type](value)
  if (typed === undefined) return refuse('json_type', `must be ${NAMES[type]}, not ${kindOf(value)}`)
  return judgeLocation(location, typed)
}

function judgeLocation(location: Location | undefined, value: JsonValue): Judged {
  if (location === 'path') {
    if (typeof value === 'object') return refuse('json_type', 'is part of the path and must be a single value')
    if (value === '') return refuse('empty', 'is part of the path and must not be empty')
    if (value === '.' || value === '..') return refuse('traversal', `is part of the path and must not be "${value}"`)
  }
  let bad: Judged | undefined
  const shallow = eachText(
    value,
    text => void (bad ??= location === 'body' || location === undefined ? undefined : judgeText(location, text)),
  )
  if (!shallow) return refuse('json_type', `must not be nested deeper than ${MAX_NESTING} levels`)
  return bad ?? { value }
}

function judgeText(location: Location, text: string): Judged | undefined {
  if (!text.isWellFormed()) return refuse('surrogate', 'must be Unicode text, but has an unpaired surrogate')
  if (location !== 'header') return undefined
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(text))
    return refuse('control', 'is a header and must not hold CR, LF, NUL or another control character')
  return /[^\u0000-\u00ff]/.test(text) ? refuse('non_ascii', 'is a header and must be Latin-1') : undefined
}

/** Visits every text in a value, names of members too; false where it is nested too deeply. */
function eachText(value: JsonValue, visit: (text: string) => void, levels = MAX_NESTING): boolean {
  if (typeof value === 'string') visit(value)
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  if (isJsonArray(value)) return value.every(item => eachText(item, visit, levels - 1))
  return Object.entries(value).every(([name, inner]) => {
    visit(name)
    return eachText(inner, visit, levels - 1)
  })
}

/** Numbers, booleans and structures that came as text are read where they are exactly that; nothing else is changed. */
const READERS: Readonly<Record<ParamType, (value: JsonValue) => JsonValue | undefined>> = {
  string: value => (typeof value === 'string' ? value : undefined),
  integer: value => readNumber(value, /^[+-]?\d+$/, Number.isSafeInteger),
  number: value => readNumber(value, /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/, Number.isFinite),
  boolean: value =>
    value === 'true' || value === 'false' ? value === 'true' : typeof value === 'boolean' ? value : undefined,
  array: value => (isJsonArray(value) ? value : readJson(value, isJsonArray)),
  object: value => (isJsonObject(value) ? value : readJson(value, isJsonObject)),
  file_url: value => (typeof value === 'string' ? value : undefined),
}

const NAMES: Readonly<Record<ParamType, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  file_url: 'a file URL',
}

function readNumber(value: JsonValue, form: RegExp, fits: (value: number) => boolean): number | undefined {
  const number = typeof value === 'string' && form.test(value) ? Number(value) : value
  return typeof number === 'number' && fits(number) ? number : undefined
}

function readJson<T extends JsonValue>(value: JsonValue, is: (value: JsonValue) => value is T): T | undefined {
  if (typeof value !== 'string') return undefined
  try {
    const parsed = parseJson(value)
    return is(parsed) ? parsed : undefined
  } catch {
    return undefined // text that is no JSON: the caller is told what was expected
  }
}

function kindOf(value: JsonValue): string {
  if (isJsonArray(value)) return 'an array'
  return isJsonObject(value) ? 'an object' : `a ${typeof value}`
}

function refuse(fence: Fence, message: string): Judged {
  return { fence, message }
}

function unknown(name: string, names: ReadonlySet<string>): Refusal {
  const known = names.size === 0 ? 'the tool takes no arguments' : `known: ${[...names].join(', ')}`
  const message = `unknown argument "${name}"${didYouMean(nearest(name, names))}; ${known}`
  return { argument: name, fence: 'unknown_argument', message }
}
