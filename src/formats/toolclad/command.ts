// `[command]` to argv tokens (ToolClad spec, Command Construction; rulings 3 to 9). One element is one argv entry; a value is
// put in whole and never looked at again.
import type { Token } from '../../backends/command/binding.ts'
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
  INJECTED_TOKENS,
  NUL,
  PATH_TYPES,
  PLACEHOLDER,
  QUOTED_PLACEHOLDER,
  SECRET_PLACEHOLDER,
} from './spec.ts'
import { isTomlTable } from '../../lib/toml.ts'
import { splitWords } from '../../lib/words.ts'
import type { Word } from '../../lib/words.ts'
import { readExecutor } from './executor.ts'
import { readFragments } from './fragments.ts'

export interface CommandContext {
  readonly command: Section<typeof COMMAND>
  readonly args: readonly Argument[]
  /** Argument names that could not be compiled; placeholders may name them without a second complaint. */
  readonly declared: ReadonlySet<string>
  readonly defaults: ReadonlyMap<string, { readonly value: string; readonly path: string }>
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
  const { command, problems, defaults } = context
  checkForms(command, problems)
  for (const [name, { path: at, value }] of defaults) {
    if (INJECTED.some(injected => injected === name))
      problems.error('fragment_ambiguous', at, `"${name}" is filled in by the gateway and cannot have a default`)
    if (value.includes(NUL)) problems.error('wrong_type', at, 'an argv entry cannot hold NUL')
  }
  const fragments = readFragments(context, ({ text, quoted }, at) => compileElement(text, { at, context, quoted }))
  if (hasKey(command, 'executor')) return readExecutor(command, problems)
  const elements = readElements(command, problems)
  if (elements === undefined) return []
  const fixed = checkArgv0(elements[0], pathOf(command, hasKey(command, 'exec') ? 'exec' : 'template'), problems)
  const tokens = elements.flatMap(({ text, quoted, at }, index) => {
    if (index > 0) return compileElement(text, { at, context, quoted, fragments })
    return fixed ? [{ literal: unescape(text, at, problems) }] : []
  })
  warnOfGaps(tokens, elements, context)
  return markEndOfOptions(tokens, context)
}

/** One written entry, and where it stands. */
export interface WrittenEntry extends Word {
  readonly at: string
}

/** The entries of `exec`, or of the deprecated `template`, split once (ToolClad spec, Array-Based Command Construction). */
export function readElements(
  command: Section<typeof COMMAND>,
  problems?: Problems,
): readonly WrittenEntry[] | undefined {
  const exec = readStrings(command, 'exec')
  if (exec !== undefined || hasKey(command, 'exec'))
    return exec?.map((text, index) => ({ text, quoted: false, at: pathOf(command, 'exec') + toPointer([index]) }))
  const template = readString(command, 'template')
  if (template === undefined) return undefined
  const at = pathOf(command, 'template')
  const split = splitWords(template)
  if (split.ok) return split.words.map(word => ({ ...word, at }))
  problems?.error('fragment_syntax', at, `the template cannot be split into entries: ${split.message}`)
  return undefined
}

function checkForms(command: Section<typeof COMMAND>, problems: Problems): void {
  const exec = hasKey(command, 'exec')
  const executor = hasKey(command, 'executor')
  const template = hasKey(command, 'template')
  if (!exec && !executor && !template)
    problems.error('missing_key', command.path, '[command] needs "exec", a list of argv entries')
  if (executor && (exec || template))
    problems.error(
      'exec_and_executor',
      pathOf(command, 'executor'),
      `"${exec ? 'exec' : 'template'}" and "executor" exclude each other`,
    )
  if (!template) return
  const at = pathOf(command, 'template')
  if (exec) problems.warning('exec_and_template', at, '"template" is ignored because "exec" is there')
  else problems.warning('deprecated_template', at, '"template" is deprecated and will be removed: write "exec"')
}

/** The program is the author's: a literal, by name or absolute (ruling 4). */
function checkArgv0(program: WrittenEntry | undefined, section: string, problems: Problems): boolean {
  const wrong = wrongProgram(program?.text, 'exec')
  const path = program?.at ?? section
  if (wrong !== undefined) problems.error('bad_argv0', path, wrong)
  return wrong === undefined
}

