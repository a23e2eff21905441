import { readBoolean } from '../section.ts'
import {
  ANY_CONTROL,
  BIDI,
  CONTROL,
  LINE_CONTROL,
  LEADING_DASH,
  METACHARACTER,
  METACHARACTER_BUT_SEPARATOR,
  NUL,
  QUOTE,
  WHITESPACE,
} from '../spec.ts'
import { refuse } from './type.ts'
import type { Hygiene, Judged, TypeContext } from './type.ts'

/**
 * The checks every string-derived type passes before its own (ToolClad spec, Value Hygiene, in that order; metacharacters
 * last, ruling 12). Nothing is trimmed or repaired. `undefined` where the value passes.
 */
export function compileHygiene({ argument, whitespaceCounts, separators = false }: TypeContext): Hygiene {
  const spaced = separators || (whitespaceCounts && readBoolean(argument, 'allow_whitespace'))
  const metacharacter = separators ? METACHARACTER_BUT_SEPARATOR : METACHARACTER
  const dashed = readBoolean(argument, 'allow_leading_dash')
  return value => {
    const invisible = judgeInvisible(value)
    if (invisible !== undefined) return invisible
    if (QUOTE.test(value))
      return refuse('quote', `must not contain a quote or backslash, but has ${shown(value, QUOTE)}`)
    if (!spaced && WHITESPACE.test(value))
      return refuse('whitespace', `must not contain white space, but has ${shown(value, WHITESPACE)}`)
    if (!dashed && LEADING_DASH.test(value)) return refuse('leading_dash', `must not begin with "${value.charAt(0)}"`)
    if (metacharacter.test(value))
      return refuse('metacharacter', `shell metacharacter detected in value: ${shown(value, metacharacter)}`)
    return undefined
  }
}

function judgeInvisible(value: string): Judged | undefined {
  const nul = judgeNul(value)
  if (nul !== undefined) return nul
  const control = judgeControl(value, CONTROL)
  if (control !== undefined) return control
  if (BIDI.test(value)) return refuse('bidi', `must not contain direction controls, but has ${shown(value, BIDI)}`)
  return undefined
}

/** Text a session is sent as one line; the command's pattern says the rest (ruling 20). */
export const judgeSessionText: Hygiene = value => judgeNul(value) ?? judgeControl(value, LINE_CONTROL)

/** Text that reaches a browser as JSON; a pattern may say more (ruling 20). */
export const judgeBrowserText: Hygiene = value => judgeNul(value) ?? judgeControl(value, ANY_CONTROL)

function judgeControl(value: string, rule: RegExp): Judged | undefined {
  if (rule.test(value)) return refuse('control', `must not contain control characters, but has ${shown(value, rule)}`)
  return value.isWellFormed() ? undefined : refuse('surrogate', 'must be Unicode text, but has an unpaired surrogate')
}

/** NUL is refused for every type. */
export function judgeNul(value: string): Judged | undefined {
  return value.includes(NUL) ? refuse('nul', 'must not contain NUL') : undefined
}

/** `U+003B ";" at position 6`: the first character a rule refuses. */
function shown(value: string, rule: RegExp): string {
  const character = rule.exec(value)?.[0] ?? ''
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  const visible = /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? ` ${character}` : ''
  return `U+${code}${visible} at position ${value.search(rule) + 1}`
}
