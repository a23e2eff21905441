import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Refusal } from '../../core/outcome.ts'
import type { Validation } from '../../core/tool.ts'
import { toDecimal } from '../../lib/decimal.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { toPointer } from '../../lib/pointer.ts'
import type { Deployment } from '../format.ts'
import type { Problems } from './problems.ts'
import { ARGUMENT } from './schema.ts'
import {
  hasKey,
  pathOf,
  readBoolean,
  readInteger,
  readSection,
  readString,
  readStrings,
  readValue,
  toText,
} from './section.ts'
import type { Section } from './section.ts'
import { ARGUMENT_NAME, NETWORK_TYPES, TYPE_NAMES } from './spec.ts'
import { TYPES } from './types/index.ts'
import { CONSTRAINTS, refuse } from './types/type.ts'
import type { ArgumentType, CompiledType, Judged } from './types/type.ts'
import { sentence } from './unsupported.ts'

/** One declared argument, its constraints compiled. */
export interface Argument {
  readonly name: string
  readonly type: ArgumentType
  readonly description: string
  readonly required: boolean
  readonly position: bigint
  /** Canonical; what stands in for an absent value. */
  readonly default: string | undefined
  /** Members of an enum. */
  readonly allowed: readonly string[]
  readonly judge: (value: string) => Judged
  readonly schema: JsonObject
}

export interface ArgumentsContext {
  /** The section that holds `args`. */
  readonly parent: Section
  /** Defaults from elsewhere (`[command.defaults]`), by argument: the value and where it stands. */
  readonly defaults: ReadonlyMap<string, { readonly value: string; readonly path: string }>
  /** Whether `allow_whitespace` counts in this manifest. */
  readonly whitespaceCounts: boolean
  readonly deployment: Deployment
  readonly problems: Problems
}

/** Reads `[args.*]` in declaration order; an argument with a problem is left out. */
export function readArguments(context: ArgumentsContext): readonly Argument[] {
  const { parent, problems } = context
  const args = readSection(parent, 'args', {})
  return Object.keys(args.table).flatMap(name => {
    const argument = readSection(args, name, ARGUMENT)
    if (!ARGUMENT_NAME.test(name))
      problems.error(
        'bad_name',
        argument.path,
        `argument name "${name}" must be letters, digits and _, beginning with a letter`,
      )
    checkNetworkKeys(argument, problems)
    const type = readType(argument, name, problems)
    return type === undefined ? [] : [compileArgument(name, type, { argument, context })]
  })
}

/** `block_internal` and `scope_check` judge hosts and ranges only (ruling 2). */
function checkNetworkKeys(argument: Section<typeof ARGUMENT>, problems: Problems): void {
  const type = readString(argument, 'type')
  if (NETWORK_TYPES.includes(type)) return
  for (const key of ['block_internal', 'scope_check'] as const)
    if (hasKey(argument, key))
      problems.error(
        'network_key',
        pathOf(argument, key),
        `"${key}" is for the types ${NETWORK_TYPES.join(', ')}, not for ${type}`,
      )
}

function readType(argument: Section<typeof ARGUMENT>, name: string, problems: Problems): ArgumentType | undefined {
  if (hasKey(argument, 'type') && readValue(argument, 'type') === undefined) return undefined
  const written = readString(argument, 'type')
  const type = TYPES.get(written)
  const path = hasKey(argument, 'type') ? pathOf(argument, 'type') : argument.path
  if (type === undefined) {
    if (TYPE_NAMES.some(known => known === written)) {
      problems.error('unsupported', path, sentence(`the type "${written}"`))
      return undefined
    }
    const near = nearest(written, TYPE_NAMES)
    const message = `unknown type '${written}' for argument '${name}'`
    problems.error('unknown_type', path, message + didYouMean(near), near)
    return undefined
  }
  for (const key of CONSTRAINTS)
    if (hasKey(argument, key) && !type.constraints.includes(key))
      problems.warning('unused_key', pathOf(argument, key), `"${key}" has no effect on the type ${type.name}`)
  return type
}

interface Declared {
  readonly argument: Section<typeof ARGUMENT>
  readonly context: ArgumentsContext
}

