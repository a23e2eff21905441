import { join } from 'node:path'
import type { CallContext } from '../../core/call.ts'
import { GatewayError } from '../../core/errors.ts'
import type { Clock, Ids, Logger } from '../../core/ports.ts'
import type { ProcessResult, Tool } from '../../core/tool.ts'
import { readWritten } from '../../io/files.ts'
import { makeScratch } from '../../io/scratch.ts'
import type { Scratch } from '../../io/scratch.ts'
import type { Spawner } from '../../io/spawn.ts'
import type { CommandBinding } from './binding.ts'
import { OUTPUT_FILE, toArgv } from './construct.ts'
import type { Entry } from './construct.ts'
import { prepareEvidence } from '../evidence.ts'
import type { EvidenceFile, EvidenceFolder, EvidenceRequest } from '../evidence.ts'
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

/** Scratch folders that are still being removed. */
export interface Leftovers {
  readonly leftovers: Set<Promise<void>>
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
  readonly deps: CommandDeps & Leftovers
}

export async function run(invocation: Invocation, ctx: CallContext): Promise<ProcessResult> {
  const { found, deps, binding } = invocation
  const startedAt = deps.clock.now()
  if (found.status !== 'found') return notRun(invocation, startedAt, new GatewayError('program_missing', found.reason))
  let scratch
  try {
    const folder = needsFolder(invocation) ? prepareEvidence(invocation.evidence) : undefined
    scratch = openScratch()
    const outputFile = join(scratch.path, `output.${binding.extension}`)
    // In a folder that can be used the file is made while the program starts: nobody waits for it.
    const kept = binding.evidence.capture ? folder?.open(stdoutExtension(invocation)) : undefined
    kept?.catch(() => undefined) // `withEvidence` meets it again
    const ended = await runInScratch(invocation, { file: found.file, scratch, outputFile }, ctx)
    const raw = { kind: 'process', ...ended, ...identityOf(invocation, outputFile), startedAt } as const
    const written = await withWritten(raw, invocation, { scratch, outputFile })
    return kept === undefined ? written : await withEvidence(written, { kept, folder, extension: binding.extension })
  } catch (error) {
    return notRun(invocation, startedAt, asFault(error))
  } finally {
    if (scratch !== undefined) await removeScratch(scratch, deps)
  }
}

/** Where a file is the output, stdout is kept beside it. */
function stdoutExtension({ args, binding }: Invocation): string {
  return args.includes(OUTPUT_FILE) ? 'stdout.txt' : binding.extension
}

/** What the program was told to write takes the place of its stdout (ruling ToolClad 22). */
async function withWritten(
  raw: ProcessResult,
  { args, binding }: Invocation,
  { scratch, outputFile }: Pick<Place, 'scratch' | 'outputFile'>,
): Promise<ProcessResult> {
  if (raw.ended === 'failed' || !args.includes(OUTPUT_FILE)) return raw
  const written = scratch.isThere()
    ? await readWritten(outputFile, binding.maxBytes)
    : ({ ok: false, reason: 'its folder is gone' } as const)
  if (written.ok) return { ...raw, written: written.bytes }
  if (raw.ended !== 'exited' || raw.exitCode !== 0) return raw // how it ended says more
  return { ...raw, error: { code: 'output_file', message: `The output file cannot be used: ${written.reason}` } }
}

interface Keeping {
  /** For stdout. */
  readonly kept: Promise<EvidenceFile>
  readonly folder: EvidenceFolder | undefined
  readonly extension: string
}

async function withEvidence(raw: ProcessResult, { kept, folder, extension }: Keeping): Promise<ProcessResult> {
  try {
    const stdout = await kept
    await stdout.write(raw.stdout)
    if (raw.written === undefined || folder === undefined) return { ...raw, outputFile: stdout.path }
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

function openScratch(): Scratch {
  try {
    return makeScratch()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError('spawn_failed', `no scratch folder can be made for it: ${why}`, { cause })
  }
}

/** How long a call waits for its folder to be gone: a program may leave a hundred thousand files. */
const REMOVAL_MS = 250

async function removeScratch(scratch: Scratch, { clock, logger, leftovers }: Invocation['deps']): Promise<void> {
  const removed = new AbortController()
  const removal = scratch
    .remove()
    .catch((error: unknown) => logger.warn('a scratch folder is left', { why: String(error) }))
    .finally(() => {
      leftovers.delete(removal)
      removed.abort()
    })
  leftovers.add(removal)
  await Promise.race([removal, clock.sleep(REMOVAL_MS, removed.signal)])
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
