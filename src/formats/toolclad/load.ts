import type { Diagnostic } from '../../core/diagnostic.ts'
import { hasErrors } from '../../core/diagnostic.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Binding, Tool } from '../../core/tool.ts'
import { parseJson } from '../../lib/parse-json.ts'
import { parseToml } from '../../lib/toml.ts'
import { STRICT } from '../format.ts'
import type { Deployment, LoadContext, Loaded } from '../format.ts'
import { compileValidate, readArguments } from './arguments.ts'
import type { Argument, ArgumentsContext } from './arguments.ts'
import { readCommand, readCommandDefaults } from './command.ts'
import type { CommandContext } from './command.ts'
import { readHttp } from './http.ts'
import type { Http } from './http.ts'
import { toVariables } from './executor.ts'
import { compileInterpret } from './interpret.ts'
import { lintPrograms } from './lint.ts'
import { toAnnotations, toInputSchema, toOutputSchema, toParameters } from './mcp-schema.ts'
import { readOutput } from './output.ts'
import type { Output } from './output.ts'
import { openProblems } from './problems.ts'
import type { Problems } from './problems.ts'
import { compileRules, readProject } from './project.ts'
import type { Project } from './project.ts'
import { COMMAND, HTTP, MANIFEST } from './schema.ts'
import { checkKeys, hasKey, readSection, readStrings, toDefinition } from './section.ts'
import type { Section } from './section.ts'
import { BACKENDS, SENTENCES } from './spec.ts'
import { readTool } from './tool-section.ts'
import type { ToolSettings } from './tool-section.ts'
import { reportUnsupported } from './unsupported.ts'

/** Reads one manifest (ToolClad spec; rulings ToolClad 1 to 10). */
export function load(text: string, context: LoadContext): Loaded {
  const parsed = parseToml(text)
  if (!parsed.ok) return { tools: [], diagnostics: [syntaxProblem(parsed, context.file)] }
  const problems = openProblems()
  const manifest = { rows: MANIFEST, table: parsed.value, path: '' }
  checkKeys(manifest, problems, context.allowUnknownKeys === true)
  const project = readProject(manifest, context)
  const parts = readParts(manifest, { problems, origin: context, project })
  if (parts.scoped.length > 0 && context.scope === undefined)
    problems.warning('scope_file_missing', `/args/${parts.scoped[0]?.name}/scope_check`, SENTENCES.noScopeFile)
  const diagnostics = [...problems.toDiagnostics(parsed.locate, context.file), ...project.diagnostics]
  if (hasErrors(diagnostics)) return { tools: [], diagnostics }
  const definition = { ...toDefinition(MANIFEST, parsed.value), ...project.definition }
  return { tools: [toTool(parts, { context, definition, project, locate: parsed.locate })], diagnostics }
}

function syntaxProblem(
  { message, position }: { readonly message: string; readonly position: { line: number; column: number } },
  file: string | undefined,
): Diagnostic {
  return { code: 'syntax', severity: 'error', message, path: '', ...position, ...(file === undefined ? {} : { file }) }
}

/** Everything a manifest says, judged. */
interface Parts {
  readonly tool: ToolSettings
  readonly args: readonly Argument[]
  readonly output: Output
  readonly egress: boolean
  readonly binding: Binding
  readonly http: Http | undefined
  readonly scoped: readonly Argument[]
}

interface ReadContext {
  readonly problems: Problems
  readonly origin: LoadContext
  readonly project: Project
}

function readParts(manifest: Section<typeof MANIFEST>, context: ReadContext): Parts {
  const { problems, origin, project } = context
  const { customTypes } = project
  const tool = readTool(manifest, problems)
  checkBackends(manifest, tool, problems)
  const command = readSection(manifest, 'command', COMMAND)
  const defaults = readCommandDefaults(command)
  const { deployment = STRICT } = origin
  const whitespaceCounts = doesWhitespaceCount(manifest, deployment)
  const args = readArguments({ parent: manifest, defaults, whitespaceCounts, deployment, customTypes, problems })
  for (const kind of ['session', 'browser'] as const)
    checkCommandArguments(manifest, kind, { whitespaceCounts, deployment, customTypes, problems })
  const output = readOutput(manifest, deployment, problems)
  const egress = lintPrograms(manifest, customTypes, problems)
  const declared = new Set(Object.keys(readSection(manifest, 'args', {}).table))
  const section = readSection(manifest, 'http', HTTP)
  const http = hasKey(manifest, 'http') ? readHttp({ http: section, args, declared, problems }) : undefined
  const binding = readBinding({ manifest, tool, args, declared, defaults, output, http, ...context })
  reportUnsupported(manifest.table, problems)
  return { tool, args, output, egress, binding, http, scoped: args.filter(({ scopeCheck }) => scopeCheck) }
}

