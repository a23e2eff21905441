// Which tools a composite reaches through `api`. Every place the object itself can get to is followed: under another name,
// taken apart, as the argument of a function of the same code. Where it goes further, reading no longer tells which tool is
// meant, and that place is a finding.
import type { AnyNode, CallExpression, MemberExpression, ObjectPattern } from 'acorn'
import type { Constants } from '../../lib/javascript-constants.ts'
import { isFunction } from '../../lib/javascript-names.ts'
import type { Binding, FunctionNode, Names } from '../../lib/javascript-names.ts'

export interface ApiUse {
  /** Tools, where they are named. */
  readonly named: readonly { readonly tool: string; readonly at: AnyNode }[]
  /** Where it cannot be told which tool is meant, and why. */
  readonly dynamic: readonly { readonly at: AnyNode; readonly message: string }[]
}

/** What is reached through the given name `api` of a program. */
export function apiUseOf(names: Names, constants: Constants): ApiUse {
  const use: Follow = { names, constants, named: [], dynamic: [], holders: new Set() }
  const api = names.given.get('api')
  if (api !== undefined) use.holders.add(api)
  for (const at of api?.writes ?? []) use.dynamic.push({ at, message: 'api cannot be given another value' })
  for (const at of names.given.get('arguments')?.reads ?? [])
    use.dynamic.push({ at, message: `arguments holds api: ${ADVICE}` })
  // A set is walked to its end, those included that are added on the way.
  for (const holder of use.holders) for (const name of holder.reads) follow(name, use)
  return use
}

interface Follow {
  readonly names: Names
  readonly constants: Constants
  readonly named: { readonly tool: string; readonly at: AnyNode }[]
  readonly dynamic: { readonly at: AnyNode; readonly message: string }[]
  /** What holds the object `api`. */
  readonly holders: Set<Binding>
}

const ADVICE = 'call tools as api.NAME, so that it can be told which they are'

/** From a place whose value is `api` outwards, as long as that stays the value. */
function follow(start: AnyNode, use: Follow): void {
  let node = start
  for (;;) {
    const parent = use.names.parentOf(node)
    if (parent === undefined) return
    const next = stepOf(node, parent, use)
    if (next === 'lost') lose(node, use)
    if (next !== 'on') return
    node = parent
  }
}

function lose(at: AnyNode, use: Follow): void {
  use.dynamic.push({ at, message: `api is passed on: ${ADVICE}` })
}

/** `on`: the parent has the same value; `done`: nothing more can come of it; `lost`: nobody can say. */
function stepOf(node: AnyNode, parent: AnyNode, use: Follow): 'on' | 'done' | 'lost' {
  switch (parent.type) {
    case 'ParenthesizedExpression':
    case 'AwaitExpression':
      return 'on'
    case 'LogicalExpression':
      return parent.operator === '&&' && parent.left === node ? 'done' : 'on'
    case 'ConditionalExpression':
      return parent.test === node ? 'done' : 'on'
    case 'SequenceExpression':
      return parent.expressions.at(-1) === node ? 'on' : 'done'
    case 'UnaryExpression':
    case 'BinaryExpression':
    case 'ExpressionStatement':
    case 'IfStatement':
      return 'done'
    case 'MemberExpression':
      if (parent.object === node) useMember(parent, use)
      return 'done'
    case 'VariableDeclarator':
      give(parent.id, use)
      return 'done'
    case 'AssignmentPattern':
      give(parent.left, use)
      return 'done'
    case 'AssignmentExpression':
      give(parent.left, use)
      return 'on'
    case 'CallExpression':
      return pass(node, parent, use)
    default:
      return 'lost'
  }
}

/** A name or a pattern gets the object. */
function give(pattern: AnyNode, use: Follow): void {
  switch (pattern.type) {
    case 'ParenthesizedExpression':
      return give(pattern.expression, use)
    case 'AssignmentPattern':
      return give(pattern.left, use)
    case 'ObjectPattern':
      return takeApart(pattern, use)
    case 'Identifier': {
      const binding = use.names.bindingOf(pattern)
      if (binding?.writes.length !== 1) return lose(pattern, use)
      use.holders.add(binding)
      return
    }
    default:
      return lose(pattern, use)
  }
}

/** Arguments further back are not followed. */
const MAX_ARGUMENTS = 32

/** An argument is followed into a function whose code is known. */
function pass(node: AnyNode, call: CallExpression, use: Follow): 'done' | 'lost' {
  const index = call.arguments.slice(0, MAX_ARGUMENTS).findIndex(argument => argument === node)
  const callee = index === -1 ? undefined : functionOf(call.callee, use.names)
  if (callee === undefined || use.names.variadic.has(callee)) return 'lost'
  if (call.arguments.slice(0, index).some(({ type }) => type === 'SpreadElement')) return 'lost'
  const parameter = callee.params[index] ?? callee.params.find(({ type }) => type === 'RestElement')
  if (parameter !== undefined) give(parameter, use)
  return 'done'
}

function functionOf(callee: AnyNode, names: Names): FunctionNode | undefined {
  if (callee.type === 'ParenthesizedExpression') return functionOf(callee.expression, names)
  const code = callee.type === 'Identifier' ? names.bindingOf(callee)?.value : callee
  return code !== undefined && isFunction(code) ? code : undefined
}

function useMember(member: MemberExpression, use: Follow): void {
  useKey(member.property, member.computed, use)
  if (isTarget(member, use.names)) use.dynamic.push({ at: member, message: 'the tools of api cannot be changed' })
}

function takeApart(pattern: ObjectPattern, use: Follow): void {
  for (const property of pattern.properties) {
    if (property.type === 'RestElement') lose(property, use)
    else useKey(property.key, property.computed, use)
  }
}

function useKey(key: AnyNode, computed: boolean, use: Follow): void {
  const named = !computed && key.type === 'Identifier' ? [key.name] : use.constants(key)
  if (named === undefined) use.dynamic.push({ at: key, message: `the name of a tool is computed: ${ADVICE}` })
  for (const tool of named ?? []) use.named.push({ tool, at: key })
}

/** Whether something is assigned to it, in whatever way. */
export function isTarget(node: AnyNode, names: Names): boolean {
  const parent = names.parentOf(node)
  switch (parent?.type) {
    case 'ParenthesizedExpression':
      return isTarget(parent, names)
    case 'AssignmentExpression':
    case 'AssignmentPattern':
    case 'ForInStatement':
    case 'ForOfStatement':
      return parent.left === node
    case 'UpdateExpression':
    case 'ArrayPattern':
    case 'RestElement':
      return true
    case 'UnaryExpression':
      return parent.operator === 'delete'
    case 'Property':
      return parent.value === node && names.parentOf(parent)?.type === 'ObjectPattern'
    default:
      return false
  }
}
