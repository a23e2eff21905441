// From a document without errors to tools: one per endpoint, one per composite.
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Tool } from '../../core/tool.ts'
import { compileJsonPath } from '../../lib/json-path.ts'
import type { JsonPath } from '../../lib/json-path.ts'
import { parseJson } from '../../lib/parse-json.ts'
import type { LoadContext } from '../format.ts'
import { authOf, credentialOf } from './auth.ts'
import { describe, describeResult } from './describe.ts'
import { parseDuration } from './duration.ts'
import { errorsOf, responseOf } from './effective.ts'
import { compileInterpret } from './interpret.ts'
import type { ResponseRules } from './interpret.ts'
import { parametersOf, parametersOfComposite } from './parameters.ts'
import { compileValidate, toInputSchema } from './params.ts'
import type { Parameter } from './params.ts'
import { compositeAt, toolAt } from './rules/places.ts'
import type { Document } from './schema/document.ts'
import type { CompositeSection, ToolSection } from './schema/tool.ts'
import { CALL_TIMEOUT, COMPOSITE_TIMEOUT, isFirstVersion, MAX_ANSWER } from './spec.ts'
import { contentTypeOf, unsupportedBy } from './unsupported.ts'

interface CompileContext {
  readonly document: Document
  readonly context: LoadContext
  readonly locate: Tool['locate']
  /** What all tools of the document share in their definition. */
  readonly shared: JsonObject
}

export function compileTools(given: Omit<CompileContext, 'shared'>): readonly Tool[] {
  const { auth, defaults = {}, base_url: baseUrl, tools, composites = {} } = given.document.backend
  const compile = { ...given, shared: toJson({ auth, defaults, baseUrl }) }
  return [
    ...Object.entries(tools).map(([name, section]) => toTool(name, section, compile)),
    ...Object.entries(composites).map(([name, section]) => toCompositeTool(name, section, compile)),
  ]
}

function toTool(name: string, section: ToolSection, compile: CompileContext): Tool {
  const { document } = compile
  const parameters = parametersOf(document, section)
  const binding = toBinding(section, parameters, compile)
  return {
    ...common({ name, parameters, access: section.access, at: toolAt(name) }, compile),
    ...describe(document, name, section),
    ...describeResult(document, section),
    timeoutMs: CALL_TIMEOUT,
    binding: { kind: 'rest', data: binding },
    definition: { described: { ...compile.shared, name, tool: toJson(section) }, deployment: binding },
    interpret: compileInterpret(readRules(name, section, compile)),
  }
}

/** Described like any other tool; this version has no sandbox to run its code in. */
function toCompositeTool(name: string, section: CompositeSection, compile: CompileContext): Tool {
  const { document } = compile
  const { timeout = `${COMPOSITE_TIMEOUT.preset}s`, access } = section
  const binding = { unsupported: COMPOSITES }
  return {
    ...common({ name, parameters: parametersOfComposite(section), access, at: compositeAt(name) }, compile),
    ...describe(document, name, section),
    timeoutMs: parseDuration(timeout) ?? COMPOSITE_TIMEOUT.preset * 1000,
    binding: { kind: 'composite', data: binding },
    definition: { described: { ...compile.shared, name, composite: toJson(section) }, deployment: binding },
    interpret: compileInterpret({ ...NO_RULES, tool: exposed(name, compile) }),
  }
}

/** What composites need, as messages have it. */
export const COMPOSITES = 'composites'

type Common = Pick<
  Tool,
  'name' | 'backend' | 'format' | 'version' | 'file' | 'access' | 'needsApproval' | 'parameters' | 'inputSchema'
> &
  Pick<Tool, 'validate' | 'locate'>

interface Named {
  readonly name: string
  readonly parameters: readonly Parameter[]
  readonly access: string | undefined
  /** JSON Pointer. */
  readonly at: string
}

