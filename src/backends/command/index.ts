import type { Diagnostic } from '../../core/diagnostic.ts'
import { GatewayError } from '../../core/errors.ts'
import type { CallContext } from '../../core/call.ts'
import type { Refusal } from '../../core/outcome.ts'
import type { Clock, Ids, Logger } from '../../core/ports.ts'
import type { ProcessResult, Tool, Values } from '../../core/tool.ts'
import { makeScratch } from '../../io/files.ts'
import type { Scratch } from '../../io/files.ts'
import type { Spawner } from '../../io/spawn.ts'
import type { Backend, Callable, Prepared, Resolution } from '../backend.ts'
import { commandBinding } from './binding.ts'
import type { CommandBinding, SimpleToken } from './binding.ts'
import { expand } from './expand.ts'
import { prepareEvidence } from '../evidence.ts'
import { resolvePath } from './paths.ts'
import type { PathRules } from './paths.ts'
import { openProgram, PATH } from './program.ts'
import type { Program } from './program.ts'

export interface CommandDeps {
  readonly spawner: Spawner
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  /** The gateway's own locale and time zone, which children inherit (ruling ToolClad 21). */
  readonly environment: { readonly lang?: string; readonly lcAll?: string; readonly tz?: string }
  readonly evidenceRoot: string
  /** Absolute paths of the gateway's own files and folders. */
  readonly reserved: readonly string[]
  readonly allowHidden: boolean
  readonly isInterpreter: (name: string) => boolean
}

/** `[command]`: one program, one argv, no shell (ToolClad spec, Array-Based Command Construction). */
export const command = {
  kind: 'command',
  open: (deps: CommandDeps): Backend => ({
    kind: 'command',
    prepare: tool => prepare(tool, deps),
    close: () => Promise.resolve(), // the spawner is its owner's
  }),
} as const

async function prepare(tool: Tool, deps: CommandDeps): Promise<Prepared> {
  const binding = commandBinding.parse(tool.binding.data)
  const [first] = binding.argv
  const name = first !== undefined && 'literal' in first ? first.literal : ''
  const { allowInterpreter } = binding
  const program = openProgram({ name, allowInterpreter, isInterpreter: deps.isInterpreter })
  const callable: Callable = {
    resolve: values => resolve({ tool, binding, program, deps }, values),
  }
  return { callable, diagnostics: problemOf(await program(), tool) }
}

/** A missing program is a warning: it may be installed while the gateway runs. */
function problemOf(program: Program, tool: Tool): readonly Diagnostic[] {
  if (program.status === 'found') return []
  const path = '/command/exec/0'
  const missing = program.status === 'missing'
  return [
    {
      code: missing ? 'program_missing' : 'interpreter',
      severity: missing ? 'warning' : 'error',
      message: program.reason,
      ...(tool.file === undefined ? {} : { file: tool.file }),
      ...tool.locate(path),
      path,
    },
  ]
}

interface Prepare {
  readonly tool: Tool
  readonly binding: CommandBinding
  readonly program: () => Promise<Program>
  readonly deps: CommandDeps
}

/** One call, constructed. */
interface Invocation extends Prepare {
  readonly scanId: string
  readonly argv: readonly string[]
  readonly found: Program
}

async function resolve(prepared: Prepare, values: Values): Promise<Resolution> {
  const { tool, binding, program, deps } = prepared
  const scanId = `${Math.floor(deps.clock.now() / 1000)}-${deps.ids.hex(6)}`
  const [found, built] = await Promise.all([program(), buildArgv(binding, values, { scanId, deps })])
  if (built.refusals.length > 0) return { status: 'refused', refusals: asDeclared(built.refusals, tool) }
  if (found.status === 'interpreter') return { status: 'denied', code: 'interpreter', reason: found.reason }
  const { argv } = built
  const invocation: Invocation = { ...prepared, scanId, argv, found }
  return {
    status: 'ready',
    ready: { preview: { kind: 'command', argv }, run: ctx => run(invocation, ctx) },
  }
}

/** Refusals come in the order of the arguments, wherever these stand in the argv. */
function asDeclared(refusals: readonly Refusal[], { parameters }: Tool): readonly Refusal[] {
  return parameters.flatMap(({ name }) => refusals.filter(({ argument }) => argument === name))
}

interface BuiltArgv {
  readonly argv: readonly string[]
  readonly refusals: readonly Refusal[]
}