/** Why a program cannot be the first entry of an argv; `key` is where it is written. */
export function wrongProgram(program: string | undefined, key: string): string | undefined {
  if (program === undefined || program === '') return `${key} must begin with a program`
  if (EMBEDDED_PLACEHOLDER.test(withoutEscapes(program)))
    return 'the program must be fixed by the manifest, so it cannot be a placeholder'
  if (program.includes('/') && !program.startsWith('/'))
    return `the program "${program}" must be a bare name or an absolute path`
  return undefined
}

interface Element {
  readonly at: string
  readonly context: CommandContext
  /** A quoted placeholder is none (ToolClad spec, Array-Based Command Construction). */
  readonly quoted: boolean
  /** Absent inside a fragment: they do not nest. */
  readonly fragments?: ReadonlyMap<string, Token>
}

function compileElement(element: string, where: Element): readonly Token[] {
  const { at, context, quoted } = where
  const name = PLACEHOLDER.exec(element)?.[1]
  if (name !== undefined && !quoted) return compilePlaceholder(name, where)
  if (name !== undefined) {
    context.problems.error('placeholder_quoted', at, quotedMessage(element))
    return []
  }
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

function compilePlaceholder(name: string, { at, context, fragments }: Element): readonly Token[] {
  const { args, declared, defaults, problems } = context
  const argument = args.find(candidate => candidate.name === name)
  if (argument !== undefined)
    return [{ value: name, ...(PATH_TYPES.includes(argument.type.name) ? { path: true } : {}) }]
  if (declared.has(name)) return []
  const literal = defaults.get(name)
  if (literal !== undefined) return literal.value === '' ? [] : [{ literal: literal.value }]
  const injected = INJECTED_TOKENS.find(known => name === `_${known}`)
  if (injected !== undefined) return [{ injected }]
  const fragment = fragments?.get(name)
  if (fragment !== undefined) return [fragment]
  const near = nearest(name, [...declared, ...defaults.keys(), ...INJECTED, ...(fragments?.keys() ?? [])])
  const what = name.startsWith('_') ? 'has no mapping' : 'names no argument and no default'
  problems.error('placeholder_unknown', at, `template variable {${name}} ${what}${didYouMean(near)}`, near)
  return []
}

/** `{{` and `}}` become braces; any other brace is a mistake. */
function unescape(element: string, at: string, problems: Problems): string {
  const rest = withoutEscapes(element)
  if (element.includes(NUL)) problems.error('wrong_type', at, 'an argv entry cannot hold NUL')
  else if (QUOTED_PLACEHOLDER.test(rest)) problems.error('placeholder_quoted', at, quotedMessage(element))
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

function quotedMessage(element: string): string {
  return `${element} is quoted: write the placeholder alone, a value is always one entry`
}

function withoutEscapes(element: string): string {
  return element.replaceAll(/\{\{|\}\}/g, '')
}

/** Ruling 7: where an absent value's entry vanishes, its neighbours shift. */
function warnOfGaps(
  tokens: readonly Token[],
  elements: readonly WrittenEntry[],
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
      elements.find(({ text }) => text === `{${token.value}}`)?.at ?? command.path,
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
  for (const option of optionsBeforeFirstValue(tokens))
    problems.warning('option_before_eoo', at, `"${END_OF_OPTIONS}" will stand between "${option}" and its value`)
  return tokens.map(markValue)
}

function markValue(token: Token): Token {
  if ('value' in token) return { ...token, afterOptions: true }
  if ('tokens' in token) return { ...token, tokens: token.tokens.map(markValue) }
  if (!('cases' in token)) return token
  const cases = Object.entries(token.cases).map(([value, tokens]) => [value, tokens.map(markValue)] as const)
  return { ...token, cases: Object.fromEntries(cases) }
}

function optionBefore(tokens: readonly Token[], index: number): string | undefined {
  const before = tokens[index - 1]
  if (before === undefined || !('literal' in before) || before.literal === END_OF_OPTIONS) return undefined
  return before.literal.startsWith('-') ? before.literal : undefined
}

/** The options that stand directly before what can be the first value of a call, also inside a fragment. */
function optionsBeforeFirstValue(tokens: readonly Token[]): readonly string[] {
  const first = tokens.findIndex(token => 'value' in token)
  const before = first === -1 ? tokens : tokens.slice(0, first)
  const option = optionBefore(tokens, first)
  return [...before.flatMap(fragmentsOf).flatMap(optionsBeforeFirstValue), ...(option === undefined ? [] : [option])]
}

function fragmentsOf(token: Token): readonly (readonly Token[])[] {
  if ('tokens' in token) return [token.tokens]
  return 'cases' in token ? Object.values(token.cases) : []
}
