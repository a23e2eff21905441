// The one place that starts programs. A program gets its own process group, nothing of this process's environment or
// descriptors, and a limit on time and on output; however it ends, nothing of its group is left.
import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import type { Clock, Logger } from '../core/ports.ts'
import { capture } from './capture.ts'
import { openReaper } from './reaper.ts'
import type { Reaper } from './reaper.ts'

export interface SpawnRequest {
  /** Absolute; nothing is searched. */
  readonly file: string
  readonly argv0: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Nothing else runs in `cwd`: then not even a gateway that is killed while it starts the program leaves it behind. */
  readonly ownsCwd?: boolean
  /** All of the program's environment. */
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Cap on each of stdout and stderr. */
  readonly maxBytes: number
}

export interface SpawnResult {
  readonly ended: 'exited' | 'timeout' | 'cancelled' | 'failed'
  /** The program's; 128+n for a signal; −1 when it was ended by us or never started. */
  readonly exitCode: number
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly truncated: boolean
  readonly durationMs: number
  /** Why it `failed`. */
  readonly error?: { readonly code: 'spawn_failed' | 'closed'; readonly message: string }
}

export interface Spawner {
  /** Never rejects. Ends within the timeout, the grace period and half a second. */
  readonly run: (request: SpawnRequest) => Promise<SpawnResult>
  /** Idempotent: ends what runs as a cancellation would, and waits for it. */
  readonly close: () => Promise<void>
}

export interface SpawnerDeps {
  readonly clock: Clock
  readonly logger: Logger
  /** Between SIGTERM and SIGKILL. */
  readonly killGraceMs?: number
}

/** `TOOLCLAD_KILL_GRACE_MS` when unset (ToolClad spec, Security Features). */
const KILL_GRACE = 2_000
/** How long output is waited for after the program itself has ended; whoever holds the pipe then is not it. */
const DRAIN = 100
/** How long a killed program may take to be gone; the kernel alone can exceed it. */
const REAP = 250
/** How often a group that was asked to end is looked at. */
const POLL = 10

export function openSpawner({ clock, logger, killGraceMs = KILL_GRACE }: SpawnerDeps): Spawner {
  const reaper = openReaper({ logger })
  const running = new Map<AbortController, Promise<SpawnResult>>()
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    for (const stop of running.keys()) stop.abort()
    await Promise.all(running.values())
    await reaper.close()
  }

  return {
    run: async request => {
      if (closing !== undefined) return notStarted({ code: 'closed', message: 'The gateway is shutting down.' })
      const stop = new AbortController()
      const result = runProgram({ clock, reaper, killGraceMs }, request, stop.signal)
      running.set(stop, result)
      try {
        return await result
      } finally {
        running.delete(stop)
      }
    },
    close: () => (closing ??= close()),
  }
}

interface RunDeps {
  readonly clock: Clock
  readonly reaper: Reaper
  readonly killGraceMs: number
}

type Program = ChildProcessByStdio<null, Readable, Readable>

async function runProgram(deps: RunDeps, request: SpawnRequest, stop: AbortSignal): Promise<SpawnResult> {
  const { clock, reaper } = deps
  if (request.signal.aborted) return { ...NOTHING, ended: 'cancelled' }
  reaper.start()
  const begun = clock.monotonic()
  if (request.ownsCwd === true) reaper.expect(request.cwd)
  const program = start(request)
  if (program instanceof Error || program.pid === undefined) reaper.failed()
  if (program instanceof Error) return notStarted({ code: 'spawn_failed', message: sentence(request, program) })
  const group = program.pid
  if (group === undefined) {
    const error = await new Promise<Error>(resolve => program.once('error', resolve))
    return notStarted({ code: 'spawn_failed', message: sentence(request, error) })
  }
  // In the same moment: a gateway that is killed before the reaper knows would leave the program behind.
  reaper.watch(group)
  program.on('error', () => undefined) // cannot come any more: it is running
  const out = capture(program.stdout, request.maxBytes)
  const err = capture(program.stderr, request.maxBytes)
  const exited = exitOf(program)

  const ended = await firstEnd(clock, exited, request, stop)
  if (ended !== 'exited') await endGroup(deps, group)
  await settled(clock, exited, REAP)
  await drained(clock, Promise.all([out.ended, err.ended]))
  signalGroup(group, 'SIGKILL')
  reaper.forget(group)
  out.release()
  err.release()
  program.unref() // only where the kernel keeps it past REAP
  return {
    ended,
    exitCode: ended === 'exited' ? await exited : -1,
    stdout: out.bytes(),
    stderr: err.bytes(),
    truncated: out.truncated() || err.truncated(),
    durationMs: Math.round(clock.monotonic() - begun),
  }
}

