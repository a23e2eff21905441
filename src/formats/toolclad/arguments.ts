import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Refusal } from '../../core/outcome.ts'
import type { Validation } from '../../core/tool.ts'
import { toDecimal } from '../../lib/decimal.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { toPointer } from '../../lib/pointer.ts'
import type { Deployment } from '../format.ts'
import { mergeConstraints } from './custom-types.ts'
import type { CustomType, CustomTypes } from './custom-types.ts'
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
import { ARGUMENT_NAME, NETWORK_KEYS, NETWORK_TYPES, TYPE_NAMES } from './spec.ts'
import { TYPES } from './types/index.ts'
import { CONSTRAINTS, refuse } from './types/type.ts'
import type { ArgumentType, CompiledType, Hygiene, Judged } from './types/type.ts'

/** One declared argument, its constraints compiled. */
export interface Argument {
  readonly name: string
  readonly type: ArgumentType
  /** As the manifest names it: a built-in type, or a custom one with that base. */
  readonly typeName: string
  readonly description: string
  readonly required: boolean
  readonly position: bigint
  /** Canonical; what stands in for an absent value. */
  readonly default: string | undefined
  /** Members of an enum. */
  readonly allowed: readonly string[]
  /** Network types alone have these two (ruling 2). */
  readonly blockInternal: boolean
  readonly scopeCheck: boolean
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
  /** What `toolclad.toml` declares. */
  readonly customTypes: CustomTypes
  readonly problems: Problems
  /** Arguments of type string that are judged otherwise (ruling 20). */
  readonly hygieneOf?: (argument: string) => Hygiene | undefined
}

/** Every declared argument of a manifest, those of session and browser commands too. */
export function everyArgument(
  manifest: Section,
): readonly { readonly name: string; readonly argument: Section<typeof ARGUMENT> }[] {
  const commands = ['session', 'browser'].flatMap(kind => {
    const section = readSection(readSection(manifest, kind, {}), 'commands', {})
    return Object.keys(section.table).map(name => readSection(section, name, {}))
  })
  return [manifest, ...commands].flatMap(parent => {
    const args = readSection(parent, 'args', {})
    return Object.keys(args.table).map(name => ({ name, argument: readSection(args, name, ARGUMENT) }))
  })
}

/** Reads `[args.*]` in declaration order; an argument with a problem is left out. */
export function readArguments(context: ArgumentsContext): readonly Argument[] {
  const args = readSection(context.parent, 'args', {})
  return Object.keys(args.table).flatMap(name => readArgument(name, readSection(args, name, ARGUMENT), context))
}

/** One argument; none where it has a problem. */
export function readArgument(
  name: string,
  argument: Section<typeof ARGUMENT>,
  context: Omit<ArgumentsContext, 'parent'>,
): readonly Argument[] {
  if (!ARGUMENT_NAME.test(name))
    context.problems.error(
      'bad_name',
      argument.path,
      `argument name "${name}" must be letters, digits and _, beginning with a letter`,
    )
  checkNetworkKeys(argument, context)
  const type = readType(argument, name, context)
  return type === undefined ? [] : [compileArgument(name, type, { argument, context })]
}

/** `block_internal` and `scope_check` judge hosts and ranges only (ruling 2). */
function checkNetworkKeys(
  argument: Section<typeof ARGUMENT>,
  { customTypes, problems }: Pick<ArgumentsContext, 'customTypes' | 'problems'>,
): void {
  const type = readString(argument, 'type')
  if (NETWORK_TYPES.includes(type)) return
  const code = customTypes.types.has(type) ? 'custom_type_network' : 'network_key'
  for (const key of NETWORK_KEYS)
    if (hasKey(argument, key))
      problems.error(
        code,
        pathOf(argument, key),
        `"${key}" is for the types ${NETWORK_TYPES.join(', ')}, not for ${type}`,
      )
}

/** What an argument says it is. */
interface NamedType {
  readonly written: string
  readonly type: ArgumentType
  readonly custom?: CustomType
}

function readType(
  argument: Section<typeof ARGUMENT>,
  name: string,
  { customTypes, problems }: Pick<ArgumentsContext, 'customTypes' | 'problems'>,
): NamedType | undefined {
  if (hasKey(argument, 'type') && readValue(argument, 'type') === undefined) return undefined
  const written = readString(argument, 'type')
  const custom = customTypes.types.get(written)
  const type = TYPES.get(written) ?? custom?.base
  const path = hasKey(argument, 'type') ? pathOf(argument, 'type') : argument.path
  if (type === undefined) {
    if (customTypes.broken.has(written)) return undefined
    const near = nearest(written, [...TYPE_NAMES, ...customTypes.types.keys()])
    const message = `unknown type '${written}' for argument '${name}'`
    problems.error('unknown_type', path, message + didYouMean(near), near)
    return undefined
  }
  for (const key of CONSTRAINTS)
    if (hasKey(argument, key) && !type.constraints.includes(key))
      problems.warning('unused_key', pathOf(argument, key), `"${key}" has no effect on the type ${type.name}`)
  return { written, type, ...(custom === undefined ? {} : { custom }) }
}

interface Declared {
  readonly argument: Section<typeof ARGUMENT>
  readonly context: Omit<ArgumentsContext, 'parent'>
}

function compileArgument(name: string, { written, type, custom }: NamedType, declared: Declared): Argument {
  const { argument, context } = declared
  const { problems } = context
  const constrained = custom === undefined ? argument : mergeConstraints(argument, custom)
  const compiled = compileType(name, { type, custom, constrained }, declared)
  const own = toText(readValue(argument, 'default'))
  const other = context.defaults.get(name)
  if (own !== undefined && other !== undefined && own !== other.value)
    problems.error('default_invalid', other.path, `argument '${name}' has another default in [args.${name}]`)
  const given = own === undefined ? other : { value: own, path: argument.path + toPointer(['default']) }
  return {
    name,
    type,
    typeName: written,
    description: readString(argument, 'description') ?? '',
    required: readBoolean(argument, 'required'),
    position: readInteger(argument, 'position') ?? 0n,
    default: judgeDefault(compiled, given, problems),
    allowed: type.name === 'enum' ? (readStrings(constrained, 'allowed') ?? []) : [],
    blockInternal: readBoolean(argument, 'block_internal'),
    scopeCheck: readBoolean(argument, 'scope_check'),
    judge: compiled.judge,
    schema: compiled.schema,
  }
}

interface Typed {
  readonly type: ArgumentType
  readonly custom: CustomType | undefined
  readonly constrained: Section<typeof ARGUMENT>
}

/** Where the custom type and the argument both have a pattern, both must match (ruling 2). */
function compileType(
  name: string,
  { type, custom, constrained }: Typed,
  { argument, context: { whitespaceCounts, deployment, problems, hygieneOf } }: Declared,
): CompiledType {
  const hygiene = custom === undefined && type.name === 'string' ? hygieneOf?.(name) : undefined
  const compile = (section: Section<typeof ARGUMENT>): CompiledType =>
    type.compile({
      name,
      argument: section,
      whitespaceCounts,
      deployment,
      problems,
      ...(hygiene === undefined ? {} : { hygiene }),
    })
  const own = compile(constrained)
  const pattern = custom === undefined ? undefined : custom.constraints['pattern']
  if (pattern === undefined || !hasKey(argument, 'pattern')) return own
  const other = compile({ ...constrained, table: { ...constrained.table, pattern } })
  return {
    schema: own.schema,
    judge: value => {
      const judged = own.judge(value)
      return judged.ok ? other.judge(judged.value) : judged
    },
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
