// Which declaration every name of a program means (ECMA-262, 8.2 and 10.2.11): `var` belongs to its function, every other
// declaration to its block, and the default of a parameter does not see what the body declares.
import type { AnyNode, Class, Identifier, Node, Program } from 'acorn'
import { childrenOf } from './javascript.ts'

export interface Binding {
  readonly name: string
  /** Where it gets a value; its declaration is among them where that gives it one. */
  readonly writes: readonly Identifier[]
  readonly reads: readonly Identifier[]
  /** What it holds where there is one write and that says so: an expression, or the function or class it names. */
  readonly value: AnyNode | undefined
}

export type FunctionNode = Extract<
  AnyNode,
  { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>

export interface Names {
  /** The binding of a name that is read or written, nothing for one that is declared nowhere. */
  readonly bindingOf: (name: Identifier) => Binding | undefined
  readonly parentOf: (node: Node) => AnyNode | undefined
  /** Names declared nowhere, where they are read and where they are written. */
  readonly free: { readonly reads: readonly Identifier[]; readonly writes: readonly Identifier[] }
  readonly given: ReadonlyMap<string, Binding>
  /** The functions that look at their `arguments`. */
  readonly variadic: ReadonlySet<FunctionNode>
  /** Declarations of the outermost level that a parameter of the same name forbids. */
  readonly collisions: readonly Identifier[]
}

/**
 * Looks up all names of a function's body; `given` are that function's parameters. It recurses: the tree must be shallow,
 * as those of `parseFunctionBody` are.
 */
export function namesOf(program: Program, given: readonly string[]): Names {
  const around: Scope = { names: new Map(given.map(name => [name, bindingNamed(name)])) }
  const state: State = {
    bindings: new Map(),
    parents: new Map(),
    free: { reads: [], writes: [] },
    variadic: new Set(),
    collisions: [],
  }
  link(program, state.parents)
  const body = openBody(program.body, around)
  for (const statement of program.body)
    if (!isFunction(statement))
      state.collisions.push(...lexicalNames(statement).filter(({ name }) => around.names.has(name)))
  for (const statement of program.body) visit(statement, body, state)
  return {
    ...state,
    given: around.names,
    bindingOf: name => state.bindings.get(name),
    parentOf: node => state.parents.get(node),
  }
}

interface State {
  readonly bindings: Map<Identifier, Binding>
  readonly parents: Map<Node, AnyNode>
  readonly free: { readonly reads: Identifier[]; readonly writes: Identifier[] }
  readonly variadic: Set<FunctionNode>
  readonly collisions: Identifier[]
}

interface KnownBinding extends Binding {
  readonly writes: Identifier[]
  readonly reads: Identifier[]
  value: AnyNode | undefined
}

interface Scope {
  readonly names: Map<string, KnownBinding>
  readonly outer?: Scope
}

function bindingNamed(name: string): KnownBinding {
  return { name, writes: [], reads: [], value: undefined }
}

function open(outer: Scope, names: readonly Identifier[]): Scope {
  return { outer, names: new Map(names.map(({ name }) => [name, bindingNamed(name)])) }
}

/** The body of a function: what `var` and `function` name like a parameter is that parameter. */
function openBody(statements: readonly AnyNode[], parameters: Scope): Scope {
  const [functions, others] = [statements.filter(isFunction), statements.filter(one => !isFunction(one))]
  const shared = [...functions.flatMap(lexicalNames), ...statements.flatMap(varNames)]
  const added = shared.filter(({ name }) => !parameters.names.has(name))
  return open(parameters, [...others.flatMap(lexicalNames), ...added])
}

/** What a statement declares in its block. */
function lexicalNames(statement: AnyNode): readonly Identifier[] {
  switch (statement.type) {
    case 'VariableDeclaration':
      return statement.kind === 'var' ? [] : statement.declarations.flatMap(({ id }) => patternNames(id))
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return statement.id === null ? [] : [statement.id]
    case 'ImportDeclaration':
      return statement.specifiers.map(({ local }) => local)
    case 'ExportNamedDeclaration':
      return statement.declaration ? lexicalNames(statement.declaration) : []
    default:
      return []
  }
}

/** What `var` declares in the function around a node, however deep in its blocks. */
function varNames(node: AnyNode): readonly Identifier[] {
  if (node.type === 'VariableDeclaration' && node.kind === 'var')
    return [...node.declarations.flatMap(({ id }) => patternNames(id)), ...childrenOf(node).flatMap(varNames)]
  if (isFunction(node) || node.type === 'StaticBlock') return []
  return childrenOf(node).flatMap(varNames)
}

/** The names a pattern binds. */
function patternNames(pattern: AnyNode): readonly Identifier[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern]
    case 'ObjectPattern':
      return pattern.properties.flatMap(property =>
        patternNames(property.type === 'RestElement' ? property.argument : property.value),
      )
    case 'ArrayPattern':
      return pattern.elements.flatMap(element => (element === null ? [] : patternNames(element)))
    case 'AssignmentPattern':
      return patternNames(pattern.left)
    case 'RestElement':
      return patternNames(pattern.argument)
    default:
      return []
  }
}

export function isFunction(node: AnyNode): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'
  )
}

