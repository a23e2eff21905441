// `[command]` to argv tokens (ToolClad spec, Command Construction; rulings 3 to 9). One element is one argv entry; a value is
// put in whole and never looked at again.
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { toPointer } from '../../lib/pointer.ts'
import type { Argument } from './arguments.ts'
import type { Problems } from './problems.ts'
import type { COMMAND } from './schema.ts'
import { hasKey, pathOf, readString, readStrings, toText } from './section.ts'
import type { Section } from './section.ts'
import {
  EMBEDDED_PLACEHOLDER,
  END_OF_OPTIONS,
  INJECTED,
  NUL,
  PLACEHOLDER,
  QUOTED_PLACEHOLDER,
  SECRET_PLACEHOLDER,
} from './spec.ts'
import { isTomlTable } from '../../lib/toml.ts'
import { isUnsupportedPlaceholder, sentence } from './unsupported.ts'

/** One step of building an argv; plain data for the command backend. */
export type Token =
  | { readonly literal: string }
  /** The argument's value as one entry, none where it is absent; a `path` is resolved against the root. Before the first of
   * those that are `afterOptions` stands a `--`. */
  | { readonly value: string; readonly path?: true; readonly afterOptions?: true }
  | { readonly injected: 'scan_id' }

export interface CommandContext {
  readonly command: Section<typeof COMMAND>
  readonly args: readonly Argument[]
  /** Argument names that could not be compiled; placeholders may name them without a second complaint. */
  readonly declared: ReadonlySet<string>
  readonly problems: Problems
}

/** `[command.defaults]` as text: names of arguments give their defaults, all others become literals. */
export function readCommandDefaults(
  command: Section<typeof COMMAND>,
): ReadonlyMap<string, { value: string; path: string }> {
  const table = command.table['defaults']
  if (table === undefined || !isTomlTable(table)) return new Map()
  return new Map(
    Object.entries(table).flatMap(([name, entry]) => {
      const value = toText(entry)
      return value === undefined ? [] : [[name, { value, path: command.path + toPointer(['defaults', name]) }]]
    }),
  )
}

export function readCommand(context: CommandContext): readonly Token[] {
  const { command, problems } = context
  checkForms(command, problems)
  const exec = readStrings(command, 'exec')
  if (exec === undefined) return []
  const path = pathOf(command, 'exec')
  const fixed = checkArgv0(exec[0], path, problems)
  const defaults = readCommandDefaults(command)
  for (const [name, { path: at, value }] of defaults) {
    if (INJECTED.some(injected => injected === name))
      problems.error('fragment_ambiguous', at, `"${name}" is filled in by the gateway and cannot have a default`)
    if (value.includes(NUL)) problems.error('wrong_type', at, 'an argv entry cannot hold NUL')
  }
  const tokens = exec.flatMap((element, index) => {
    const at = path + toPointer([index])
    if (index > 0) return compileElement(element, { at, context, defaults })
    return fixed ? [{ literal: unescape(element, at, problems) }] : []
  })
  warnOfGaps(tokens, exec, context)
  return markEndOfOptions(tokens, context)
}

function checkForms(command: Section<typeof COMMAND>, problems: Problems): void {
  const exec = hasKey(command, 'exec')
  const executor = hasKey(command, 'executor')
  const template = hasKey(command, 'template')
  if (!exec && !executor && !template)
    problems.error('missing_key', command.path, '[command] needs "exec", a list of argv entries')
  if (exec && executor)
    problems.error('exec_and_executor', pathOf(command, 'executor'), '"exec" and "executor" exclude each other')
  if (!template) return
  const at = pathOf(command, 'template')
  if (exec) problems.warning('exec_and_template', at, '"template" is ignored because "exec" is there')
  else {
    problems.warning('deprecated_template', at, '"template" is deprecated and will be removed: write "exec"')
    problems.error('unsupported', at, sentence('[command.template]'))
  }
}

/** The program is the author's: a literal, by name or absolute (ruling 4). */
function checkArgv0(program: string | undefined, execPath: string, problems: Problems): boolean {
  const wrong = wrongProgram(program)
  const path = program === undefined ? execPath : execPath + toPointer([0])
  if (wrong !== undefined) problems.error('bad_argv0', path, wrong)
  return wrong === undefined
}

function wrongProgram(program: string | undefined): string | undefined {
  if (program === undefined || program === '') return 'exec must begin with a program'
  if (EMBEDDED_PLACEHOLDER.test(withoutEscapes(program)))
    return 'the program must be fixed by the manifest, so it cannot be a placeholder'
  if (program.includes('/') && !program.startsWith('/'))
    return `the program "${program}" must be a bare name or an absolute path`
  return undefined
}

interface Element {
  readonly at: string
  readonly context: CommandContext
  readonly defaults: ReadonlyMap<string, { readonly value: string }>
}

