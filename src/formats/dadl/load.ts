import type { Diagnostic } from '../../core/diagnostic.ts'
import type { Position, Tool } from '../../core/tool.ts'
import type { LoadContext, Loaded } from '../format.ts'
import { compareDocuments } from './against.ts'
import { toApi } from './api.ts'
import { compileTools, COMPOSITES } from './compile.ts'
import type { Problem } from './problems.ts'
import { publishProblems } from './publish.ts'
import { readDocument } from './read-document.ts'
import { compositeAt, toolAt } from './rules/places.ts'
import { runRules } from './rules/run.ts'
import type { Document } from './schema/document.ts'
import { openSource } from './source.ts'
import type { Place, Source } from './source.ts'
import { isFirstVersion } from './spec.ts'

/**
 * Reads one document: parse, fragments, schema, rules, tools. What is wrong is refused in every profile; what is only unknown is
 * an error for who writes it and left aside with a warning by who runs it (DADL spec 15.3). Default profile: `runtime`.
 */
export function load(text: string, context: LoadContext): Loaded {
  const source = openSource(text, context)
  const problems = [...source.problems]
  const { profile = 'runtime' } = context
  const read = source.value === undefined ? undefined : readDocument(source.value, context)
  problems.push(...(read?.problems ?? []))
  const document = read?.document
  if (read !== undefined && document !== undefined)
    problems.push(
      ...runRules({
        document,
        names: read.names,
        profile,
        isFirst: isFirstVersion(document.spec),
        hasUrl: context.api?.url !== undefined,
      }),
    )
  problems.push(...owed(source, context))
  if (document === undefined || problems.some(({ severity }) => severity === 'error'))
    return { tools: [], diagnostics: toDiagnostics(problems, source, context) }
  const tools = compileTools({ document, context, locate: path => positionOf(source.place(path)) })
  if (profile === 'runtime') problems.push(...deniedCalls(tools, document))
  return { tools, api: toApi(document, context), diagnostics: toDiagnostics(problems, source, context) }
}

/** What a registry asks for, and the users of the version before. */
function owed({ value }: Source, { profile, against }: LoadContext): readonly Problem[] {
  if (value === undefined) return []
  const published = profile === 'publish' ? publishProblems(value) : []
  if (against === undefined) return published.map(toError)
  const old = openSource(against.text, { root: '/', ...against })
  const broken = old.problems
    .filter(({ severity }) => severity === 'error')
    .map(problem => ({ ...problem, place: problem.place ?? old.place(problem.path) }))
  return [...broken, ...[...published, ...compareDocuments(old.value, value)].map(toError)]
}

function toError(problem: Pick<Problem, 'code' | 'message' | 'path'>): Problem {
  return { severity: 'error', ...problem }
}

function positionOf({ line, column }: Place): Position {
  return { line, column }
}

function toDiagnostics(problems: readonly Problem[], source: Source, { file }: LoadContext): readonly Diagnostic[] {
  return problems
    .map(({ place, path, within, ...problem }) => {
      const at: Place = place ?? source.place(path, within)
      return { ...problem, ...at, ...(at.file === undefined && file !== undefined ? { file } : {}) }
    })
    .toSorted((a, b) => Number(a.file !== file) - Number(b.file !== file) || a.line - b.line || a.column - b.column)
}

/** One warning a reason: an API may have a thousand tools. */
function deniedCalls(tools: readonly Tool[], { backend }: Document): readonly Problem[] {
  const denied = tools.flatMap(({ name, binding }) => {
    const reason = binding.data['unsupported']
    return typeof reason === 'string' ? [{ name, reason }] : []
  })
  return [...Map.groupBy(denied, ({ reason }) => reason)].map(([reason, group]): Problem => {
    const [{ name } = { name: '' }] = group
    const which = group.length === 1 ? `"${name}"` : `"${name}" and ${group.length - 1} more`
    return {
      code: 'unsupported',
      severity: 'warning',
      path: reason === COMPOSITES || !Object.hasOwn(backend.tools, name) ? compositeAt(name) : toolAt(name),
      message: `calls of ${which} are denied: this version does not do ${reason} yet`,
    }
  })
}
