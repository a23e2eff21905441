// What a person sees may not drive their terminal or reorder their line, whoever wrote it.

/** Text with control characters, line separators and bidirectional controls as `\\u001b`; newlines and tabs stay. */
export function visible(text: string): string {
  return text.replaceAll(UNSAFE, character =>
    character === '\n' || character === '\t' ? character : escaped(character),
  )
}

/** The same for one line: newlines and tabs are escaped too. */
export function visibleLine(text: string): string {
  return text.replaceAll(UNSAFE, character => SHORT.get(character) ?? escaped(character))
}

/** JSON that reads back the same. What JSON itself escapes is left to it. */
export function visibleJson(value: unknown, indent?: number): string {
  return visible(JSON.stringify(value, undefined, indent))
}

const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const SHORT: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
