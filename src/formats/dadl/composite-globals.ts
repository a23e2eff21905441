// What the code of a composite may not reach (DADL spec 12.4), as far as reading shows it. It goes by names; whatever is
// reached without naming it is for the sandbox to refuse.
import type { AnyNode, Identifier, MemberExpression } from 'acorn'
import type { Severity } from '../../core/diagnostic.ts'
import type { Constants } from '../../lib/javascript-constants.ts'
import type { Names } from '../../lib/javascript-names.ts'
import { childrenOf } from '../../lib/javascript.ts'
import { isTarget } from './composite-api.ts'
import { COMPOSITE_GLOBALS, FORBIDDEN_GLOBALS } from './composite-spec.ts'

export interface Reach {
  readonly at: AnyNode
  readonly message: string
  /** `error` where it is absent. */
  readonly severity?: Severity
  /** A name that is not known, and those it may have been meant for. */
  readonly unknown?: { readonly name: string; readonly among: Iterable<string> }
}

export function forbiddenReaches(root: AnyNode, names: Names, constants: Constants): readonly Reach[] {
  const written = new Set(names.free.writes.map(({ name }) => name))
  const read = names.free.reads.filter(name => !written.has(name.name) && !isCompared(name, names))
  return [
    ...names.free.writes.map(at => error(at, `"${at.name}" is declared nowhere: declare it with const or let`)),
    ...read.flatMap(judgeName),
    ...syntaxOf(root, { names, constants, hasOwnThis: false }),
  ]
}

function error(at: AnyNode, message: string): Reach {
  return { at, message }
}

function judgeName(at: Identifier): readonly Reach[] {
  const why = FORBIDDEN_GLOBALS.get(at.name)
  if (why !== undefined) return [error(at, `"${at.name}" is not for composites: ${why}`)]
  if (COMPOSITE_GLOBALS.has(at.name)) return []
  return [
    {
      at,
      message: `"${at.name}" is declared nowhere and no part of JavaScript`,
      severity: 'warning',
      unknown: { name: at.name, among: ['api', 'params', 'console', ...COMPOSITE_GLOBALS] },
    },
  ]
}

interface Context {
  readonly names: Names
  readonly constants: Constants
  /** Inside a function or class, `this` is what it is called on. */
  readonly hasOwnThis: boolean
}

function syntaxOf(node: AnyNode, context: Context): readonly Reach[] {
  const inner = hasOwnThis(node) ? { ...context, hasOwnThis: true } : context
  return [...judgeNode(node, context), ...childrenOf(node).flatMap(child => syntaxOf(child, inner))]
}

function hasOwnThis({ type }: AnyNode): boolean {
  return ['FunctionDeclaration', 'FunctionExpression', 'PropertyDefinition', 'StaticBlock'].includes(type)
}

function judgeNode(node: AnyNode, context: Context): readonly Reach[] {
  switch (node.type) {
    case 'ImportExpression':
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
    case 'ExportAllDeclaration':
      return [error(node, 'composites load no modules and are none')]
    case 'MetaProperty':
      return node.meta.name === 'import' ? [error(node, 'composites load no modules and are none')] : []
    case 'WithStatement':
      return [error(node, 'with hides which names are meant')]
    case 'ThisExpression':
      return context.hasOwnThis ? [] : [error(node, 'this is the global object here, or nothing')]
    case 'MemberExpression':
      return judgeMember(node, context)
    case 'ObjectPattern':
      return node.properties.flatMap(property =>
        property.type === 'Property' && isConstructor(property.key, property.computed, context)
          ? [error(property.key, CONSTRUCTOR)]
          : [],
      )
    default:
      return []
  }
}

const CONSTRUCTOR = 'a constructor may be compared and asked for its name: everything else could run text as code'

function judgeMember(node: MemberExpression, context: Context): readonly Reach[] {
  const { names } = context
  const found: Reach[] = []
  const isHarmless = isCompared(node, names) || isAskedForName(node, names)
  if (!isHarmless && isConstructor(node.property, node.computed, context)) found.push(error(node.property, CONSTRUCTOR))
  const owner = ownerOf(node, names)
  if (owner !== undefined && isTarget(node, names))
    found.push(error(node, `"${owner}" belongs to everybody and cannot be changed`))
  return found
}

function isConstructor(key: AnyNode, computed: boolean, { constants }: Context): boolean {
  if (!computed && key.type === 'Identifier') return key.name === 'constructor'
  return constants(key)?.includes('constructor') ?? false
}

/** Its value goes no further than into a comparison, a `typeof` or the like. */
function isCompared(node: AnyNode, names: Names): boolean {
  const parent = outsideOf(node, names)
  return parent?.type === 'BinaryExpression' || (parent?.type === 'UnaryExpression' && parent.operator !== 'delete')
}

/** `x.constructor.name` */
function isAskedForName(node: AnyNode, names: Names): boolean {
  const parent = outsideOf(node, names)
  return (
    parent?.type === 'MemberExpression' &&
    !parent.computed &&
    parent.property.type === 'Identifier' &&
    parent.property.name === 'name'
  )
}

/** The parent, without what only holds the same value. */
function outsideOf(node: AnyNode, names: Names): AnyNode | undefined {
  const parent = names.parentOf(node)
  return parent?.type === 'ParenthesizedExpression' || parent?.type === 'ChainExpression'
    ? outsideOf(parent, names)
    : parent
}

/** The name of the global object a chain of members begins at. */
function ownerOf(node: MemberExpression, names: Names): string | undefined {
  let { object }: { readonly object: AnyNode } = node
  while (object.type === 'MemberExpression' || object.type === 'ParenthesizedExpression')
    object = object.type === 'MemberExpression' ? object.object : object.expression
  if (object.type !== 'Identifier') return undefined
  const binding = names.bindingOf(object)
  const isGlobal = binding === undefined || binding === names.given.get('console')
  return isGlobal ? object.name : undefined
}