/** Each token is one entry or none; a value is never split or looked at again. */
async function buildArgv(
  { argv: tokens, root }: CommandBinding,
  values: Values,
  { scanId, deps }: { readonly scanId: string; readonly deps: CommandDeps },
): Promise<BuiltArgv> {
  const argv: string[] = []
  const refusals: Refusal[] = []
  let optionsEnded = false
  for (const token of expand(tokens, values)) {
    if ('injected' in token) argv.push(scanId)
    else if ('literal' in token) argv.push(token.literal)
    else {
      const entry = await entryOf(token, values, { root, reserved: deps.reserved, allowHidden: deps.allowHidden })
      if (typeof entry === 'object') {
        if (!refusals.some(({ argument }) => argument === token.value)) refusals.push(entry)
        continue
      }
      if (entry === undefined) continue
      if (token.afterOptions === true && !optionsEnded) argv.push('--')
      optionsEnded ||= token.afterOptions === true
      argv.push(entry)
    }
  }
  return { argv, refusals }
}

/** A value as it stands in the argv: a path as where it leads; nothing for an absent one. */
async function entryOf(
  { value: name, path }: Extract<SimpleToken, { readonly value: string }>,
  values: Values,
  rules: PathRules,
): Promise<string | Refusal | undefined> {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (typeof value !== 'string') return undefined
  if (path !== true) return value
  const resolved = await resolvePath(name, value, rules)
  if (resolved.ok) return resolved.path
  const { argument, fence, message } = resolved
  return { argument, fence, message }
}

async function run(invocation: Invocation, ctx: CallContext): Promise<ProcessResult> {
  const { found, deps } = invocation
  const startedAt = deps.clock.now()
  if (found.status !== 'found') return notRun(invocation, startedAt, new GatewayError('program_missing', found.reason))
  try {
    const evidence = await evidenceOf(invocation)
    const ended = await runInScratch(invocation, found.file, ctx)
    const raw = { kind: 'process', ...ended, ...identityOf(invocation), startedAt } as const
    if (evidence === undefined) return raw
    try {
      return { ...raw, outputFile: await evidence.write(raw.stdout) }
    } catch (error) {
      return { ...raw, error: asFault(error) }
    }
  } catch (error) {
    return notRun(invocation, startedAt, asFault(error))
  }
}

async function evidenceOf({ binding, tool, scanId, deps }: Invocation) {
  const { capture, outputDir } = binding.evidence
  if (!capture) return undefined
  const { extension } = binding
  return prepareEvidence({ root: deps.evidenceRoot, outputDir, scanId, tool: tool.name, extension })
}

async function runInScratch({ binding, argv, tool, deps }: Invocation, file: string, ctx: CallContext) {
  const scratch = await openScratch()
  const done = new AbortController()
  void reportProgress(tool.name, ctx, done.signal).catch((error: unknown) =>
    deps.logger.warn('progress could not be reported', { why: String(error) }),
  )
  try {
    const [argv0 = '', ...args] = argv
    const { error, ...result } = await deps.spawner.run({
      file,
      argv0,
      args,
      cwd: scratch.path,
      ownsCwd: true,
      env: environmentOf(deps, scratch.path),
      signal: ctx.signal,
      timeoutMs: tool.timeoutMs,
      maxBytes: binding.maxBytes,
    })
    return error === undefined ? result : { ...result, error }
  } finally {
    done.abort()
    await scratch
      .remove()
      .catch((error: unknown) => deps.logger.warn('a scratch folder is left', { why: String(error) }))
  }
}

async function openScratch(): Promise<Scratch> {
  try {
    return await makeScratch()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError('spawn_failed', `no scratch folder can be made for it: ${why}`, { cause })
  }
}

/** ToolClad spec, Hardened spawn path; ruling ToolClad 21: nothing else of this process's environment. */
function environmentOf({ environment: { lang, lcAll, tz } }: CommandDeps, scratch: string): Record<string, string> {
  return {
    PATH,
    HOME: scratch,
    TMPDIR: scratch,
    ...(lang === undefined ? {} : { LANG: lang }),
    ...(lcAll === undefined ? {} : { LC_ALL: lcAll }),
    ...(tz === undefined ? {} : { TZ: tz }),
  }
}

const PROGRESS_MS = 1000

async function reportProgress(tool: string, { clock, progress }: CallContext, done: AbortSignal): Promise<void> {
  for (let seconds = 1; ; seconds++) {
    await clock.sleep(PROGRESS_MS, done)
    if (done.aborted) return
    progress({ progress: seconds, message: `${tool} has been running for ${seconds} s` })
  }
}

function identityOf({ scanId, argv }: Invocation): Pick<ProcessResult, 'scanId' | 'command'> {
  return { scanId, command: argv.join(' ') }
}

function notRun(invocation: Invocation, startedAt: number, error: NonNullable<ProcessResult['error']>): ProcessResult {
  return {
    kind: 'process',
    ...identityOf(invocation),
    startedAt,
    durationMs: 0,
    ended: 'failed',
    exitCode: -1,
    error: { code: error.code, message: error.message },
    stdout: new Uint8Array(),
    stderr: new Uint8Array(),
    truncated: false,
  }
}

function asFault(error: unknown): NonNullable<ProcessResult['error']> {
  if (error instanceof GatewayError) return { code: error.code, message: error.message }
  throw error
}
