/** One word of a command line, and whether any of it stood in quotes or behind a backslash. */
export interface Word {
  readonly text: string
  readonly quoted: boolean
}

export type Split =
  | { readonly ok: true; readonly words: readonly Word[] }
  | { readonly ok: false; readonly message: string }

/** Splits as a POSIX shell would, and does nothing else a shell does: no variables, no globs, no commands. */
export function splitWords(text: string): Split {
  const words: Word[] = []
  let current: { text: string; quoted: boolean } | undefined
  let quote: '"' | "'" | undefined
  const add = (piece: string, quoted: boolean): void => {
    current = { text: (current?.text ?? '') + piece, quoted: quoted || current?.quoted === true }
  }
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (quote !== undefined) {
      if (character === quote) quote = undefined
      else if (character === '\\' && quote === '"' && '"\\$`'.includes(text.charAt(at + 1) || ' '))
        add(text.charAt(++at), true)
      else add(character, true)
    } else if (character === '"' || character === "'") {
      quote = character
      add('', true)
    } else if (character === '\\') {
      if (at + 1 === text.length) return { ok: false, message: 'it ends in a backslash' }
      add(text.charAt(++at), true)
    } else if (/[ \t\r\n]/.test(character)) {
      if (current !== undefined) words.push(current)
      current = undefined
    } else add(character, false)
  }
  if (quote !== undefined) return { ok: false, message: `a ${quote} is not closed` }
  if (current !== undefined) words.push(current)
  return { ok: true, words }
}
