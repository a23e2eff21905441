// `sallyport/toolclad`: load, validate and run ToolClad manifests from a program of one's own, without the gateway. The shapes
// are those of `docs/reference/shapes.md`; what is not exported here is not promised.
import { dirname, resolve as resolvePath } from 'node:path'
import { command } from './backends/command/index.ts'
import type { CommandPreview } from './backends/command/index.ts'
import { http } from './backends/http/index.ts'
import type { HttpPreview } from './backends/http/preview.ts'
import { mcp } from './backends/mcp/index.ts'
import type { McpPreview } from './backends/mcp/index.ts'
import { loadFile } from './catalog/load-file.ts'
import type { PreparedTool } from './catalog/load-file.ts'
import { toMcpTool } from './catalog/mcp-tool.ts'
import type { McpTool } from './catalog/mcp-tool.ts'
import { workspaceFiles } from './catalog/workspace-files.ts'
import { readToolEnvironment } from './config/env.ts'
import { hasErrors } from './core/diagnostic.ts'
import type { Diagnostic } from './core/diagnostic.ts'
import type { JsonValue } from './core/json.ts'
import type { Refusal } from './core/outcome.ts'
import type { Tool, Values } from './core/tool.ts'
import type { LoadContext } from './formats/format.ts'
import { toolclad } from './formats/toolclad/index.ts'
import { kindOf, list, readText } from './io/files.ts'
import { systemClock, systemIds } from './io/system.ts'
import { writeToml } from './lib/toml.ts'
import { NEVER, runTool, showDryRun, toTexts } from './toolclad-run.ts'
import type { Arguments, RunOptions, RunResult } from './toolclad-run.ts'
import { deploymentOf, evidenceRootOf, openRuntime, reservedIn, rootOf } from './toolclad-runtime.ts'
import type { Runtime, Settings } from './toolclad-runtime.ts'

export type { Diagnostic } from './core/diagnostic.ts'
export { ERRORS, GatewayError } from './core/errors.ts'
export type { ErrorCode } from './core/errors.ts'
export type { JsonObject, JsonValue } from './core/json.ts'
export type { Fence, Refusal } from './core/outcome.ts'
export type { RiskTier } from './core/tool.ts'
export type { McpTool } from './catalog/mcp-tool.ts'
export type { Arguments, GateRequest, RunOptions, RunResult } from './toolclad-run.ts'
export type { Settings } from './toolclad-runtime.ts'

export interface LoadFileOptions {
  /** Unknown keys are warnings instead of errors. Default false. */
  readonly allowUnknownKeys?: boolean
  readonly settings?: Settings
}

export interface LoadOptions extends LoadFileOptions {
  /** Where the text comes from: shown in problems; its folder is the root of path values. */
  readonly path?: string
  /** What `toolclad.toml` would declare, by name (ToolClad spec, Custom Types). */
  readonly customTypes?: Readonly<Record<string, CustomTypeDeclaration>>
  /** What `scope/scope.toml` would say; null and absent: there is none, so arguments with `scope_check` are refused. */
  readonly scope?: Scope | null
}

/** A built-in type and constraints, in the spelling of the manifest: `{base: 'enum', allowed: ['ssh', 'http']}`. */
export interface CustomTypeDeclaration {
  readonly base: string
  readonly [constraint: string]: JsonValue
}

/** ToolClad spec, Scope Enforcement. */
export interface Scope {
  readonly allowed_domains?: readonly string[]
  readonly allowed_cidrs?: readonly string[]
  readonly blocked_domains?: readonly string[]
  readonly blocked_cidrs?: readonly string[]
}

export interface LoadResult {
  /** Absent where a problem is an error. */
  readonly manifest?: Manifest
  /** All problems of the text, in order of place. */
  readonly diagnostics: readonly Diagnostic[]
}

export interface ValidateOptions {
  /** All addresses of a name. Default: the system's. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
  /** Whether names are resolved and files looked for. Default true. */
  readonly dns?: boolean
  /** Which command, of a `[session]` or `[browser]` manifest: `NAME` of `[session.commands.NAME]`. */
  readonly command?: string
}

export type ValidateResult =
  /** Canonical texts, defaults filled in, absent arguments left out. */
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  /** One refusal an argument, its first broken fence, in order of declaration. */
  | { readonly ok: false; readonly refusals: readonly Refusal[] }

/** What a call would run. A secret stands as `{_secret:NAME}`, the output file as `{_output_file}`. */
export type CommandResult = CommandPreview | ({ readonly kind: 'http' } & HttpPreview['request']) | McpPreview

