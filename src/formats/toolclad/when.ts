// The closed vocabulary of `when` (ruling 8): comparisons of a name with a literal, `and`, `or`; no parentheses.
import type { Comparison } from '../../backends/command/binding.ts'
import { toDecimal } from '../../lib/decimal.ts'
import { NUMBER, WHEN_TOKEN } from './spec.ts'

export type ParsedWhen =
  /** One of these has to hold whole. */
  | { readonly ok: true; readonly anyOf: readonly (readonly Comparison[])[] }
  | { readonly ok: false; readonly message: string }

export function parseWhen(text: string): ParsedWhen {
  const tokens = text.match(WHEN_TOKEN) ?? []
  const stray = strayOf(text, tokens)
  if (stray !== undefined) return { ok: false, message: `"${stray}" is none of a name, a literal, ==, !=, and, or` }
  const anyOf: Comparison[][] = [[]]
  for (let at = 0; ; at += 4) {
    const [name = '', operator = '', literal = ''] = tokens.slice(at, at + 3)
    const value = literalOf(literal)
    if (!/^[A-Za-z_]\w*$/.test(name) || !['==', '!='].includes(operator) || value === undefined)
      return {
        ok: false,
        message: `expected NAME == LITERAL or NAME != LITERAL, found "${tokens.slice(at, at + 3).join(' ')}"`,
      }
    anyOf.at(-1)?.push({ name, equal: operator === '==', literal: value })
    const joint = tokens[at + 3]
    if (joint === undefined) return { ok: true, anyOf }
    if (joint === 'or') anyOf.push([])
    else if (joint !== 'and') return { ok: false, message: `expected "and" or "or", found "${joint}"` }
  }
}

/** The first thing between the tokens that is not white space. */
function strayOf(text: string, tokens: readonly string[]): string | undefined {
  let at = 0
  for (const token of tokens) {
    const found = text.indexOf(token, at)
    const between = text.slice(at, found).trim()
    if (between !== '') return between
    at = found + token.length
  }
  return text.slice(at).trim() || undefined
}

/** A quoted text, a number or a boolean, as the values it is compared with are written. */
function literalOf(token: string): string | undefined {
  if (/^(['"]).*\1$/s.test(token) && token.length > 1) return token.slice(1, -1)
  if (token === 'true' || token === 'false') return token
  if (!NUMBER.test(token)) return undefined
  return /^[+-]?\d+$/.test(token) ? String(BigInt(token.replace('+', ''))) : toDecimal(Number(token))
}
