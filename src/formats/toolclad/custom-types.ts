// Types a project declares once for all its manifests, in `toolclad.toml` (ToolClad spec, Custom Types; ruling 2).
import type { Diagnostic } from '../../core/diagnostic.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { toPointer } from '../../lib/pointer.ts'
import { isTomlArray, parseToml } from '../../lib/toml.ts'
import type { TomlTable, TomlValue } from '../../lib/toml.ts'
import { STRICT } from '../format.ts'
import type { Companion } from '../format.ts'
import { openProblems } from './problems.ts'
import type { Problems } from './problems.ts'
import { ARGUMENT, CUSTOM_TYPE, CUSTOM_TYPES } from './schema.ts'
import { checkKeys, hasKey, pathOf, readSection, readString } from './section.ts'
import type { Section } from './section.ts'
import { ARGUMENT_NAME, NETWORK_KEYS, NETWORK_TYPES, TYPE_NAMES } from './spec.ts'
import { TYPES } from './types/index.ts'
import { CONSTRAINTS } from './types/type.ts'
import type { ArgumentType } from './types/type.ts'

/** A built-in type with constraints of its own. */
export interface CustomType {
  readonly name: string
  readonly base: ArgumentType
  /** The keys of `[types.NAME]` without `base`: constraints as an argument has them. */
  readonly constraints: TomlTable
}

export interface CustomTypes {
  readonly types: ReadonlyMap<string, CustomType>
  /** Names that are declared, but wrongly: manifests that use them need no second complaint. */
  readonly broken: ReadonlySet<string>
  readonly diagnostics: readonly Diagnostic[]
}

export const NO_CUSTOM_TYPES: CustomTypes = { types: new Map(), broken: new Set(), diagnostics: [] }

/** Reads `toolclad.toml`. Without its text nothing is known of any type, which the one diagnostic says. */
export function parseCustomTypes(companion: Companion): CustomTypes {
  const { file } = companion
  const at = (message: string, code: 'syntax' | 'file_unreadable', position = { line: 1, column: 1 }): CustomTypes => ({
    ...NO_CUSTOM_TYPES,
    diagnostics: [{ code, severity: 'error', message, path: '', ...position, ...(file === undefined ? {} : { file }) }],
  })
  if ('unreadable' in companion) return at(companion.unreadable, 'file_unreadable')
  const parsed = parseToml(companion.text)
  if (!parsed.ok) return at(parsed.message, 'syntax', parsed.position)
  const problems = openProblems()
  const read = readCustomTypes(parsed.value, problems)
  return { ...read, diagnostics: problems.toDiagnostics(parsed.locate, file) }
}

/** The types of a table `{types: {NAME: {base, …}}}`. */
export function readCustomTypes(table: TomlTable, problems: Problems): Omit<CustomTypes, 'diagnostics'> {
  const root = { rows: CUSTOM_TYPES, table, path: '' }
  checkKeys(root, problems, false)
  const section = readSection(root, 'types', {})
  const types = new Map<string, CustomType>()
  const broken = new Set<string>()
  for (const name of Object.keys(section.table)) {
    const type = readType(name, readSection(section, name, CUSTOM_TYPE), problems)
    if (type === undefined) broken.add(name)
    else types.set(name, type)
  }
  return { types, broken }
}

function readType(name: string, section: Section<typeof CUSTOM_TYPE>, problems: Problems): CustomType | undefined {
  const before = problems.errors()
  checkName(name, section.path, problems)
  for (const key of NETWORK_KEYS)
    if (hasKey(section, key))
      problems.error(
        'custom_type_network',
        pathOf(section, key),
        `a custom type cannot carry "${key}": arguments that name a target use ${NETWORK_TYPES.join(', ')}`,
      )
  const base = readBase(section, problems)
  if (base === undefined) return undefined
  for (const key of CONSTRAINTS)
    if (Object.hasOwn(section.table, key) && !base.constraints.includes(key))
      problems.warning('unused_key', section.path + toPointer([key]), `"${key}" has no effect on the type ${base.name}`)
  const { base: _base, ...constraints } = section.table
  const argument = { rows: ARGUMENT, table: constraints, path: section.path }
  base.compile({ name, argument, whitespaceCounts: false, deployment: STRICT, problems })
  return problems.errors() === before ? { name, base, constraints } : undefined
}

function checkName(name: string, path: string, problems: Problems): void {
  if (TYPE_NAMES.some(known => known === name))
    problems.error('bad_name', path, `"${name}" is a built-in type and cannot be declared`)
  else if (!ARGUMENT_NAME.test(name))
    problems.error('bad_name', path, `type name "${name}" must be letters, digits and _, beginning with a letter`)
}

function readBase(section: Section<typeof CUSTOM_TYPE>, problems: Problems): ArgumentType | undefined {
  if (!hasKey(section, 'base')) {
    problems.error('missing_key', section.path, 'a custom type needs a "base", one of the built-in types')
    return undefined
  }
  const written = readString(section, 'base')
  if (written === undefined) return undefined // of the wrong kind, which is reported
  const base = TYPES.get(written)
  if (base !== undefined) return base
  const near = nearest(written, TYPE_NAMES)
  problems.error('unknown_type', pathOf(section, 'base'), `unknown base type '${written}'${didYouMean(near)}`, near)
  return undefined
}

/**
 * The argument's constraints and the type's as one: both apply, so the tighter bound and the common members stay. Two patterns
 * cannot be one; the argument's stays here, and the type's is asked apart.
 */
export function mergeConstraints(
  argument: Section<typeof ARGUMENT>,
  { base, constraints }: CustomType,
): Section<typeof ARGUMENT> {
  const merged = new Map<string, TomlValue>(Object.entries({ ...constraints, ...argument.table }))
  const both = (key: string, join: (a: TomlValue, b: TomlValue) => TomlValue): void => {
    const [own, other] = [valueOf(argument.table, key), valueOf(constraints, key)]
    if (own !== undefined && other !== undefined) merged.set(key, join(own, other))
  }
  both('allowed', commonMembers)
  if (base.name === 'number') {
    // `min_float` goes before `min`, so one of the two has to speak for both sides.
    for (const [key, plain, tighter] of [
      ['min_float', 'min', larger],
      ['max_float', 'max', smaller],
    ] as const) {
      const sides = [argument.table, constraints].map(table => valueOf(table, key) ?? valueOf(table, plain))
      const [own, other] = sides
      const bound = own === undefined ? other : other === undefined ? own : tighter(own, other)
      if (bound !== undefined) merged.set(key, bound)
    }
  } else {
    both('min', larger)
    both('max', smaller)
  }
  return { ...argument, table: Object.fromEntries(merged) }
}

function valueOf(table: TomlTable, key: string): TomlValue | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

function larger(a: TomlValue, b: TomlValue): TomlValue {
  return isNumeric(a) && isNumeric(b) && b > a ? b : a
}

function smaller(a: TomlValue, b: TomlValue): TomlValue {
  return isNumeric(a) && isNumeric(b) && b < a ? b : a
}

function isNumeric(value: TomlValue): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number'
}

function commonMembers(own: TomlValue, type: TomlValue): TomlValue {
  return isTomlArray(own) && isTomlArray(type) ? own.filter(member => type.includes(member)) : own
}
