import type { CommandBinding } from '../../backends/command/binding.ts'
import type { HttpBinding } from '../../backends/http/binding.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { hasErrors } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Binding, RiskTier, Tool } from '../../core/tool.ts'
import { toPointer } from '../../lib/pointer.ts'
import { parseToml } from '../../lib/toml.ts'
import { STRICT } from '../format.ts'
import type { Deployment, LoadContext, Loaded } from '../format.ts'
import { compileValidate, readArguments } from './arguments.ts'
import type { Argument } from './arguments.ts'
import { readBrowser } from './browser.ts'
import { readCommand, readCommandDefaults } from './command.ts'
import type { CommandContext } from './command.ts'
import { warnOfSharedArguments } from './commands.ts'
import type { CommandsContext } from './commands.ts'
import { readHttp } from './http.ts'
import type { Http } from './http.ts'
import { toVariables } from './executor.ts'
import { compileInterpret } from './interpret.ts'
import { lintPrograms } from './lint.ts'
import { readMcp } from './mcp.ts'
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
import { readSession } from './session.ts'
import { BACKENDS, SENTENCES } from './spec.ts'
import { readTool } from './tool-section.ts'
import type { ToolSettings } from './tool-section.ts'

/** Reads one manifest (ToolClad spec; rulings ToolClad 1 to 10). */
export function load(text: string, context: LoadContext): Loaded {
  const parsed = parseToml(text)
  if (!parsed.ok) return { tools: [], diagnostics: [syntaxProblem(parsed, context.file)] }
  const problems = openProblems()
  const manifest = { rows: MANIFEST, table: parsed.value, path: '' }
  checkKeys(manifest, problems, context.allowUnknownKeys === true)
  const project = readProject(manifest, context)
  const parts = readParts(manifest, { problems, origin: context, project })
  if (context.scope === undefined) warnOfMissingScope(parts, problems)
  const diagnostics = [...problems.toDiagnostics(parsed.locate, context.file), ...project.diagnostics]
  if (hasErrors(diagnostics)) return { tools: [], diagnostics }
  const definition = { ...toDefinition(MANIFEST, parsed.value), ...project.definition }
  const source = { parts, context, definition, project, locate: parsed.locate }
  return { tools: parts.described.map(described => toTool(described, source)), diagnostics }
}

function warnOfMissingScope({ described }: Parts, problems: Problems): void {
  const [first] = described.flatMap(({ path, args }) =>
    args.flatMap(({ name, scopeCheck }) => (scopeCheck ? [path + toPointer(['args', name, 'scope_check'])] : [])),
  )
  if (first !== undefined) problems.warning('scope_file_missing', first, SENTENCES.noScopeFile)
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
  readonly output: Output
  readonly outputSchema: JsonObject | undefined
  readonly egress: boolean
  readonly described: readonly Described[]
}

/** One of the tools a manifest describes: the manifest itself, or a command of its session or browser. */
interface Described {
  readonly name: string
  /** The manifest it is a command of. */
  readonly family?: string
  /** JSON Pointer of the table that holds its arguments. */
  readonly path: string
  readonly description: string
  readonly riskTier: RiskTier
  readonly humanApproval: boolean
  readonly args: readonly Argument[]
  readonly binding: Binding
  readonly http?: Http
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
  const commands = readCommands(manifest, { tool, judged: { whitespaceCounts, deployment, customTypes, problems } })
  const output = readOutput(manifest, deployment, problems)
  const egress = lintPrograms(manifest, customTypes, problems)
  const declared = new Set(Object.keys(readSection(manifest, 'args', {}).table))
  const section = readSection(manifest, 'http', HTTP)
  const http = hasKey(manifest, 'http') ? readHttp({ http: section, args, declared, problems }) : undefined
  const binding = readBinding({ manifest, tool, args, declared, defaults, output, http, ...context })
  const described = tool.callback ? undefined : commands
  return {
    tool,
    output,
    // A callback's results are the host's own.
    outputSchema:
      tool.callback && !hasKey(manifest, 'output') ? undefined : toOutputSchema(output, hasKey(manifest, 'mcp')),
    egress,
    described: described ?? [
      { ...tool, path: '', args, ...(tool.callback ? CALLBACK : { binding, ...(http === undefined ? {} : { http }) }) },
    ],
  }
}

