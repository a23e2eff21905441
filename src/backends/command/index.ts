import { dirname, resolve as resolveFile } from 'node:path'
import type { Diagnostic } from '../../core/diagnostic.ts'
import type { Refusal } from '../../core/outcome.ts'
import type { Tool, Values } from '../../core/tool.ts'
import type { Backend, Callable, Prepared, Preview, Resolution } from '../backend.ts'
import { commandBinding } from './binding.ts'
import type { CommandBinding } from './binding.ts'
import { construct, select, toArgv } from './construct.ts'
import type { Constructed, Injected, Selection } from './construct.ts'
import { evidenceFolder } from '../evidence.ts'
import { makeScanId } from '../scan-id.ts'
import { findLimiter, limitOptions } from './limits.ts'
import { pathAsWritten, resolvePath } from './paths.ts'
import type { PathRules } from './paths.ts'
import { openProgram } from './program.ts'
import type { Program } from './program.ts'
import { run } from './run.ts'
import type { CommandDeps, Leftovers } from './run.ts'

/** One argv, with an executor's variables where it is one. */
export type CommandPreview = {
  readonly kind: 'command'
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const preview: Preview<CommandPreview> = (tool, values, { evidenceRoot, ...deps }) => {
  const binding = commandBinding.parse(tool.binding.data)
  const described = { tool, binding, argv0: programOf(binding, tool) }
  const scanId = makeScanId(deps)
  const folder = { root: evidenceRoot, outputDir: binding.evidence.outputDir, scanId, tool: tool.name }
  const injected = { scan_id: scanId, evidence_dir: evidenceFolder(folder) }
  const selection = select(binding, values)
  const pathOf = (name: string): string => pathAsWritten(binding.root, selection.paths.get(name) ?? '')
  const constructed = construct(selection, { injected, pathOf })
  return toPreview(described, constructed, environmentOf(described, constructed, injected))
}

/** `[command]`: one program, one argv, no shell (ToolClad spec, Array-Based Command Construction). */
export const command = {
  kind: 'command',
  open: (deps: CommandDeps): Backend => {
    const leftovers = new Set<Promise<void>>()
    return {
      kind: 'command',
      prepare: tool => prepare(tool, { ...deps, leftovers }),
      close: async () => {
        await Promise.all(leftovers) // the spawner is its owner's
      },
    }
  },
  preview,
} as const

async function prepare(tool: Tool, deps: CommandDeps & Leftovers): Promise<Prepared> {
  const binding = commandBinding.parse(tool.binding.data)
  const { allowInterpreter } = binding
  const argv0 = programOf(binding, tool)
  const refuseScripts = binding.variables !== undefined
  const program = openProgram({ name: argv0, allowInterpreter, refuseScripts, isInterpreter: deps.isInterpreter })
  const limits = limitOptions(binding.limits)
  const find = deps.findLimiter ?? findLimiter
  const callable: Callable = {
    resolve: async values => {
      const limiter = limits === undefined ? undefined : find()
      if (limits !== undefined && limiter === undefined)
        return { status: 'denied', code: 'unsupported', reason: NO_LIMITER }
      const limit = limits === undefined || limiter === undefined ? {} : { limit: { file: limiter, options: limits } }
      return resolve({ tool, binding, argv0, program, deps, ...limit }, values)
    },
  }
  const missing = limits !== undefined && find() === undefined ? [warnOfLimits(tool)] : []
  return { callable, diagnostics: [...problemOf(await program(), refuseScripts, tool), ...missing] }
}

const NO_LIMITER = 'This machine cannot apply [tool.limits]: it has no prlimit (util-linux), so the tool is not run.'

/** The program as the manifest names it; an executor lies beside its manifest. */
function programOf({ argv: [first], variables, root }: CommandBinding, { file }: Tool): string {
  const written = first !== undefined && 'literal' in first ? first.literal : ''
  return variables === undefined ? written : resolveFile(file === undefined ? root : dirname(file), written)
}

/** A missing program is a warning: it may be installed while the gateway runs. */
function problemOf(program: Program, isExecutor: boolean, tool: Tool): readonly Diagnostic[] {
  if (program.status === 'found') return []
  const path = isExecutor ? '/command/executor' : '/command/exec/0'
  const missing = program.status === 'missing'
  const code = missing ? 'program_missing' : 'interpreter'
  return [at(tool, path, { code, severity: missing ? 'warning' : 'error', message: program.reason })]
}

function warnOfLimits(tool: Tool): Diagnostic {
  return at(tool, '/tool/limits', { code: 'program_missing', severity: 'warning', message: NO_LIMITER })
}

function at(tool: Tool, path: string, problem: Pick<Diagnostic, 'code' | 'severity' | 'message'>): Diagnostic {
  return { ...problem, ...(tool.file === undefined ? {} : { file: tool.file }), ...tool.locate(path), path }
}

interface Prepare {
  readonly tool: Tool
  readonly binding: CommandBinding
  readonly argv0: string
  readonly program: () => Promise<Program>
  readonly deps: CommandDeps & Leftovers
  readonly limit?: { readonly file: string; readonly options: readonly string[] }
}

async function resolve({ program, ...prepared }: Prepare, values: Values): Promise<Resolution> {
  const { tool, binding, deps } = prepared
  const { evidenceRoot, reserved, allowHidden } = deps
  const scanId = makeScanId(deps)
  const evidence = { root: evidenceRoot, outputDir: binding.evidence.outputDir, scanId, tool: tool.name }
  const injected = { scan_id: scanId, evidence_dir: evidenceFolder(evidence) }
  const selection = select(binding, values)
  const rules = { root: binding.root, reserved, allowHidden }
  const [found, paths] = await Promise.all([program(), resolvePaths(selection, rules)])
  const refusals = tool.parameters.flatMap(({ name }) => paths.refusals.get(name) ?? [])
  if (refusals.length > 0) return { status: 'refused', refusals }
  if (found.status === 'interpreter') return { status: 'denied', code: 'interpreter', reason: found.reason }
  const constructed = construct(selection, { injected, pathOf: name => paths.found.get(name) })
  const env = environmentOf(prepared, constructed, injected)
  const { args } = constructed
  return {
    status: 'ready',
    ready: {
      preview: toPreview(prepared, constructed, env),
      run: ctx => run({ ...prepared, evidence, args, env: env ?? {}, found }, ctx),
    },
  }
}

/** Where the path arguments lead, and those that may not lead there. */
async function resolvePaths({ paths }: Selection, rules: PathRules) {
  const found = new Map<string, string>()
  const refusals = new Map<string, Refusal>()
  await Promise.all(
    Array.from(paths, async ([name, value]) => {
      const resolved = await resolvePath(name, value, rules)
      if (resolved.ok) found.set(name, resolved.path)
      else refusals.set(name, { argument: name, fence: resolved.fence, message: resolved.message })
    }),
  )
  return { found, refusals }
}

type Described = Pick<Prepare, 'tool' | 'binding' | 'argv0'>

function toPreview(
  { argv0 }: Described,
  { args }: Constructed,
  env: Readonly<Record<string, string>> | undefined,
): CommandPreview {
  return { kind: 'command', argv: toArgv(argv0, args), ...(env === undefined ? {} : { env }) }
}

/** What is set for an executor alone. */
function environmentOf(
  { tool, binding }: Described,
  { variables }: Constructed,
  injected: Injected,
): Readonly<Record<string, string>> | undefined {
  return binding.variables === undefined ? undefined : { ...variables, ...executorVariables(tool, injected) }
}

/** What an executor is told beside its arguments (reference 3.8). */
function executorVariables(
  tool: Tool,
  { scan_id: scanId, evidence_dir: folder }: Record<'scan_id' | 'evidence_dir', string>,
) {
  return {
    TOOLCLAD_SCAN_ID: scanId,
    TOOLCLAD_TOOL_NAME: tool.name,
    TOOLCLAD_OUTPUT_DIR: folder,
    TOOLCLAD_EVIDENCE_DIR: folder,
  }
}
