import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Tool } from '../../core/tool.ts'
import { compileJsonPath } from '../../lib/json-path.ts'
import type { JsonPath } from '../../lib/json-path.ts'
import { parseJson } from '../../lib/parse-json.ts'
import { toPointer } from '../../lib/pointer.ts'
import { compileInterpret } from './interpret.ts'
import type { ReadContext } from './load.ts'
import { compileValidate, toInputSchema } from './params.ts'
import type { Parameter } from './params.ts'
import type { Auth, Document, Errors, Response, ToolSection } from './schema.ts'
import {
  AUTH_DEFAULTS,
  CALL_TIMEOUT,
  FORBIDDEN_HEADERS,
  FORBIDDEN_HEADER_PREFIX,
  MAX_ANSWER,
  NO_CREDENTIAL,
} from './spec.ts'
import { unsupportedBy } from './unsupported.ts'

export interface ToolSource {
  readonly name: string
  readonly section: ToolSection
  readonly document: Document
  readonly read: ReadContext
}

/** One described endpoint as a tool. Nothing where it has an error. */
export function toTool(source: ToolSource): readonly Tool[] {
  const { name, section, document, read } = source
  const { backend } = document
  const at = `/backend/tools${toPointer([name])}`
  const before = read.found.length
  const parameters = readParameters(source, at)
  const interpret = compileInterpret({ tool: exposed(source), ...readRules(source, at) })
  checkPath(source, parameters, at)
  const unsupported = unsupportedBy(section, backend.defaults, backend.auth)
  if (unsupported !== undefined) read.denied.set(name, unsupported)
  if (read.found.slice(before).some(({ severity }) => severity === 'error')) return []
  const { file, api } = read.context
  const binding = toBinding(source, parameters, unsupported)
  return [
    {
      name,
      backend: api?.name ?? backend.name,
      format: 'dadl',
      description: section.description,
      ...(backend.version === undefined ? {} : { version: String(backend.version) }),
      ...(file === undefined ? {} : { file }),
      ...(section.access === undefined ? {} : { access: section.access }),
      needsApproval: false,
      timeoutMs: CALL_TIMEOUT,
      parameters: parameters.map(({ name: parameter, type, required, description }) => ({
        name: parameter,
        type,
        required,
        description,
      })),
      inputSchema: toInputSchema(parameters),
      binding: { kind: 'rest', data: binding },
      definition: definitionOf(document, name, binding),
      validate: compileValidate(parameters),
      interpret,
      locate: path => read.locate(path === '' ? at : path),
    },
  ]
}

function exposed({ name, document, read }: ToolSource): string {
  return `${read.context.api?.name ?? document.backend.name}_${name}`
}

function readParameters({ section, read, document }: ToolSource, at: string): readonly Parameter[] {
  const auth = authOf(document.backend.auth)
  return Object.entries(section.params ?? {}).map(
    ([name, { type, in: location, required, description, default: preset }]) => {
      const lower = name.toLowerCase()
      const reserved = FORBIDDEN_HEADERS.has(lower) || lower.startsWith(FORBIDDEN_HEADER_PREFIX)
      if (
        location === 'header' &&
        (reserved || ('name' in auth && auth.in === 'header' && lower === auth.name.toLowerCase()))
      )
        read.found.push({
          code: 'header_forbidden',
          severity: 'error',
          path: `${at}/params${toPointer([name])}`,
          message: `the header "${name}" cannot be a parameter`,
        })
      const value = asJson(preset)
      return {
        name,
        type,
        in: location,
        required: required === true || location === 'path',
        description: description ?? '',
        ...(value === undefined || value === null ? {} : { default: value }),
      }
    },
  )
}

/** Every placeholder has its path parameter and the other way round; the path is below the address and stays there. */
function checkPath({ name, section, read }: ToolSource, parameters: readonly Parameter[], at: string): void {
  const { path } = section
  const error = (code: string, message: string): void =>
    void read.found.push({ code, severity: 'error', path: `${at}/path`, message })
  const [route = ''] = path.split('?')
  if (!path.startsWith('/') || path.startsWith('//') || route.split('/').some(part => part === '..' || part === '.'))
    error('path_invalid', `the path of "${name}" must begin with one "/" and hold no "." or ".." segment`)
  const placeholders = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, inner = '']) => inner))
  const declared = parameters.filter(p => p.in === 'path').map(p => p.name)
  for (const missing of [...placeholders].filter(p => !declared.includes(p)))
    error('path_param_mismatch', `{${missing}} in the path has no parameter with in: path`)
  for (const extra of declared.filter(p => !placeholders.has(p)))
    error('path_param_mismatch', `the parameter "${extra}" is in: path, but the path has no {${extra}}`)
}