/** A manifest without errors. */
export interface Manifest {
  readonly name: string
  readonly description: string
  readonly version?: string
  /** Judges arguments: types, scope, paths, and (unless `dns` is false) addresses and files. Never rejects. */
  readonly validate: (args: Arguments, options?: ValidateOptions) => Promise<ValidateResult>
  /**
   * What a call with these values, which `validate` gave, would run. Paths are resolved as text.
   * @throws TypeError for a callback, session or browser manifest, which run nothing here
   */
  readonly command: (values: Readonly<Record<string, string>>) => CommandResult
  /** The tool as MCP clients see it; one for each command of a session or browser. */
  readonly schema: () => readonly McpTool[]
}

/**
 * Reads the text of a manifest. Synchronous and pure: neither the program nor anything else is looked for.
 * @throws TypeError for settings, custom types or a scope that are not what they are declared as
 */
export function loadManifest(text: string, options: LoadOptions = {}): LoadResult {
  const { path, customTypes, scope, allowUnknownKeys = false, settings = {} } = options
  const root = rootOf(settings, path)
  const context: LoadContext = {
    ...(path === undefined ? {} : { file: resolvePath(path) }),
    root,
    deployment: deploymentOf(settings),
    allowUnknownKeys,
    ...(customTypes === undefined ? {} : { customTypes: { text: writeToml({ types: customTypes }) } }),
    ...(scope === undefined || scope === null ? {} : { scope: { text: writeToml({ scope }) } }),
  }
  const { tools, diagnostics } = toolclad.load(text, context)
  const again = (changed: Settings): LoadResult =>
    loadManifest(text, { ...options, settings: { ...settings, ...changed } })
  const source = { tools, settings, reserved: reservedIn(root), again: async (changed: Settings) => again(changed) }
  return toResult(source, named(diagnostics, path))
}

/**
 * Reads a file with what lies around it: `toolclad.toml` and `scope/scope.toml` in its folder or above (or
 * `TOOLCLAD_SCOPE_FILE`), and looks at the program it names. A file that cannot be read is a problem like any other.
 * @throws TypeError for settings that are none
 */
export async function loadManifestFile(path: string, options: LoadFileOptions = {}): Promise<LoadResult> {
  const { allowUnknownKeys = false, settings = {} } = options
  const file = resolvePath(path)
  const { scopeFile } = readToolEnvironment()
  const { files_root: filesRoot } = settings
  const around = {
    workspace: dirname(file),
    ...(scopeFile === undefined ? {} : { scopeFile: resolvePath(scopeFile) }),
    ...(filesRoot === undefined ? {} : { filesRoot: resolvePath(filesRoot) }),
  }
  const format = { ...toolclad, extension: '' } // whatever the file is called
  const { read, surroundingsOf } = workspaceFiles(around, { formats: [format], list, readText, exists })
  const surroundings = await surroundingsOf(file)
  const { root, customTypes, scope } = surroundings
  const reserved = [...reservedIn(root), ...[customTypes, scope].flatMap(companion => companion?.file ?? [])]
  const runtime = openRuntime({ settings, reserved })
  const source = {
    formats: [format],
    backendOf: runtime.backendOf,
    deployment: deploymentOf(settings),
    read,
    surroundingsOf: async () => surroundings,
  }
  const { tools: prepared, diagnostics } = await loadFile(source, { file }, { allowUnknownKeys })
  const again = (changed: Settings): Promise<LoadResult> =>
    loadManifestFile(path, { ...options, settings: { ...settings, ...changed } })
  const tools = prepared.map(({ tool }) => tool)
  return toResult({ tools, settings, reserved, again, opened: { runtime, prepared } }, named(diagnostics, path))
}

/**
 * Runs a manifest: arguments are judged, the gate is asked, names are resolved, the program runs or the request is sent.
 * @throws GatewayError where it could not be run and there is no envelope to say so; the reason of an aborted `signal`
 */
export async function runManifest(manifest: Manifest, args: Arguments, options: RunOptions = {}): Promise<RunResult> {
  const { settings, signal, resolve, dryRun = false } = options
  signal?.throwIfAborted()
  let source = sourceOf(manifest)
  if (settings !== undefined) {
    const { manifest: changed, diagnostics } = await source.again(settings)
    if (changed === undefined) throw new TypeError(`with these settings: ${diagnostics[0]?.message}`)
    source = sourceOf(changed)
  }
  // A session runs nothing yet: any of its commands is denied alike.
  const tool = dryRun ? chooseTool(source, options.command) : firstOf(source)
  return withPrepared(source, resolve, async all => {
    const prepared = preparedOf(tool, all)
    const runnable = { prepared, settings: source.settings }
    return dryRun ? showDryRun(runnable, args, options) : runTool(runnable, args, options)
  })
}

