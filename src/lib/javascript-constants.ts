// The texts an expression can evaluate to, as far as reading alone tells.
import type { AnyNode } from 'acorn'
import type { Binding, Names } from './javascript-names.ts'

/** The texts of an expression, or nothing where they depend on more than the program's own words. */
export type Constants = (node: AnyNode) => readonly string[] | undefined

/** Texts one expression may stand for, and characters of each; what has more is not followed. */
const MAX_TEXTS = 32
const MAX_LENGTH = 256
/** Steps from one constant to the next. */
const MAX_STEPS = 16

export function constantsOf(names: Names): Constants {
  const known: Reading['known'] = new Map()
  return node => textsOf(node, { names, known, steps: 0 })
}

interface Reading {
  readonly names: Names
  readonly known: Map<Binding, readonly string[] | undefined>
  readonly steps: number
}

function textsOf(node: AnyNode, reading: Reading): readonly string[] | undefined {
  const of = (part: AnyNode): readonly string[] | undefined => textsOf(part, reading)
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : undefined
    case 'ParenthesizedExpression':
      return of(node.expression)
    case 'TemplateLiteral':
      return node.quasis.reduce<readonly string[] | undefined>(
        (texts, { value }, index) => {
          const expression = node.expressions[index - 1]
          return joined(expression === undefined ? texts : joined(texts, of(expression)), [value.cooked ?? ''])
        },
        [''],
      )
    case 'BinaryExpression':
      return node.operator === '+' ? joined(of(node.left), of(node.right)) : undefined
    case 'ConditionalExpression': {
      const [yes, no] = [of(node.consequent), of(node.alternate)]
      return yes && no && few([...yes, ...no])
    }
    case 'Identifier': {
      const binding = reading.names.bindingOf(node)
      return binding && held(binding, reading)
    }
    default:
      return undefined
  }
}

/** Each binding is read once, so that constants made of constants cost no more than they are long. */
function held(binding: Binding, { names, known, steps }: Reading): readonly string[] | undefined {
  if (known.has(binding)) return known.get(binding)
  known.set(binding, undefined)
  const texts =
    binding.value === undefined || steps === MAX_STEPS
      ? undefined
      : textsOf(binding.value, { names, known, steps: steps + 1 })
  known.set(binding, texts)
  return texts
}

function joined(
  left: readonly string[] | undefined,
  right: readonly string[] | undefined,
): readonly string[] | undefined {
  return left && right && few(left.flatMap(start => right.map(end => start + end)))
}

function few(texts: readonly string[]): readonly string[] | undefined {
  return texts.length > MAX_TEXTS || texts.some(({ length }) => length > MAX_LENGTH) ? undefined : texts
}
