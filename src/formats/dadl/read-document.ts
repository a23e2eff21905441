// From parsed YAML to a document that fits the schema, all problems at once (DADL spec 15.2, 15.3; ruling DADL 3).
import { isJsonObject } from '../../core/json.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { toPointer } from '../../lib/pointer.ts'
import type { LoadContext } from '../format.ts'
import { edited } from './edit.ts'
import type { Edit } from './edit.ts'
import { judge, kindOf } from './issues.ts'
import type { Issue } from './issues.ts'
import type { Problem } from './problems.ts'
import { DOCUMENT } from './schema/document.ts'
import type { Document } from './schema/document.ts'

export interface ReadDocument {
  /** What can be judged further: wrong entries are left out of it. Absent where too little is left. */
  readonly document?: Document
  readonly problems: readonly Problem[]
  /** All that are written down, wrong ones too: what names them is right. */
  readonly names: Names
}

export interface Names {
  readonly tools: ReadonlySet<string>
  readonly composites: ReadonlySet<string>
  readonly types: ReadonlySet<string>
}

/** How unknown keys are taken. */
type Strictness = Pick<LoadContext, 'profile' | 'allowUnknownKeys'>

export function readDocument(value: unknown, strictness: Strictness): ReadDocument {
  const names = {
    tools: namesIn(value, 'tools'),
    composites: namesIn(value, 'composites'),
    types: namesIn(value, 'types'),
  }
  if (!isJsonObject(value)) {
    const message = `expected a document with the keys spec and backend, found ${kindOf(value)}`
    return { problems: [{ code: 'wrong_type', severity: 'error', path: '', message }], names }
  }
  const problems = [...reservedNames(value), ...noTools(value)]
  const whole = withoutWorkspace(value)
  const judged = judge(DOCUMENT, whole)
  if (judged.ok) return { document: judged.value, problems, names }
  problems.push(...judged.issues.flatMap(issue => problemOf(issue, strictness)))
  // What is wrong is taken out: what is left then fits, or too little is left.
  const rest = judge(DOCUMENT, edited(whole, judged.issues.map(withoutWrong)))
  return { problems, names, ...(rest.ok ? { document: rest.value } : {}) }
}

/** Keys that begin with "_" are for anchors: at the top they are nobody's business (DADL spec 11.1). */
function withoutWorkspace(document: object): unknown {
  return Object.fromEntries(Object.entries(document).filter(([key]) => !key.startsWith('_')))
}

function problemOf(issue: Issue, { profile = 'runtime', allowUnknownKeys = false }: Strictness): readonly Problem[] {
  if (issue.kind === 'problem') return [issue.problem]
  const { key, hint } = issue
  if (profile === 'runtime' && key.startsWith('_')) return []
  const isIgnored = profile === 'runtime' || allowUnknownKeys
  const place = issue.path.length === 0 ? 'a document' : issue.path.join('.')
  return [
    {
      code: 'unknown_key',
      severity: isIgnored ? 'warning' : 'error',
      path: toPointer([...issue.path, key]),
      message: `unknown key "${key}" in ${place}${didYouMean(hint)}${isIgnored ? '; it is ignored' : ''}`,
      ...(hint === undefined ? {} : { hint }),
    },
  ]
}

/** Stands where a needed key is missing or wrong, so that the rest can be judged; the document is refused anyway. */
const STAND_INS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['/spec', 'https://dadl.ai/spec/dadl-spec-v0.2.md'],
  ['/backend/name', 'unnamed'],
  ['/backend/type', 'rest'],
  ['/backend/description', ''],
  ['/backend/auth', { type: 'bearer', credential: 'none' }],
  ['/backend/tools', {}],
])

function withoutWrong(issue: Issue): Edit {
  if (issue.kind === 'unknown_key') return { path: [...issue.path, issue.key], by: undefined }
  const [first = '', second, third] = issue.path.map(String)
  if (first !== 'backend' || second === undefined) return { path: [first], by: STAND_INS.get(`/${first}`) }
  const isNamed = third !== undefined && ['tools', 'composites', 'types', 'hints'].includes(second)
  if (isNamed) return { path: [first, second, third], by: undefined }
  return { path: [first, second], by: STAND_INS.get(`/backend/${second}`) }
}

function namesIn(value: unknown, section: keyof Names): ReadonlySet<string> {
  const backend = isJsonObject(value) ? value['backend'] : undefined
  const entries = isJsonObject(backend) ? backend[section] : undefined
  return new Set(isJsonObject(entries) ? Object.keys(entries) : [])
}

function noTools(value: unknown): readonly Problem[] {
  const backend = isJsonObject(value) ? value['backend'] : undefined
  const tools = isJsonObject(backend) ? backend['tools'] : undefined
  if (!isJsonObject(tools) || Object.keys(tools).length > 0) return []
  const message = 'backend.tools: expected at least one tool, found none'
  return [{ code: 'missing_key', severity: 'error', path: '/backend/tools', message }]
}

/** The schema would pass it by in silence. */
function reservedNames(value: unknown): readonly Problem[] {
  const found: Problem[] = []
  const visit = (inner: unknown, path: string): void => {
    if (typeof inner !== 'object' || inner === null) return
    for (const [key, member] of Object.entries(inner)) visit(member, path + toPointer([key]))
    if (Object.hasOwn(inner, '__proto__'))
      found.push({
        code: 'unknown_key',
        severity: 'error',
        path: `${path}/__proto__`,
        message: 'nothing can be named "__proto__"',
      })
  }
  if (holdsReserved(value)) visit(value, '')
  return found
}

function holdsReserved(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(holdsReserved)
}
