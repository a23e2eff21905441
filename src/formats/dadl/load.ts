import type { Api } from '../../core/api.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { hasErrors } from '../../core/diagnostic.ts'
import type { Tool } from '../../core/tool.ts'
import { toPointer } from '../../lib/pointer.ts'
import { parseYaml } from '../../lib/yaml.ts'
import type { LoadContext, Loaded } from '../format.ts'
import { authOf, credentialOf } from './auth.ts'
import { checkBackend } from './check.ts'
import { toTool } from './compile.ts'
import { DOCUMENT } from './schema.ts'
import type { Document } from './schema.ts'
import { NEWEST, SPEC_URL } from './spec.ts'

/** Reads one document as a runtime does: what is wrong is refused, what is only unknown is left aside (DADL spec 15.3). */
export function load(text: string, context: LoadContext): Loaded {
  const parsed = parseYaml(text)
  const found: Problem[] = parsed.problems.map(({ code, message, path }) => ({
    code,
    severity: code === 'merge_key' ? 'warning' : 'error',
    message,
    path,
  }))
  const document = parsed.value === undefined ? undefined : readDocument(parsed.value, found)
  const tools =
    document === undefined ? [] : readTools(document, { context, found, denied: new Map(), locate: parsed.locate })
  const diagnostics = found
    .map(problem => ({
      ...problem,
      ...parsed.locate(problem.path),
      ...(context.file === undefined ? {} : { file: context.file }),
    }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
  if (document === undefined || hasErrors(diagnostics)) return { tools: [], diagnostics }
  return { tools, api: readApi(document, context), diagnostics }
}

function readApi({ backend }: Document, { api, file }: LoadContext): Api {
  const auth = authOf(backend.auth)
  return {
    name: api?.name ?? backend.name,
    description: backend.description,
    ...(backend.version === undefined ? {} : { version: String(backend.version) }),
    ...(file === undefined ? {} : { file }),
    types: {},
    health: false,
    containsCode: Object.keys(backend.composites ?? {}).length > 0,
    credentials: 'credential' in auth ? [credentialOf(auth.credential, api?.credentials).credential] : [],
  }
}

/** A problem before its place is looked up. */
export type Problem = Omit<Diagnostic, 'line' | 'column' | 'file'>

function readDocument(value: unknown, found: Problem[]): Document | undefined {
  const read = DOCUMENT.safeParse(value)
  if (!read.success) {
    for (const { path, message, code } of read.error.issues) {
      const missing = code === 'invalid_type' && message.includes('received undefined')
      const at = toPointer(path.map(step => (typeof step === 'number' ? step : String(step))))
      found.push({
        code: missing ? 'missing_key' : code === 'invalid_value' ? 'unknown_value' : 'wrong_type',
        severity: 'error',
        message: `${path.join('.')}: ${missing ? 'this key is needed' : message}`,
        path: at,
      })
    }
    return undefined
  }
  checkSpec(read.data.spec, found)
  if (read.data.requires !== undefined)
    found.push({
      code: 'requires_unsatisfied',
      severity: 'error',
      message: 'what the document requires is not among what this version does',
      path: '/requires',
    })
  return read.data
}

function checkSpec(spec: string, found: Problem[]): void {
  const [, major, minor] = SPEC_URL.exec(spec) ?? []
  const path = '/spec'
  if (major === undefined || minor === undefined)
    found.push({
      code: 'spec_unknown',
      severity: 'error',
      message: `"${spec}" is not the address of a DADL specification`,
      path,
    })
  else if (Number(major) > NEWEST.major || Number(minor) > NEWEST.minor)
    found.push({
      code: 'spec_newer',
      severity: 'warning',
      message: `DADL v${major}.${minor} is newer than this version knows`,
      path,
    })
}

export interface ReadContext {
  readonly context: LoadContext
  readonly found: Problem[]
  /** Tools whose calls are denied, and what they would need. */
  readonly denied: Map<string, string>
  readonly locate: Tool['locate']
}

function readTools(document: Document, read: ReadContext): readonly Tool[] {
  const { backend } = document
  const { found } = read
  const warn = (code: string, path: string, message: string): void =>
    void found.push({ code, severity: 'warning', path, message })
  checkBackend(document, read)
  const { url } = read.context.api ?? {}
  if (url === undefined && (backend.base_url === undefined || /[{}]/.test(backend.base_url)))
    warn('base_url_missing', '/backend', 'no address: set apis.NAME.url in sallyport.yaml; until then calls fail')
  if (document.includes !== undefined) warn('unsupported', '/includes', 'includes are not merged by this version')
  for (const name of Object.keys(backend.composites ?? {}))
    warn(
      'unsupported',
      `/backend/composites${toPointer([name])}`,
      `the composite "${name}" is not offered by this version`,
    )
  const tools = Object.entries(backend.tools).flatMap(([name, section]) => toTool({ name, section, document, read }))
  for (const [reason, denied] of Map.groupBy(read.denied, ([, why]) => why)) {
    const [first = ''] = denied.map(([name]) => name)
    const which = denied.length === 1 ? `"${first}"` : `"${first}" and ${denied.length - 1} more`
    warn(
      'unsupported',
      `/backend/tools${toPointer([first])}`,
      `calls of ${which} are denied: this version does not do ${reason} yet`,
    )
  }
  return tools
}