function compileElement(element: string, where: Element): readonly Token[] {
  const { at, context } = where
  const name = PLACEHOLDER.exec(element)?.[1]
  if (name !== undefined) return compilePlaceholder(name, where)
  if (SECRET_PLACEHOLDER.test(withoutEscapes(element))) {
    context.problems.error(
      'secret_in_command',
      at,
      'secrets are never passed to a command; every user of the machine could read them',
    )
    return []
  }
  return [{ literal: unescape(element, at, context.problems) }]
}

function compilePlaceholder(name: string, { at, context, defaults }: Element): readonly Token[] {
  const { args, declared, problems } = context
  const argument = args.find(candidate => candidate.name === name)
  if (argument !== undefined) return [{ value: name, ...(argument.type.name === 'path' ? { path: true } : {}) }]
  if (declared.has(name)) return []
  const literal = defaults.get(name)
  if (literal !== undefined) return literal.value === '' ? [] : [{ literal: literal.value }]
  if (name === '_scan_id') return [{ injected: 'scan_id' }]
  if (isUnsupportedPlaceholder(name)) {
    problems.error('unsupported', at, sentence(`{${name}}`))
    return []
  }
  if (fragmentNames(context.command).has(name)) return []
  const near = nearest(name, [...declared, ...defaults.keys(), ...INJECTED])
  const what = name.startsWith('_') ? 'has no mapping' : 'names no argument and no default'
  problems.error('placeholder_unknown', at, `template variable {${name}} ${what}${didYouMean(near)}`, near)
  return []
}

/** The names mappings and conditionals give to placeholders (ruling 6). */
function fragmentNames(command: Section<typeof COMMAND>): ReadonlySet<string> {
  const namesIn = (key: 'mappings' | 'conditionals'): readonly string[] => {
    const table = command.table[key]
    return table !== undefined && isTomlTable(table) ? Object.keys(table) : []
  }
  const mappings = namesIn('mappings')
  const alias = mappings.length > 0 ? ['_scan_flags'] : []
  return new Set([
    ...mappings.map(name => `_${name}_flags`),
    ...alias,
    ...namesIn('conditionals').map(name => `_${name}`),
  ])
}

/** `{{` and `}}` become braces; any other brace is a mistake. */
function unescape(element: string, at: string, problems: Problems): string {
  const rest = withoutEscapes(element)
  if (element.includes(NUL)) problems.error('wrong_type', at, 'an argv entry cannot hold NUL')
  else if (QUOTED_PLACEHOLDER.test(rest))
    problems.error(
      'placeholder_quoted',
      at,
      `${element} is quoted: write the placeholder alone, a value is always one entry`,
    )
  else if (EMBEDDED_PLACEHOLDER.test(rest))
    problems.error(
      'placeholder_embedded',
      at,
      `a placeholder must be the whole entry, but is part of ${JSON.stringify(element)}`,
    )
  else if (/[{}]/.test(rest))
    problems.error(
      'placeholder_embedded',
      at,
      `a brace that is no placeholder is written {{ or }} in ${JSON.stringify(element)}`,
    )
  return element.replaceAll('{{', '{').replaceAll('}}', '}')
}

function withoutEscapes(element: string): string {
  return element.replaceAll(/\{\{|\}\}/g, '')
}

/** Ruling 7: where an absent value's entry vanishes, its neighbours shift. */
function warnOfGaps(
  tokens: readonly Token[],
  exec: readonly string[],
  { args, command, problems }: CommandContext,
): void {
  for (const [index, token] of tokens.entries()) {
    if (!('value' in token)) continue
    const argument = args.find(candidate => candidate.name === token.value)
    if (argument === undefined || argument.required || argument.default !== undefined) continue
    const next = tokens[index + 1]
    const option = optionBefore(tokens, index)
    if (option === undefined && (next === undefined || !('value' in next))) continue
    const shifted =
      option === undefined ? 'the argument after it moves into its place' : `"${option}" takes the next entry instead`
    problems.warning(
      'optional_gap',
      pathOf(command, 'exec') + toPointer([exec.indexOf(`{${token.value}}`)]),
      `when "${token.value}" is absent, ${shifted}: use a conditional`,
    )
  }
}

/** `--` before the first entry that holds an argument's value, which only a call knows (ruling 9). */
function markEndOfOptions(tokens: readonly Token[], { command, problems }: CommandContext): readonly Token[] {
  const written = readString(command, 'end_of_options')
  if (written === undefined) return tokens
  const at = pathOf(command, 'end_of_options')
  if (written !== END_OF_OPTIONS)
    problems.error('bad_end_of_options', at, `end_of_options can only be "${END_OF_OPTIONS}"`)
  const option = optionBefore(
    tokens,
    tokens.findIndex(token => 'value' in token),
  )
  if (option !== undefined)
    problems.warning('option_before_eoo', at, `"${END_OF_OPTIONS}" will stand between "${option}" and its value`)
  return tokens.map(token => ('value' in token ? { ...token, afterOptions: true } : token))
}

function optionBefore(tokens: readonly Token[], index: number): string | undefined {
  const before = tokens[index - 1]
  if (before === undefined || !('literal' in before) || before.literal === END_OF_OPTIONS) return undefined
  return before.literal.startsWith('-') ? before.literal : undefined
}