const CALLBACK = { binding: { kind: 'callback', data: {} } } as const

/** The tools of a session or browser; nothing where the manifest has neither. */
function readCommands(manifest: Section<typeof MANIFEST>, context: CommandsContext): readonly Described[] | undefined {
  const kind = (['session', 'browser'] as const).find(mode => hasKey(manifest, mode))
  if (kind === undefined) return undefined
  if (!context.tool.callback) warnOfSharedArguments(manifest, context.judged.problems)
  const commands = kind === 'session' ? readSession(manifest, context) : readBrowser(manifest, context)
  const family = context.tool.name
  return commands.map(command => ({
    ...command,
    name: `${family}.${command.name}`,
    family,
    binding: { kind, data: { command: command.name } },
  }))
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

interface BindingContext extends ReadContext, Pick<Parts, 'tool' | 'output'> {
  readonly http: Http | undefined
  readonly args: readonly Argument[]
  readonly manifest: Section<typeof MANIFEST>
  readonly declared: ReadonlySet<string>
  readonly defaults: CommandContext['defaults']
}

/** What the backend of the manifest's kind needs, as plain data. */
function readBinding(context: BindingContext): Binding {
  const { manifest, tool, args, declared, defaults, output, http, problems, origin } = context
  const kept = { maxBytes: output.maxBytes, evidence: { ...tool.evidence }, extension: output.parser.extension }
  if (http !== undefined) return toHttpBinding(http, kept)
  if (hasKey(manifest, 'mcp')) return { ...readMcp(manifest, [...declared], problems) }
  const command = readSection(manifest, 'command', COMMAND)
  const argv = hasKey(manifest, 'command') ? readCommand({ command, args, declared, defaults, problems }) : []
  return {
    kind: 'command',
    data: {
      argv,
      root: origin.root,
      allowInterpreter: tool.allowInterpreter,
      limits: { ...tool.limits },
      ...(hasKey(command, 'executor') ? { variables: toVariables(args, problems) } : {}),
      ...kept,
    } satisfies CommandBinding,
  }
}

type Kept = Pick<HttpBinding, 'maxBytes' | 'evidence' | 'extension'>

function toHttpBinding({ method, command, url = NOWHERE, headers, body }: Http, kept: Kept): Binding {
  const sent = { url, headers, ...(body === undefined ? {} : { body }) }
  return { kind: 'http', data: { method, command, ...sent, ...kept } satisfies HttpBinding }
}

/** Of a URL with a problem; its tool is never offered. */
const NOWHERE: HttpBinding['url'] = { origin: [], path: [], query: [] }

interface Source {
  readonly parts: Parts
  readonly context: LoadContext
  readonly project: Project
  readonly definition: JsonObject
  readonly locate: Tool['locate']
}

function toTool(described: Described, { parts, context, project, definition, locate }: Source): Tool {
  const { tool, output, outputSchema, egress } = parts
  const { name, family, description, riskTier, humanApproval, args, binding, http } = described
  const annotations = toAnnotations(riskTier, egress)
  return {
    name,
    ...(family === undefined ? {} : { family }),
    format: 'toolclad',
    description,
    ...(tool.version === undefined ? {} : { version: tool.version }),
    ...(context.file === undefined ? {} : { file: context.file }),
    riskTier,
    needsApproval: humanApproval || riskTier === 'high' || riskTier === 'critical',
    timeoutMs: tool.timeoutMs,
    parameters: toParameters(args),
    inputSchema: toInputSchema(args),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
    binding,
    definition: family === undefined ? definition : { ...definition, command: name },
    validate: compileValidate(args),
    ...compileRules(args, project, context),
    interpret: compileInterpret(family ?? name, output, http?.statuses),
    locate,
  }
}
