import type { Values } from '../../core/tool.ts'
import type { SimpleToken, Token } from './binding.ts'

/** The tokens of one call: mappings chosen and conditions decided (rulings ToolClad 6 and 8). */
export function expand(tokens: readonly Token[], values: Values): readonly SimpleToken[] {
  return tokens.flatMap(token => {
    if ('choose' in token) {
      const value = Object.hasOwn(values, token.choose) ? values[token.choose] : undefined
      return typeof value === 'string' && Object.hasOwn(token.cases, value)
        ? expand(token.cases[value] ?? [], values)
        : []
    }
    if (!('when' in token)) return [token]
    return token.when.some(group => group.every(comparison => holds(comparison, values)))
      ? expand(token.tokens, values)
      : []
  })
}

function holds({ name, equal, literal }: { name: string; equal: boolean; literal: string }, values: Values): boolean {
  return ((Object.hasOwn(values, name) ? values[name] : '') === literal) === equal
}
