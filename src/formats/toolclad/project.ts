// What a manifest takes from its project: custom types and the scope. Only what it uses is read, and only that counts for it.
import type { Diagnostic } from '../../core/diagnostic.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { LookupRule, Tool } from '../../core/tool.ts'
import { targetOf } from '../../lib/target.ts'
import type { LoadContext } from '../format.ts'
import { everyArgument } from './arguments.ts'
import type { Argument } from './arguments.ts'
import { NO_CUSTOM_TYPES, parseCustomTypes } from './custom-types.ts'
import type { CustomTypes } from './custom-types.ts'
import { blockedOf, compileScope, parseScope } from './scope.ts'
import type { ScopeRules } from './scope.ts'
import { readBoolean, readString, tomlToJson } from './section.ts'
import type { Section } from './section.ts'
import { NETWORK_TYPES, TYPE_NAMES } from './spec.ts'

export interface Project {
  readonly customTypes: CustomTypes
  readonly scope: ScopeRules
  readonly diagnostics: readonly Diagnostic[]
  /** Its part of a tool's definition: what decides how arguments are judged. */
  readonly definition: JsonObject
}

export function readProject(manifest: Section, { customTypes, scope }: LoadContext): Project {
  const args = everyArgument(manifest)
  const named = new Set(args.map(({ argument }) => readString(argument, 'type')))
  const custom = [...named].filter(type => !TYPE_NAMES.some(known => known === type))
  const types = custom.length === 0 || customTypes === undefined ? NO_CUSTOM_TYPES : parseCustomTypes(customTypes)
  const scoped = args.some(({ argument }) => readBoolean(argument, 'scope_check'))
  const { rules, diagnostics } = parseScope(scoped ? scope : undefined)
  return {
    customTypes: types,
    scope: rules,
    diagnostics: [...types.diagnostics, ...diagnostics],
    definition: {
      ...(custom.length === 0 ? {} : { custom_types: definitionOf(types, custom) }),
      ...(scoped ? { scope: scope !== undefined && 'text' in scope ? scope.text : null } : {}),
    },
  }
}

function definitionOf({ types }: CustomTypes, names: readonly string[]): JsonObject {
  const used = names.flatMap((name): readonly [string, JsonValue][] => {
    const type = types.get(name)
    return type === undefined ? [] : [[name, tomlToJson({ ...type.constraints, base: type.base.name })]]
  })
  return Object.fromEntries(used)
}

/** What is judged beyond the values themselves: the scope, and what has to be looked up (rulings 11 and 16 to 19). */
export function compileRules(
  args: readonly Argument[],
  { scope }: Project,
  { root }: LoadContext,
): Pick<Tool, 'scope' | 'lookups'> {
  const scoped = args.filter(({ scopeCheck }) => scopeCheck)
  const step = compileScope(
    scoped.map(({ name, type }) => ({ name, targetOf: value => targetOf(type.name, value) })),
    scope,
  )
  const lookups = args.flatMap(argument => lookupOf(argument, blockedOf(scope), root) ?? [])
  return { ...(step === undefined ? {} : { scope: step }), ...(lookups.length === 0 ? {} : { lookups }) }
}

/** Nothing where no answer could change the judgement. */
function lookupOf(
  { name, type, blockInternal, scopeCheck }: Argument,
  blockedRanges: readonly string[],
  root: string,
): LookupRule | undefined {
  if (type.name === 'credential_file') return { kind: 'file', argument: name, root }
  const blocked = scopeCheck ? blockedRanges : []
  if (!NETWORK_TYPES.includes(type.name) || (!blockInternal && blocked.length === 0)) return undefined
  return { kind: 'target', argument: name, type: type.name, blockInternal, blocked }
}