/** A path that does not compile fails only a call that needs it (ruling DADL 2), so it is a warning and the tool says so. */
function readRules({ section, document, read }: ToolSource, at: string) {
  const { defaults } = document.backend
  const response: Response = section.response ?? defaults.response ?? {}
  const errors: Errors = section.errors ?? defaults.errors ?? {}
  const hyphens = !/v0\.[2-9]/.test(document.spec)
  const compile = (source: string | undefined, key: string): JsonPath | undefined => {
    if (source === undefined || source === '$') return undefined
    const compiled = compileJsonPath(source, { hyphens })
    if (compiled.ok) return compiled.path
    read.found.push({
      code: 'jsonpath_dialect',
      severity: 'error',
      path: at,
      message: `${key} "${source}", character ${compiled.at + 1}: ${compiled.message}`,
    })
    return undefined
  }
  const whole = compileJsonPath('$')
  return {
    resultPath: compile(response.result_path, 'response.result_path'),
    maxItems: response.max_items,
    // "$" is an explicit declaration: the whole body is the message (ruling DADL 23).
    messagePath:
      errors.message_path === '$' && whole.ok ? whole.path : compile(errors.message_path, 'errors.message_path'),
    codePath: compile(errors.code_path, 'errors.code_path'),
    textErrors: errors.format === 'text',
    errorCodes: new Map(Object.entries(errors.map ?? {}).map(([status, code]) => [Number(status), code])),
  }
}

function toBinding(
  { section, document, read }: ToolSource,
  parameters: readonly Parameter[],
  unsupported: string | undefined,
): JsonObject {
  const { backend } = document
  const { api } = read.context
  const baseUrl = api?.url ?? backend.base_url
  const auth = authOf(backend.auth)
  return {
    ...(baseUrl === undefined || /[{}]/.test(baseUrl) ? {} : { baseUrl }),
    // A literal address of the deployment may be private, a document's own never is (ruling DADL 8).
    trusted: api?.url !== undefined,
    allowPrivate: api?.allowPrivate ?? false,
    method: section.method,
    path: section.path,
    headers: Object.fromEntries(
      Object.entries(backend.defaults.headers ?? {})
        .filter(([header]) => header.toLowerCase() !== 'content-type')
        .map(([header, value]) => [header, String(value)]),
    ),
    parameters: parameters.map(({ name, in: location }) => ({ name, in: location })),
    auth: 'credential' in auth ? { ...auth, credential: api?.credentials[auth.credential] ?? auth.credential } : auth,
    maxBytes: MAX_ANSWER,
    ...(unsupported === undefined ? {} : { unsupported }),
  }
}

type AuthBinding =
  | { readonly type: 'none' }
  | {
      readonly type: 'secret'
      readonly credential: string
      readonly in: 'header' | 'query'
      readonly name: string
      readonly prefix: string
    }

/** DADL spec 5.1, 5.5. Types this version does not do are denied before this is looked at. */
function authOf(auth: Auth | undefined): AuthBinding {
  if (auth?.credential === undefined || auth.credential === NO_CREDENTIAL) return { type: 'none' }
  const preset = auth.type === 'bearer' ? AUTH_DEFAULTS.bearer : AUTH_DEFAULTS.apikey
  const { credential, inject_into: location = 'header', query_param: parameter, header_name: header, prefix } = auth
  if (location === 'query')
    return { type: 'secret', credential, in: 'query', name: parameter ?? '', prefix: prefix ?? '' }
  return { type: 'secret', credential, in: 'header', name: header ?? preset.header, prefix: prefix ?? preset.prefix }
}

function asJson(value: unknown): JsonValue | undefined {
  return value === undefined ? undefined : parseJson(JSON.stringify(value))
}

/** What decides a tool's behaviour: its own section, and what it shares with the others of its document. */
function definitionOf({ backend }: Document, name: string, deployment: JsonObject): JsonObject {
  const { auth, defaults, base_url: baseUrl, tools } = backend
  const described = { auth, defaults, baseUrl, name, tool: tools[name] }
  return { described: parseJson(JSON.stringify(described)), deployment }
}