function compileArgument(name: string, type: ArgumentType, { argument, context }: Declared): Argument {
  const { whitespaceCounts, deployment, problems } = context
  const compiled = type.compile({ name, argument, whitespaceCounts, deployment, problems })
  const own = toText(readValue(argument, 'default'))
  const other = context.defaults.get(name)
  if (own !== undefined && other !== undefined && own !== other.value)
    problems.error('default_invalid', other.path, `argument '${name}' has another default in [args.${name}]`)
  const written = own === undefined ? other : { value: own, path: argument.path + toPointer(['default']) }
  return {
    name,
    type,
    description: readString(argument, 'description') ?? '',
    required: readBoolean(argument, 'required'),
    position: readInteger(argument, 'position') ?? 0n,
    default: judgeDefault(compiled, written, problems),
    allowed: type.name === 'enum' ? (readStrings(argument, 'allowed') ?? []) : [],
    judge: compiled.judge,
    schema: compiled.schema,
  }
}

/** A default of `""` is none (ruling 7). */
function judgeDefault(
  type: CompiledType,
  written: { readonly value: string; readonly path: string } | undefined,
  problems: Problems,
): string | undefined {
  if (written === undefined || written.value === '') return undefined
  const judged = type.judge(written.value)
  if (judged.ok) return judged.value
  problems.error('default_invalid', written.path, `the default is refused by its own type: it ${judged.message}`)
  return undefined
}

/** Judges a call's arguments: one refusal per argument in declaration order, unknown ones last. */
export function compileValidate(args: readonly Argument[]): (given: JsonObject) => Validation {
  const names = new Set(args.map(argument => argument.name))
  return given => {
    const values: Record<string, string> = {}
    const refusals: Refusal[] = []
    for (const argument of args) {
      const value = Object.hasOwn(given, argument.name) ? given[argument.name] : undefined
      if (value === undefined) {
        if (argument.default !== undefined) values[argument.name] = argument.default
        else if (argument.required) refusals.push(missing(argument.name))
        continue
      }
      const judged = judgeJson(argument, value)
      if (judged.ok) values[argument.name] = judged.value
      else
        refusals.push({ argument: argument.name, fence: judged.fence, message: `${argument.name}: ${judged.message}` })
    }
    const unknown = Object.keys(given).filter(name => !names.has(name))
    for (const name of unknown.slice(0, MAX_UNKNOWN)) refusals.push(refuseUnknown(name, names))
    return refusals.length === 0 ? { ok: true, values } : { ok: false, refusals }
  }
}

/** More unknown names than this are no slip, and naming them all would only make the answer long. */
const MAX_UNKNOWN = 100

/** A string is judged by the type; a number or boolean is written out first where it is what the type denotes (ruling 14). */
function judgeJson(argument: Argument, value: JsonValue): Judged {
  if (typeof value === 'string') return argument.judge(value)
  const { json } = argument.type
  if (json === 'boolean' && typeof value === 'boolean') return argument.judge(String(value))
  if (json === 'number' && typeof value === 'number' && Number.isFinite(value)) return argument.judge(toDecimal(value))
  if (json === 'integer' && typeof value === 'number') {
    if (Number.isSafeInteger(value)) return argument.judge(String(value))
    return refuse('json_type', 'must be a whole number that JSON holds exactly, or a string of digits')
  }
  return refuse('json_type', `must be ${EXPECTED[json]}, not ${jsonKind(value)}`)
}

const EXPECTED = {
  string: 'a string',
  integer: 'a string or an integer',
  number: 'a string or a number',
  boolean: 'a string or a boolean',
} as const

function jsonKind(value: JsonValue): string {
  if (value === null) return 'null'
  if (isJsonObject(value)) return 'an object'
  return typeof value === 'object' ? 'an array' : `a ${typeof value}`
}

function missing(name: string): Refusal {
  return { argument: name, fence: 'required', message: `required argument "${name}" not provided` }
}

function refuseUnknown(name: string, names: ReadonlySet<string>): Refusal {
  const known = names.size === 0 ? 'the tool takes no arguments' : `known: ${[...names].join(', ')}`
  const message = `unknown argument "${name}"${didYouMean(nearest(name, names))}; ${known}`
  return { argument: name, fence: 'unknown_argument', message }
}
