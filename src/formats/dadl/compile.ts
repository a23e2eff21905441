import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Tool } from '../../core/tool.ts'
import { compileJsonPath } from '../../lib/json-path.ts'
import type { JsonPath } from '../../lib/json-path.ts'
import { parseJson } from '../../lib/parse-json.ts'
import { toPointer } from '../../lib/pointer.ts'
import { authOf, credentialOf } from './auth.ts'
import { checkRequest } from './check.ts'
import { compileInterpret } from './interpret.ts'
import type { ReadContext } from './load.ts'
import { compileValidate, toInputSchema } from './params.ts'
import type { Parameter } from './params.ts'
import type { Document, Errors, Response, ToolSection } from './schema.ts'
import { CALL_TIMEOUT, MAX_ANSWER, SPEC_URL } from './spec.ts'
import { contentTypeOf, unsupportedBy } from './unsupported.ts'

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
  const parameters = readParameters(source)
  const interpret = compileInterpret({ tool: exposed(source), ...readRules(source, at) })
  checkRequest(source, at)
  checkDefaults(parameters, read, at)
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

function readParameters({ section }: ToolSource): readonly Parameter[] {
  return Object.entries(section.params ?? {}).map(
    ([name, { type, in: location, required, description, default: preset }]) => {
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

/** A default is sent like an argument, so it is judged like one, but here: the caller could do nothing about it. */
function checkDefaults(parameters: readonly Parameter[], { found }: ReadContext, at: string): void {
  for (const parameter of parameters) {
    if (parameter.default === undefined) continue
    const judged = compileValidate([parameter])({})
    if (judged.ok) continue
    const path = `${at}/params${toPointer([parameter.name])}/default`
    found.push({
      code: 'wrong_type',
      severity: 'error',
      path,
      message: `the default of ${judged.refusals[0]?.message}`,
    })
  }
}

/** In v0.1 documents a path that does not compile fails only a call that needs it (ruling DADL 2). */
function readRules({ section, document, read }: ToolSource, at: string) {
  const { defaults } = document.backend
  const response: Response = section.response ?? defaults.response ?? {}
  const errors: Errors = section.errors ?? defaults.errors ?? {}
  const published = isFirstVersion(document.spec)
  const compile = (source: string | undefined, key: string): JsonPath | string | undefined => {
    if (source === undefined || source === '$') return undefined
    const compiled = compileJsonPath(source, { hyphens: published })
    if (compiled.ok) return compiled.path
    const message = `${key} "${source}", character ${compiled.at + 1}: ${compiled.message}`
    read.found.push({ code: 'jsonpath_dialect', severity: published ? 'warning' : 'error', path: at, message })
    return message
  }
  const whole = compileJsonPath('$')
  return {
    resultPath: compile(response.result_path, 'response.result_path'),
    maxItems: response.max_items,
    // "$" is an explicit declaration: the whole body is the message (ruling DADL 23).
    messagePath:
      errors.message_path === '$' && whole.ok
        ? whole.path
        : readable(compile(errors.message_path, 'errors.message_path')),
    codePath: readable(compile(errors.code_path, 'errors.code_path')),
    textErrors: errors.format === 'text',
    errorCodes: new Map(Object.entries(errors.map ?? {}).map(([status, code]) => [Number(status), code])),
  }
}

/** Of an error: the call has failed already, without the path its message is the status. */
function readable(path: JsonPath | string | undefined): JsonPath | undefined {
  return typeof path === 'string' ? undefined : path
}

function isFirstVersion(spec: string): boolean {
  const [, major, minor] = SPEC_URL.exec(spec) ?? []
  return major === '0' && Number(minor) < 2
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
    contentType: contentTypeOf(section, backend.defaults),
    parameters: parameters.map(({ name, in: location }) => ({ name, in: location })),
    auth: 'credential' in auth ? { ...auth, ...credentialOf(auth.credential, api?.credentials) } : auth,
    maxBytes: MAX_ANSWER,
    ...(unsupported === undefined ? {} : { unsupported }),
  }
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