async function exists(path: string): Promise<boolean> {
  return (await kindOf(path)) !== 'missing'
}

/** What a manifest was made of. */
interface Source {
  readonly tools: readonly Tool[]
  readonly settings: Settings
  /** Files no path argument may name. */
  readonly reserved: readonly string[]
  /** The same text under more settings. */
  readonly again: (settings: Settings) => Promise<LoadResult>
  opened?: { readonly runtime: Runtime; readonly prepared: readonly PreparedTool[] | Promise<readonly PreparedTool[]> }
}

const SOURCES = new WeakMap<Manifest, Source>()

function sourceOf(manifest: Manifest): Source {
  const source = SOURCES.get(manifest)
  if (source === undefined) throw new TypeError('expected a manifest of loadManifest or loadManifestFile')
  return source
}

function toResult(source: Source, diagnostics: readonly Diagnostic[]): LoadResult {
  if (hasErrors(diagnostics)) return { diagnostics }
  const { name, family = name, description, version } = firstOf(source)
  const manifest: Manifest = {
    name: family,
    description,
    ...(version === undefined ? {} : { version }),
    validate: (args, options = {}) => validate(source, args, options),
    command: values => toCommand(firstOf(source), values, source.settings),
    schema: () => source.tools.map(tool => toMcpTool({ name: tool.name, tool })),
  }
  SOURCES.set(manifest, source)
  return { manifest, diagnostics }
}

/** Problems name the file as the caller did. */
function named(diagnostics: readonly Diagnostic[], path: string | undefined): readonly Diagnostic[] {
  if (path === undefined) return diagnostics
  return diagnostics.map(problem => (problem.file === resolvePath(path) ? { ...problem, file: path } : problem))
}

function firstOf({ tools: [first] }: Source): Tool {
  if (first === undefined) throw new TypeError('the manifest describes no tool')
  return first
}

/** @throws TypeError where there are several and none of them is named */
function chooseTool({ tools }: Source, wanted: string | undefined): Tool {
  const [found, other] = wanted === undefined ? tools : tools.filter(tool => shortName(tool) === wanted)
  if (found !== undefined && other === undefined) return found
  throw new TypeError(`expected options.command to be one of ${tools.map(shortName).join(', ')}`)
}

function shortName({ name, family }: Tool): string {
  return family === undefined ? name : name.slice(family.length + 1)
}

async function withPrepared<T>(
  source: Source,
  resolve: ValidateOptions['resolve'],
  use: (tools: readonly PreparedTool[]) => Promise<T>,
): Promise<T> {
  if (resolve === undefined) {
    source.opened ??= open(source)
    return use(await source.opened.prepared)
  }
  const opened = open(source, resolve)
  try {
    return await use(await opened.prepared)
  } finally {
    await opened.runtime.close()
  }
}

function open({ tools, settings, reserved }: Source, lookup?: ValidateOptions['resolve']) {
  const runtime = openRuntime({ settings, reserved, lookup })
  return { runtime, prepared: Promise.all(tools.map(runtime.prepare)) }
}

function preparedOf(tool: Tool, all: readonly PreparedTool[]): PreparedTool {
  const found = all.find(prepared => prepared.tool === tool)
  if (found === undefined) throw new TypeError(`${tool.name} was not prepared`)
  return found
}

async function validate(
  source: Source,
  args: Arguments,
  { resolve, dns = true, command: wanted }: ValidateOptions,
): Promise<ValidateResult> {
  const tool = chooseTool(source, wanted)
  const judged = tool.validate(args)
  if (!judged.ok) return judged
  const { values } = judged
  const outOfScope = tool.scope?.(values) ?? []
  if (outOfScope.length > 0) return { ok: false, refusals: outOfScope }
  return withPrepared(source, resolve, async all => {
    const { callable } = preparedOf(tool, all)
    const resolution = await callable.resolve(values, { lookups: dns, signal: NEVER })
    if (resolution.status === 'refused') return { ok: false, refusals: resolution.refusals }
    return { ok: true, values: toTexts(values) }
  })
}

function toCommand(tool: Tool, values: Values, settings: Settings): CommandResult {
  const deps = { clock: systemClock, ids: systemIds, evidenceRoot: evidenceRootOf(settings) }
  switch (tool.binding.kind) {
    case 'command':
      return command.preview(tool, values, deps)
    case 'http': {
      const { kind, request } = http.preview(tool, values, deps)
      return { kind, ...request }
    }
    case 'mcp':
      return mcp.preview(tool, values, deps)
    default:
      throw new TypeError(`a ${tool.binding.kind} manifest runs nothing here`)
  }
}