/** Only an argv that is declared as one keeps a value with spaces whole; the deployment decides of the rest (ruling 13). */
function doesWhitespaceCount(manifest: Section<typeof MANIFEST>, deployment: Deployment): boolean {
  if (hasKey(manifest, 'command')) return readStrings(readSection(manifest, 'command', COMMAND), 'exec') !== undefined
  return deployment.allowWhitespaceBeyondExec
}

/** One backend and an `[output]`, unless the host runs the tool itself (ToolClad spec, Dispatch Modes; ruling 5). */
function checkBackends(manifest: Section<typeof MANIFEST>, tool: ToolSettings, problems: Problems): void {
  const present = BACKENDS.filter(kind => hasKey(manifest, kind))
  if (present.length > 1)
    problems.error(
      'ambiguous_backend',
      `/${present[1]}`,
      `one manifest describes one backend, but this has [${present.join('] and [')}]`,
    )
  if (tool.callback) return
  if (present.length === 0) problems.error('no_backend', '', SENTENCES.noBackend)
  if (!hasKey(manifest, 'output')) problems.error('no_output', '', SENTENCES.noOutput)
}

/** Session and browser commands declare arguments of their own. */
function checkCommandArguments(
  manifest: Section,
  kind: 'session' | 'browser',
  context: Pick<ArgumentsContext, 'whitespaceCounts' | 'deployment' | 'customTypes' | 'problems'>,
): void {
  const commands = readSection(readSection(manifest, kind, {}), 'commands', {})
  for (const name of Object.keys(commands.table))
    readArguments({ parent: readSection(commands, name, {}), defaults: new Map(), ...context })
}

interface BindingContext extends ReadContext, Pick<Parts, 'tool' | 'args' | 'output' | 'http'> {
  readonly manifest: Section<typeof MANIFEST>
  readonly declared: ReadonlySet<string>
  readonly defaults: CommandContext['defaults']
}

/** What the backend of the manifest's kind needs, as plain data. */
function readBinding(context: BindingContext): Binding {
  const { manifest, tool, args, declared, defaults, output, http, problems, origin } = context
  const kept = { maxBytes: output.maxBytes, evidence: { ...tool.evidence }, extension: output.parser.extension }
  if (http !== undefined) return toHttpBinding(http, kept)
  const command = readSection(manifest, 'command', COMMAND)
  const argv = hasKey(manifest, 'command') ? readCommand({ command, args, declared, defaults, problems }) : []
  return {
    kind: 'command',
    data: {
      argv: argv.map(toJson),
      root: origin.root,
      allowInterpreter: tool.allowInterpreter,
      limits: { ...tool.limits },
      ...(hasKey(command, 'executor') ? { variables: toVariables(args, problems).map(entry => ({ ...entry })) } : {}),
      ...kept,
    },
  }
}

function toHttpBinding({ method, command, url, headers, body }: Http, kept: JsonObject): Binding {
  const sent = {
    url: toJson(url ?? null),
    headers: toJson(headers),
    ...(body === undefined ? {} : { body: toJson(body) }),
  }
  return { kind: 'http', data: { method, command, ...sent, ...kept } }
}

/** Plain data as the JSON it is. */
function toJson(data: object | null): JsonValue {
  return parseJson(JSON.stringify(data))
}

interface Source {
  readonly context: LoadContext
  readonly project: Project
  readonly definition: JsonObject
  readonly locate: Tool['locate']
}

function toTool({ tool, args, binding, output, http, egress }: Parts, source: Source): Tool {
  const { context, project, definition, locate } = source
  const outputSchema = toOutputSchema(output)
  const annotations = toAnnotations(tool.riskTier, egress)
  return {
    name: tool.name,
    format: 'toolclad',
    description: tool.description,
    ...(tool.version === undefined ? {} : { version: tool.version }),
    ...(context.file === undefined ? {} : { file: context.file }),
    riskTier: tool.riskTier,
    needsApproval: tool.humanApproval || tool.riskTier === 'high' || tool.riskTier === 'critical',
    timeoutMs: tool.timeoutMs,
    parameters: toParameters(args),
    inputSchema: toInputSchema(args),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
    binding,
    definition,
    validate: compileValidate(args),
    ...compileRules(args, project, context),
    interpret: compileInterpret(tool.name, output, http?.statuses),
    locate,
  }
}
