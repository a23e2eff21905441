// The code of a composite as its author can be told about it before it ever runs: which tools it calls, and what it may
// not do (DADL spec 12.2 to 12.4, 15.2). What is reported is certain; what reading cannot tell is left to the sandbox.
import type { AnyNode } from 'acorn'
import type { Severity } from '../../core/diagnostic.ts'
import { constantsOf } from '../../lib/javascript-constants.ts'
import { namesOf } from '../../lib/javascript-names.ts'
import { parseFunctionBody, startOf } from '../../lib/javascript.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { apiUseOf } from './composite-api.ts'
import { forbiddenReaches } from './composite-globals.ts'

export interface CodeProblem {
  readonly code:
    | 'composite_syntax'
    | 'composite_unknown_tool'
    | 'composite_calls_composite'
    | 'composite_dynamic'
    | 'composite_forbidden'
  readonly severity: Severity
  readonly message: string
  /** 1-based, in the text of the code. */
  readonly line: number
  readonly column: number
}

/** The names of one document, this composite's own among the `composites`. */
export interface KnownNames {
  readonly tools: ReadonlySet<string>
  readonly composites: ReadonlySet<string>
}

/** All problems of one composite's code, in the order of the text. Never throws. */
export function scanComposite(code: string, known: KnownNames): readonly CodeProblem[] {
  const read = readComposite(code)
  if ('problems' in read) return read.problems
  const { use, program, names, constants } = read
  return [
    ...names.collisions
      .filter(({ name }) => PARAMETERS.includes(name))
      .map(at => problem('composite_syntax', at, `"${at.name}" is declared already: it is what the code is given`)),
    ...use.named.flatMap(({ tool, at }) => judgeTool(tool, at, known)),
    ...use.dynamic.map(({ at, message }) => problem('composite_dynamic', at, message)),
    ...forbiddenReaches(program, names, constants).map(({ at, message, severity }) => ({
      ...problem('composite_forbidden', at, message),
      severity,
    })),
  ].toSorted((a, b) => a.line - b.line || a.column - b.column)
}

/** The names a composite calls by name, known or not, each once; none where the code cannot be read. */
export function usedTools(code: string): readonly string[] {
  const read = readComposite(code)
  return 'problems' in read ? [] : [...new Set(read.use.named.map(({ tool }) => tool))]
}

/** DADL spec 12.3: what the function is given. The rest is around it. */
const PARAMETERS = ['api', 'params']

function readComposite(code: string) {
  const parsed = parseFunctionBody(code)
  if (!parsed.ok)
    return {
      problems: parsed.problems.map(({ message, position }) => ({
        code: 'composite_syntax' as const,
        severity: 'error' as const,
        message,
        ...position,
      })),
    }
  const names = namesOf(parsed.program, [...PARAMETERS, 'console', 'arguments'])
  const constants = constantsOf(names)
  return { program: parsed.program, names, constants, use: apiUseOf(names, constants) }
}

function judgeTool(tool: string, at: AnyNode, { tools, composites }: KnownNames): readonly CodeProblem[] {
  if (tools.has(tool)) return []
  if (composites.has(tool))
    return [
      problem('composite_calls_composite', at, `"${tool}" is a composite: composites call tools only (DADL spec 12.4)`),
    ]
  const meant = didYouMean(nearest(tool, tools))
  return [problem('composite_unknown_tool', at, `"${tool}" is no tool of this document${meant}`)]
}

function problem(code: CodeProblem['code'], at: AnyNode, message: string): CodeProblem {
  return { code, severity: 'error', message, ...startOf(at) }
}