function visit(node: AnyNode, scope: Scope, state: State): void {
  const all = (nodes: readonly (AnyNode | null | undefined)[], within: Scope): void => {
    for (const one of nodes) if (one) visit(one, within, state)
  }
  switch (node.type) {
    case 'Identifier':
      return read(node, scope, state)
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return visitFunction(node, scope, state)
    case 'ClassDeclaration':
    case 'ClassExpression':
      return visitClass(node, scope, state)
    case 'BlockStatement':
      return all(node.body, open(scope, node.body.flatMap(lexicalNames)))
    case 'StaticBlock':
      return all(node.body, openBody(node.body, open(scope, [])))
    case 'ForStatement':
      return all([node.init, node.test, node.update, node.body], open(scope, node.init ? lexicalNames(node.init) : []))
    case 'ForInStatement':
    case 'ForOfStatement': {
      const inner = open(scope, lexicalNames(node.left))
      for (const target of node.left.type === 'VariableDeclaration' ? node.left.declarations : [node.left])
        write(target.type === 'VariableDeclarator' ? target.id : target, { scope: inner, state })
      return all([node.right, node.body], inner)
    }
    case 'SwitchStatement': {
      visit(node.discriminant, scope, state)
      return all(node.cases, open(scope, node.cases.flatMap(({ consequent }) => consequent).flatMap(lexicalNames)))
    }
    case 'CatchClause': {
      const inner = open(scope, node.param ? patternNames(node.param) : [])
      if (node.param) write(node.param, { scope: inner, state })
      return visit(node.body, inner, state)
    }
    case 'VariableDeclarator':
      if (node.init) write(node.id, { scope, state, value: node.init })
      else if (node.id.type !== 'Identifier') write(node.id, { scope, state })
      return all([node.init], scope)
    case 'AssignmentExpression':
      write(node.left, { scope, state, value: node.operator === '=' ? node.right : undefined })
      return visit(node.right, scope, state)
    case 'UpdateExpression':
      return write(node.argument, { scope, state })
    default:
      return all(namedParts(node), scope)
  }
}

/** The children of a node that hold names of variables: not those of properties, labels and modules. */
function namedParts(node: AnyNode): readonly (AnyNode | null | undefined)[] {
  switch (node.type) {
    case 'MemberExpression':
      return node.computed ? [node.object, node.property] : [node.object]
    case 'Property':
    case 'PropertyDefinition':
    case 'MethodDefinition':
      return node.computed ? [node.key, node.value] : [node.value]
    case 'LabeledStatement':
      return [node.body]
    case 'ExportNamedDeclaration':
      return [node.declaration]
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'MetaProperty':
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
      return []
    default:
      return childrenOf(node)
  }
}

function visitFunction(node: FunctionNode, scope: Scope, state: State): void {
  const named = node.type === 'FunctionExpression' && node.id ? open(scope, [node.id]) : scope
  if (node.type !== 'ArrowFunctionExpression' && node.id) bind(node.id, named, { state, value: node })
  const parameters = open(named, node.params.flatMap(patternNames))
  const own = bindingNamed('arguments')
  if (node.type !== 'ArrowFunctionExpression' && !parameters.names.has(own.name)) parameters.names.set(own.name, own)
  for (const parameter of node.params) write(parameter, { scope: parameters, state })
  if (node.body.type === 'BlockStatement') {
    const body = openBody(node.body.body, parameters)
    for (const statement of node.body.body) visit(statement, body, state)
  } else visit(node.body, parameters, state)
  if (own.reads.length > 0) state.variadic.add(node)
}

function visitClass(node: Class & AnyNode, scope: Scope, state: State): void {
  const inner = open(scope, node.id ? [node.id] : [])
  if (node.id) {
    if (node.type === 'ClassDeclaration') bind(node.id, scope, { state, value: node })
    bind(node.id, inner, { state, value: node })
  }
  if (node.superClass) visit(node.superClass, inner, state)
  for (const member of node.body.body) visit(member, inner, state)
}

interface Target {
  readonly scope: Scope
  readonly state: State
  readonly value?: AnyNode | undefined
}

/** A pattern that gets a value; only a name alone gets the whole of it. */
function write(pattern: AnyNode, { scope, state, value }: Target): void {
  const part = { scope, state }
  switch (pattern.type) {
    case 'Identifier':
      return bind(pattern, scope, { state, value })
    case 'ParenthesizedExpression':
      return write(pattern.expression, { scope, state, value })
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        if (property.type === 'RestElement') write(property.argument, part)
        else {
          if (property.computed) visit(property.key, scope, state)
          write(property.value, part)
        }
      }
      return
    case 'ArrayPattern':
      for (const element of pattern.elements) if (element !== null) write(element, part)
      return
    case 'AssignmentPattern':
      write(pattern.left, part)
      return visit(pattern.right, scope, state)
    case 'RestElement':
      return write(pattern.argument, part)
    default:
      return visit(pattern, scope, state)
  }
}

function bind(name: Identifier, scope: Scope, { state, value }: Omit<Target, 'scope'>): void {
  const binding = find(name.name, scope)
  if (binding === undefined) return void state.free.writes.push(name)
  state.bindings.set(name, binding)
  binding.writes.push(name)
  binding.value = binding.writes.length === 1 ? value : undefined
}

function read(name: Identifier, scope: Scope, state: State): void {
  const binding = find(name.name, scope)
  if (binding === undefined) return void state.free.reads.push(name)
  state.bindings.set(name, binding)
  binding.reads.push(name)
}

function find(name: string, scope: Scope): KnownBinding | undefined {
  let at: Scope | undefined = scope
  while (at !== undefined) {
    const binding = at.names.get(name)
    if (binding !== undefined) return binding
    at = at.outer
  }
  return undefined
}

function link(node: AnyNode, parents: Map<Node, AnyNode>): void {
  for (const child of childrenOf(node)) {
    parents.set(child, node)
    link(child, parents)
  }
}
