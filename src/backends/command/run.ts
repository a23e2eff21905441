import { join } from 'node:path'
import type { CallContext } from '../../core/call.ts'
import { GatewayError } from '../../core/errors.ts'
import type { Clock, Ids, Logger } from '../../core/ports.ts'
import type { ProcessResult, Tool } from '../../core/tool.ts'
import { makeScratch, readWritten } from '../../io/files.ts'
import type { Scratch } from '../../io/files.ts'
import type { Spawner } from '../../io/spawn.ts'
import type { CommandBinding } from './binding.ts'
import { OUTPUT_FILE, toArgv } from './construct.ts'
import type { Entry } from './construct.ts'
import { prepareEvidence } from '../evidence.ts'
import type { EvidenceFolder, EvidenceRequest } from '../evidence.ts'
import { PATH } from './program.ts'
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
  /** Where prlimit(1) is. Default: looked for in the fixed PATH. */
  readonly findLimiter?: () => string | undefined
}

/** One call, constructed. */
export interface Invocation {
  readonly tool: Tool
  readonly binding: CommandBinding
  readonly argv0: string
  readonly args: readonly Entry[]
  /** Beside the fixed environment. */
  readonly env: Readonly<Record<string, string>>
  readonly found: Program
  readonly evidence: EvidenceRequest
  /** prlimit(1) and its options. */
  readonly limit?: { readonly file: string; readonly options: readonly string[] }
  readonly deps: CommandDeps
}

export async function run(invocation: Invocation, ctx: CallContext): Promise<ProcessResult> {
  const { found, deps, binding } = invocation
  const startedAt = deps.clock.now()
  if (found.status !== 'found') return notRun(invocation, startedAt, new GatewayError('program_missing', found.reason))
  let scratch
  try {
    const folder = needsFolder(invocation) ? await prepareEvidence(invocation.evidence) : undefined
    scratch = await openScratch()
    const outputFile = join(scratch.path, `output.${binding.extension}`)
    const ended = await runInScratch(invocation, { file: found.file, scratch, outputFile }, ctx)
    const raw = { kind: 'process', ...ended, ...identityOf(invocation, outputFile), startedAt } as const
    return await withEvidence(await withWritten(raw, invocation, outputFile), invocation, folder)
  } catch (error) {
    return notRun(invocation, startedAt, asFault(error))
  } finally {
    await scratch
      ?.remove()
      .catch((error: unknown) => deps.logger.warn('a scratch folder is left', { why: String(error) }))
  }
}

/** What the program was told to write takes the place of its stdout (ruling ToolClad 22). */
async function withWritten(raw: ProcessResult, { args, binding }: Invocation, file: string): Promise<ProcessResult> {
  if (raw.ended === 'failed' || !args.includes(OUTPUT_FILE)) return raw
  const written = await readWritten(file, binding.maxBytes)
  if (written.ok) return { ...raw, written: written.bytes }
  if (raw.ended !== 'exited' || raw.exitCode !== 0) return raw // how it ended says more
  return { ...raw, error: { code: 'output_file', message: `The output file cannot be used: ${written.reason}` } }
}

async function withEvidence(
  raw: ProcessResult,
  { binding: { evidence, extension } }: Invocation,
  folder: EvidenceFolder | undefined,
): Promise<ProcessResult> {
  if (!evidence.capture || folder === undefined) return raw
  try {
    if (raw.written === undefined) return { ...raw, outputFile: await folder.write(raw.stdout, extension) }
    await folder.write(raw.stdout, 'stdout.txt')
    return { ...raw, outputFile: await folder.write(raw.written, extension) }
  } catch (error) {
    return { ...raw, error: asFault(error) }
  }
}

/** A folder that is named to the program is there, whether or not its output is kept. */
function needsFolder({ binding: { evidence, variables, argv } }: Invocation): boolean {
  return evidence.capture || variables !== undefined || JSON.stringify(argv).includes('"injected":"evidence_dir"')
}

interface Place {
  readonly file: string
  readonly scratch: Scratch
  readonly outputFile: string
}

async function runInScratch(invocation: Invocation, { file, scratch, outputFile }: Place, ctx: CallContext) {
  const { binding, argv0, tool, limit, deps } = invocation
  const done = new AbortController()
  void reportProgress(tool.name, ctx, done.signal).catch((error: unknown) =>
    deps.logger.warn('progress could not be reported', { why: String(error) }),
  )
  try {
    const argv = toArgv(argv0, invocation.args, outputFile)
    // prlimit(1) looks a bare name up in the same PATH, which keeps argv[0] as it was asked for.
    const started =
      limit === undefined
        ? { file, argv0, args: argv.slice(1) }
        : { file: limit.file, argv0: 'prlimit', args: [...limit.options, '--', ...argv] }
    const { error, ...result } = await deps.spawner.run({
      ...started,
      cwd: scratch.path,
      ownsCwd: true,
      env: { ...invocation.env, ...environmentOf(deps, scratch.path) },
      signal: ctx.signal,
      timeoutMs: tool.timeoutMs,
      maxBytes: binding.maxBytes,
    })
    return error === undefined ? result : { ...result, error }
  } finally {
    done.abort()
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

function identityOf(
  { argv0, args, binding, evidence: { scanId } }: Invocation,
  outputFile?: string,
): Pick<ProcessResult, 'scanId' | 'command'> {
  if (binding.variables !== undefined) return { scanId, command: `${argv0} (custom executor)` }
  return { scanId, command: toArgv(argv0, args, outputFile).join(' ') }
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