function common({ name, parameters, access, at }: Named, { document, context, locate }: CompileContext): Common {
  const { name: backend, version } = document.backend
  const { file, api } = context
  return {
    name,
    backend: api?.name ?? backend,
    format: 'dadl',
    ...(version === undefined ? {} : { version }),
    ...(file === undefined ? {} : { file }),
    ...(access === undefined ? {} : { access }),
    needsApproval: false,
    parameters: parameters.map(({ name: parameter, type, required, description, default: preset }) => ({
      name: parameter,
      type,
      required,
      description,
      ...(preset === undefined ? {} : { default: preset }),
    })),
    inputSchema: toInputSchema(parameters),
    validate: compileValidate(parameters),
    locate: path => locate(path === '' ? at : path),
  }
}

function exposed(name: string, { document, context }: CompileContext): string {
  return `${context.api?.name ?? document.backend.name}_${name}`
}

const NO_RULES: Omit<ResponseRules, 'tool'> = {
  resultPath: undefined,
  maxItems: undefined,
  messagePath: undefined,
  codePath: undefined,
  textErrors: false,
  errorCodes: new Map(),
}

/** A path that does not compile, in v0.1, fails only a call that needs it (ruling DADL 2). */
function readRules(name: string, section: ToolSection, compile: CompileContext): ResponseRules {
  const { document } = compile
  const response = responseOf(document, section)
  const errors = errorsOf(document, section)
  const hyphens = isFirstVersion(document.spec)
  const read = (source: string | undefined, key: string): JsonPath | string | undefined => {
    if (source === undefined) return undefined
    const compiled = compileJsonPath(source, { hyphens })
    return compiled.ok ? compiled.path : `${key} "${source}", character ${compiled.at + 1}: ${compiled.message}`
  }
  return {
    tool: exposed(name, compile),
    resultPath: response.result_path === '$' ? undefined : read(response.result_path, 'response.result_path'),
    maxItems: response.max_items,
    // "$" is an explicit declaration: the whole body is the message (ruling DADL 23).
    messagePath: readable(read(errors.message_path, 'errors.message_path')),
    codePath: errors.code_path === '$' ? undefined : readable(read(errors.code_path, 'errors.code_path')),
    textErrors: errors.format === 'text',
    errorCodes: new Map(Object.entries(errors.map ?? {}).map(([status, code]) => [Number(status), code])),
  }
}

/** Of an error: the call has failed already, without the path its message is the status. */
function readable(path: JsonPath | string | undefined): JsonPath | undefined {
  return typeof path === 'string' ? undefined : path
}

function toBinding(
  section: ToolSection,
  parameters: readonly Parameter[],
  { document, context }: CompileContext,
): JsonObject {
  const { backend } = document
  const { defaults = {} } = backend
  const { api } = context
  const baseUrl = api?.url ?? backend.base_url
  const auth = authOf(backend.auth)
  const unsupported = unsupportedBy(section, document)
  return {
    ...(baseUrl === undefined || /[{}]/.test(baseUrl) ? {} : { baseUrl }),
    // A literal address of the deployment may be private, a document's own never is (ruling DADL 8).
    trusted: api?.url !== undefined,
    allowPrivate: api?.allowPrivate ?? false,
    method: section.method,
    path: section.path,
    headers: Object.fromEntries(
      Object.entries(defaults.headers ?? {}).filter(([header]) => header.toLowerCase() !== 'content-type'),
    ),
    contentType: contentTypeOf(section, defaults),
    parameters: parameters.flatMap(({ name, in: location }) =>
      location === undefined ? [] : [{ name, in: location }],
    ),
    auth: 'credential' in auth ? { ...auth, ...credentialOf(auth.credential, api?.credentials) } : auth,
    maxBytes: MAX_ANSWER,
    ...(unsupported === undefined ? {} : { unsupported }),
  }
}

function toJson(value: object): JsonObject {
  const json = parseJson(JSON.stringify(value))
  return isJsonObject(json) ? json : {}
}
