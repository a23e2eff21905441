// The code of a composite as its author can be told about it before it ever runs: which tools it calls, and what it may
// not do (DADL spec 12.2 to 12.4, 15.2). What is reported is certain; what reading cannot tell is left to the sandbox.
import type { AnyNode, Identifier, Program } from 'acorn'
import type { Severity } from '../../core/diagnostic.ts'
import { constantsOf } from '../../lib/javascript-constants.ts'
import type { Constants } from '../../lib/javascript-constants.ts'
import { namesOf } from '../../lib/javascript-names.ts'
import type { Names } from '../../lib/javascript-names.ts'
import { parseFunctionBody, startOf } from '../../lib/javascript.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { apiUseOf } from './composite-api.ts'
import type { ApiUse } from './composite-api.ts'
import { forbiddenReaches } from './composite-globals.ts'
import type { Reach } from './composite-globals.ts'

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

/** Problems told of one composite: nobody reads more, and each suggestion of a name costs a look at all of them. */
const MAX_PROBLEMS = 100
const MAX_SUGGESTIONS = 5

/** The problems of one composite's code, in the order of the text; of more than a hundred, errors first. Never throws. */
export function scanComposite(code: string, known: KnownNames): readonly CodeProblem[] {
  const read = readComposite(code)
  if ('problems' in read) return read.problems
  const { use, program, names, constants } = read
  const findings: readonly Finding[] = [
    ...names.collisions.filter(({ name }) => PARAMETERS.includes(name)).map(collision),
    ...use.named.flatMap(({ tool, at }) => judgeTool(tool, at, known)),
    ...use.dynamic.map(found => ({ code: 'composite_dynamic' as const, ...found })),
    ...forbiddenReaches(program, names, constants).map(reach => ({ code: 'composite_forbidden' as const, ...reach })),
  ]
  let suggestions = 0
  return findings
    .map(finding => ({ severity: 'error' as const, ...finding, ...startOf(finding.at) }))
    .toSorted((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'))
    .slice(0, MAX_PROBLEMS)
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .map(({ code: problem, severity, message, line, column, unknown }) => {
      const meant = unknown && suggestions++ < MAX_SUGGESTIONS ? nearest(unknown.name, unknown.among) : undefined
      return { code: problem, severity, message: `${message}${didYouMean(meant)}`, line, column }
    })
}

interface Finding extends Reach {
  readonly code: CodeProblem['code']
}

/** The names a composite calls by name, known or not, each once; none where the code cannot be read. */
export function usedTools(code: string): readonly string[] {
  const read = readComposite(code)
  return 'problems' in read ? [] : [...new Set(read.use.named.map(({ tool }) => tool))]
}

/** DADL spec 12.3: what the function is given. The rest is around it. */
const PARAMETERS = ['api', 'params']

type Read = { readonly problems: readonly CodeProblem[] } | Understood

interface Understood {
  readonly program: Program
  readonly names: Names
  readonly constants: Constants
  readonly use: ApiUse
}

function readComposite(code: string): Read {
  const parsed = parseFunctionBody(code)
  if (!parsed.ok)
    return {
      problems: parsed.problems.map(({ message, position }) => ({
        code: 'composite_syntax',
        severity: 'error',
        message,
        ...position,
      })),
    }
  const names = namesOf(parsed.program, [...PARAMETERS, 'console', 'arguments'])
  const constants = constantsOf(names)
  return { program: parsed.program, names, constants, use: apiUseOf(names, constants) }
}

function collision(at: Identifier): Finding {
  return { code: 'composite_syntax', at, message: `"${at.name}" is declared already: it is what the code is given` }
}

function judgeTool(tool: string, at: AnyNode, { tools, composites }: KnownNames): readonly Finding[] {
  if (tools.has(tool)) return []
  if (composites.has(tool))
    return [
      {
        code: 'composite_calls_composite',
        at,
        message: `"${tool}" is a composite: composites call tools only (DADL spec 12.4)`,
      },
    ]
  return [
    {
      code: 'composite_unknown_tool',
      at,
      message: `"${tool}" is no tool of this document`,
      unknown: { name: tool, among: tools },
    },
  ]
}
