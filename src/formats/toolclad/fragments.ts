// Mappings and conditionals (ToolClad spec, Array-Based Command Construction; rulings 6 and 8): manifest text, split once when
// the file is loaded. A fragment is 0 to n entries; a value in it is one entry and never looked at again.
import type { Comparison, Token } from '../../backends/command/binding.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { toPointer } from '../../lib/pointer.ts'
import { isTomlTable } from '../../lib/toml.ts'
import type { TomlTable } from '../../lib/toml.ts'
import { splitWords } from '../../lib/words.ts'
import type { CommandContext } from './command.ts'
import { INJECTED, SCAN_FLAGS } from './spec.ts'
import { parseWhen } from './when.ts'

/** Compiles one word of a fragment; `at` is where its text stands. */
export type CompileWord = (word: { readonly text: string; readonly quoted: boolean }, at: string) => readonly Token[]

/** The tokens behind each placeholder that a mapping or a conditional gives. */
export function readFragments(context: CommandContext, compileWord: CompileWord): ReadonlyMap<string, Token> {
  const fragments = new Map<string, Token>()
  const taken = new Set<string>([...context.defaults.keys(), ...INJECTED])
  const add = (name: string, token: Token, at: string): void => {
    if (taken.has(name)) context.problems.error('fragment_ambiguous', at, `{${name}} has another meaning already`)
    taken.add(name)
    fragments.set(name, token)
  }
  const mappings = tableOf(context, 'mappings')
  const names = Object.keys(mappings)
  for (const [argument, cases] of Object.entries(mappings)) {
    const at = context.command.path + toPointer(['mappings', argument])
    const token = readMapping(argument, isTomlTable(cases) ? cases : {}, { context, compileWord, at })
    add(`_${argument}_flags`, token, at)
    const isScan = argument === 'scan_type' || argument === 'scan' || names.length === 1
    if (isScan && argument !== 'scan') add(SCAN_FLAGS, token, at)
  }
  for (const [name, conditional] of Object.entries(tableOf(context, 'conditionals'))) {
    const at = context.command.path + toPointer(['conditionals', name])
    add(`_${name}`, readConditional(isTomlTable(conditional) ? conditional : {}, { context, compileWord, at }), at)
  }
  return fragments
}

/** Stands for a fragment with problems, so that its placeholder is not one more. */
const NEVER: Token = { when: [], tokens: [] }

interface Place {
  readonly context: CommandContext
  readonly compileWord: CompileWord
  readonly at: string
}

function readMapping(name: string, cases: TomlTable, place: Place): Token {
  const { context, at } = place
  const { args, declared, problems } = context
  if (!declared.has(name)) {
    const near = nearest(name, declared)
    problems.error('mapping_unknown', at, `mapping references unknown argument '${name}'${didYouMean(near)}`, near)
    return NEVER
  }
  const argument = args.find(candidate => candidate.name === name)
  for (const member of argument?.allowed ?? [])
    if (!Object.hasOwn(cases, member))
      problems.error(
        'mapping_incomplete',
        at,
        `the mapping of '${name}' has no entry for "${member}": write "" for none`,
      )
  if (argument?.type.name === 'enum')
    for (const value of Object.keys(cases))
      if (!argument.allowed.includes(value)) {
        const near = nearest(value, argument.allowed)
        problems.warning(
          'unused_key',
          at + toPointer([value]),
          `'${name}' is never "${value}"${didYouMean(near)}`,
          near,
        )
      }
  const tokens = Object.entries(cases).map(
    ([value, text]) =>
      [value, readWords(typeof text === 'string' ? text : '', { ...place, at: at + toPointer([value]) })] as const,
  )
  return { choose: name, cases: Object.fromEntries(tokens) }
}

function readConditional({ when, template }: TomlTable, place: Place): Token {
  const { context, at } = place
  const { problems } = context
  for (const [key, value] of Object.entries({ when, template }))
    if (typeof value !== 'string') problems.error('missing_key', at, `a conditional needs "${key}"`)
  if (typeof when !== 'string' || typeof template !== 'string') return NEVER
  const tokens = readWords(template, { ...place, at: `${at}/template` })
  const parsed = parseWhen(when)
  if (!parsed.ok) {
    problems.error('bad_condition', `${at}/when`, `the condition "${when}" is not understood: ${parsed.message}`)
    return NEVER
  }
  return { when: parsed.anyOf.flatMap(group => readGroup(group, place)), tokens }
}

/** Comparisons with a `[command.defaults]` value are decided here; a group that cannot hold is left out. */
function readGroup(group: readonly Comparison[], { context, at }: Place): readonly (readonly Comparison[])[] {
  const { declared, defaults, problems } = context
  const open: Comparison[] = []
  for (const comparison of group) {
    const fixed = declared.has(comparison.name) ? undefined : defaults.get(comparison.name)
    if (fixed === undefined && !declared.has(comparison.name)) {
      const near = nearest(comparison.name, [...declared, ...defaults.keys()])
      problems.error(
        'bad_condition',
        `${at}/when`,
        `"${comparison.name}" is no argument and no default${didYouMean(near)}`,
        near,
      )
    }
    if (fixed === undefined) open.push(comparison)
    else if ((fixed.value === comparison.literal) !== comparison.equal) return []
  }
  return [open]
}

function readWords(text: string, { context, compileWord, at }: Place): readonly Token[] {
  const split = splitWords(text)
  if (split.ok) return split.words.flatMap(word => compileWord(word, at))
  context.problems.error('fragment_syntax', at, `"${text}" cannot be split into entries: ${split.message}`)
  return []
}

function tableOf({ command }: CommandContext, key: 'mappings' | 'conditionals'): TomlTable {
  const table = command.table[key]
  return table !== undefined && isTomlTable(table) ? table : {}
}