function start({ file, argv0, args, cwd, env }: SpawnRequest): Program | Error {
  try {
    // Node hands NODE_V8_COVERAGE of its own to every child, unless it is told that there is none.
    const exactly = { NODE_V8_COVERAGE: undefined, ...env }
    return spawn(file, [...args], { argv0, cwd, env: exactly, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function exitOf(program: Program): Promise<number> {
  return new Promise(resolve => {
    program.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
}

/** How the run ends: by itself, by its time limit, or because its caller or the spawner gave it up. */
async function firstEnd(
  clock: Clock,
  exited: Promise<number>,
  { signal, timeoutMs }: SpawnRequest,
  stop: AbortSignal,
): Promise<'exited' | 'timeout' | 'cancelled'> {
  const decided = new AbortController()
  const cancelled = new Promise<'cancelled'>(resolve => {
    for (const source of [signal, stop])
      if (source.aborted) resolve('cancelled')
      else source.addEventListener('abort', () => resolve('cancelled'), { once: true, signal: decided.signal })
  })
  const timeout = clock.sleep(timeoutMs, decided.signal).then(() => 'timeout' as const)
  try {
    return await Promise.race([exited.then(() => 'exited' as const), timeout, cancelled])
  } finally {
    decided.abort()
  }
}

/** SIGTERM to the whole group, then SIGKILL when the grace period is over and something of it is left. */
async function endGroup({ clock, killGraceMs }: RunDeps, group: number): Promise<void> {
  signalGroup(group, 'SIGTERM')
  const until = clock.monotonic() + killGraceMs
  while (isAlive(group) && clock.monotonic() < until) await clock.sleep(POLL)
  signalGroup(group, 'SIGKILL')
}

/** Waits for the pipes to close, and a little longer for what has been written but not yet read. */
async function drained(clock: Clock, ended: Promise<unknown>): Promise<void> {
  if (await settled(clock, ended, DRAIN)) return
  // On a busy machine the time may be over before the loop has read at all: let it read what is there.
  for (let turn = 0; turn < 2; turn++) await new Promise(resolve => setImmediate(resolve))
}

/** Whether the promise settles within `ms`; leaves no timer behind. */
async function settled(clock: Clock, promise: Promise<unknown>, ms: number): Promise<boolean> {
  const done = new AbortController()
  try {
    return await Promise.race([promise.then(() => true), clock.sleep(ms, done.signal).then(() => false)])
  } finally {
    done.abort()
  }
}

/** True unless nothing of the group is left. A member we may not signal (EPERM) counts as left. */
function isAlive(group: number): boolean {
  return signalGroup(group, 0)
}

function signalGroup(group: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

const NOTHING = {
  exitCode: -1,
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  truncated: false,
  durationMs: 0,
} as const

function notStarted(error: NonNullable<SpawnResult['error']>): SpawnResult {
  return { ...NOTHING, ended: 'failed', error }
}

function sentence({ file }: SpawnRequest, error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'it, its interpreter or its working directory is missing',
    EACCES: 'it may not be executed',
    E2BIG: 'its arguments are too long for the system',
    EAGAIN: 'the system has no room for another process',
    EMFILE: 'this process has too many files open',
    ENFILE: 'the system has too many files open',
  }
  return `${file} could not be started${code}: ${reasons[code.slice(2, -1)] ?? 'the system refused it'}.`
}
