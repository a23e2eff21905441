// Foreign text inside generated TypeScript: whatever it holds, it stays in its string or its comment, and drives no terminal.

/** A string literal. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(UNSAFE, escaped)
}

/** A member's name: as it is where that is an identifier, else quoted. `new` would declare a constructor. */
export function memberName(name: string): string {
  return IDENTIFIER.test(name) && name !== 'new' ? name : quoted(name)
}

/** What follows the object in code that takes a member of it. */
export function memberAccess(name: string): string {
  return IDENTIFIER.test(name) ? `.${name}` : `[${quoted(name)}]`
}

export const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

/** Text as lines of a block comment. A line cannot end the comment, nor begin a tag such as `@deprecated`. */
export function commentLines(text: string): readonly string[] {
  const lines = text.split(LINE_END).map(line => inComment(line.trimEnd()))
  const first = lines.findIndex(line => line !== '')
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex(line => line !== '') + 1)
}

/** Text on one line, for the same comments and for those that begin with `//`. */
export function commentLine(text: string): string {
  return inComment(text.replaceAll(BLANK, ' ').trim())
}

/** The first paragraph of a description, cut to one line. */
export function summary(text: string): string {
  const [first = ''] = text.trim().split(/\r?\n\s*\n/)
  return cut(first.replaceAll(BLANK, ' ').trim(), SUMMARY_LENGTH)
}

/** At most so many characters, where it can between two words. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const kept = text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
  const space = kept.lastIndexOf(' ')
  return `${space > length / 2 ? kept.slice(0, space) : kept}…`
}

/** A documentation comment; nothing where there is nothing to say. */
export function docComment(lines: readonly string[]): readonly string[] {
  const [only = ''] = lines
  if (lines.length === 0) return []
  if (lines.length === 1) return [`/** ${only} */`]
  return ['/**', ...lines.map(line => (line === '' ? ' *' : ` * ${line}`)), ' */']
}

export function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}

const SUMMARY_LENGTH = 100
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/
const BLANK = /[\s\u0085]+/g
/** What ends a line, steers a terminal, reorders a line or is no text. */
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

function inComment(line: string): string {
  return line
    .replaceAll('\t', '  ')
    .replaceAll(UNSAFE, escaped)
    .replaceAll('*/', String.raw`*\/`)
    .replace(/^([\s*/]*)@/, String.raw`$1\@`)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
