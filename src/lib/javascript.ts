// Foreign code as a syntax tree. JavaScript is read as it stands; what is no JavaScript is read as TypeScript, and only
// when that reading is shallow and holds nothing but types is it given to Node's type stripper: that one never comes back
// from some texts (`<A>(<A>(…`), and after a deep one it fails for the rest of the process.
import { stripTypeScriptTypes } from 'node:module'
import { tsPlugin } from '@sveltejs/acorn-typescript'
import { Parser } from 'acorn'
import type { AnyNode, Node, Options, Program, TokenType } from 'acorn'
import type { Position } from '../core/tool.ts'

export type ParsedCode =
  | {
      readonly ok: true
      /** What to run: the text without types, every remaining character at its place. */
      readonly javascript: string
      readonly program: Program
    }
  | { readonly ok: false; readonly problems: readonly CodeError[] }

/** `position` is 1-based, in the text that was given. */
export interface CodeError {
  readonly message: string
  readonly position: Position
}

/** UTF-16 units of one text. */
const MAX_LENGTH = 64 << 10
/** Levels of the tree, so that whoever walks it may recurse. */
const MAX_DEPTH = 250
/** A text within MAX_LENGTH has fewer; reading it again and again to find out what it means has more. */
const MAX_TOKENS = 100_000

/**
 * Reads the body of an async function: `return` and `await` stand at its top level. Imports and exports are read too, for
 * whoever wants to say that they are refused. Never throws.
 */
export function parseFunctionBody(text: string): ParsedCode {
  if (text.length > MAX_LENGTH) return refuse(`the code is longer than ${MAX_LENGTH} characters`)
  const plain = parse(Parser, text)
  if ('program' in plain) return finish(text, plain)
  const typed = parse(TypedParser, text)
  if (!('program' in typed)) return { ok: false, problems: [typed.offset > plain.offset ? typed : plain] }
  const untranslatable = problemsOf(typed.program)
  if (untranslatable.length > 0) return { ok: false, problems: untranslatable }
  const javascript = strip(text)
  const stripped = javascript === undefined ? undefined : parse(Parser, javascript)
  return javascript === undefined || stripped === undefined || !('program' in stripped)
    ? { ok: false, problems: [plain] }
    : finish(javascript, stripped)
}

/** What a node is made of, in the order of the text. */
export function childrenOf(node: Node): readonly AnyNode[] {
  const values: readonly unknown[] = Object.values(node)
  return values.flat().filter(isNode)
}

export function startOf(node: Node): Position {
  const { line = 1, column = 0 } = node.loc?.start ?? {}
  return { line, column: column + 1 }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

// The one method that every reading of a token ends in; acorn's plugins are built on it, its types leave it out.
declare module 'acorn' {
  interface Parser {
    finishToken(type: TokenType, value?: unknown): void
  }
}

const TypedParser = Parser.extend(
  tsPlugin(),
  Base =>
    class extends Base {
      private read = 0
      override finishToken(type: TokenType, value?: unknown): void {
        if (++this.read > MAX_TOKENS) throw new TooAmbiguous()
        super.finishToken(type, value)
      }
    },
)

class TooAmbiguous extends Error {}

interface Tree {
  readonly program: Program
  /** Where a comment begins that only a web page has. */
  readonly markup: readonly Position[]
}

interface Failure extends CodeError {
  readonly offset: number
}

function parse(parser: typeof Parser, text: string): Tree | Failure {
  const markup: Position[] = []
  const options: Options = {
    ecmaVersion: 'latest',
    sourceType: 'script',
    locations: true,
    preserveParens: true,
    allowHashBang: false,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowImportExportEverywhere: true,
    onComment: (block, _text, start, _end, at) => {
      if (!block && !text.startsWith('//', start) && at !== undefined)
        markup.push({ line: at.line, column: at.column + 1 })
    },
  }
  try {
    return { program: parser.parse(text, options), markup }
  } catch (error) {
    if (isParseError(error)) {
      const { loc, pos } = error
      const message = error.message.replace(/ \(\d+:\d+\)$/, '')
      return { message, position: { line: loc.line, column: loc.column + 1 }, offset: pos }
    }
    if (error instanceof TooAmbiguous || error instanceof RangeError)
      return { message: 'the code is too deeply nested to be read', position: START, offset: Infinity }
    throw error
  }
}

const START: Position = { line: 1, column: 1 }

interface ParseError extends SyntaxError {
  readonly pos: number
  readonly loc: { readonly line: number; readonly column: number }
}

function isParseError(error: unknown): error is ParseError {
  return error instanceof SyntaxError && 'pos' in error && 'loc' in error
}

function refuse(message: string, position = START): ParsedCode {
  return { ok: false, problems: [{ message, position }] }
}

function finish(javascript: string, { program, markup }: Tree): ParsedCode {
  const [comment] = markup
  // Whether it is a comment or an operator depends on how the text is run.
  if (comment !== undefined) return refuse('comments are written // or /* */', comment)
  return isTooDeep(program)
    ? refuse(`the code is nested deeper than ${MAX_DEPTH} levels`)
    : { ok: true, javascript, program }
}

function isTooDeep(root: Node): boolean {
  let level: readonly Node[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap(childrenOf)
  }
  return false
}

/** TypeScript that is more than types: taking the types away would not leave what was meant. */
const UNTRANSLATABLE: Readonly<Record<string, string>> = {
  TSEnumDeclaration: 'an enum is more than a type: use a constant object',
  TSModuleDeclaration: 'a namespace is more than a type: use a constant object',
  TSParameterProperty: 'a parameter property is more than a type: assign it in the constructor',
  TSTypeAssertion: 'write `value as Type` instead of `<Type>value`',
  TSImportEqualsDeclaration: '`import =` is no type',
  TSExportAssignment: '`export =` is no type',
  Decorator: 'decorators cannot be run',
}

function problemsOf(program: Program): readonly CodeError[] {
  if (isTooDeep(program)) return [{ message: `the code is nested deeper than ${MAX_DEPTH} levels`, position: START }]
  const found: CodeError[] = []
  const visit = (node: Node): void => {
    const message = Object.hasOwn(UNTRANSLATABLE, node.type) ? UNTRANSLATABLE[node.type] : undefined
    if (message !== undefined) found.push({ message, position: startOf(node) })
    for (const child of childrenOf(node)) visit(child)
  }
  visit(program)
  return found
}

/** Nothing where Node does not take it. Its warning that this is new is no business of whoever runs us. */
function strip(text: string): string | undefined {
  const emitWarning = Reflect.getOwnPropertyDescriptor(process, 'emitWarning')
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(`${OPENING}${text}\n}`).slice(OPENING.length, -2)
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  } finally {
    if (emitWarning !== undefined) Reflect.defineProperty(process, 'emitWarning', emitWarning)
  }
}

/** So that `return` and `await` mean what they do in a function. */
const OPENING = 'async function body() {'
