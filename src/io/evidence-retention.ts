// Old evidence is removed in the background where `evidence.retention` says so. Only what carries a name of ours, with the time
// of its run in it, and only below a folder that is the gateway's alone; links are never followed.
import { lstat, opendir, rmdir, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock, Logger } from '../core/ports.ts'
import { ensurePrivateDir, kindOf } from './files.ts'

export interface RetentionDeps {
  readonly root: string
  /** Of a run; older evidence goes. */
  readonly maxAgeMs: number
  readonly clock: Clock
  readonly logger: Logger
}

export interface Retention {
  /** Idempotent: the next look is not taken, and one under way ends after the file it is at. */
  readonly close: () => Promise<void>
}

/** Between two looks. */
const EVERY = 3_600_000
const MAX_DEPTH = 32
/** `<scan id>-<tool>.<extension>`. */
const EVIDENCE_FILE = /^(\d{10,})-[0-9a-f]{8,}-[A-Za-z][A-Za-z0-9_-]*(?:\.[a-z]+){1,2}$/
/** A folder that `output_dir` makes for one run. */
const RUN_FOLDER = /(?:^|[^0-9a-f])(\d{10,})-[0-9a-f]{8,}$/
/** Bits that would let others put files there for us to remove. */
const OTHERS_WRITE = 0o022

/** Looks at once, and every hour. */
export function openRetention({ root, maxAgeMs, clock, logger }: RetentionDeps): Retention {
  const closing = new AbortController()
  let cancel: (() => void) | undefined
  let looking = Promise.resolve()

  async function lookNow(): Promise<void> {
    await sweep(root, { before: clock.now() - maxAgeMs, signal: closing.signal, warn })
    if (!closing.signal.aborted) cancel = clock.timer(EVERY, look)
  }

  function warn(path: string, error: unknown): void {
    logger.warn('old evidence could not be removed', { path, why: String(error) })
  }

  function look(): void {
    looking = lookNow()
  }

  look()
  return {
    close: async () => {
      closing.abort()
      cancel?.()
      await looking
    },
  }
}

interface Sweep {
  /** Unix milliseconds. */
  readonly before: number
  readonly signal: AbortSignal
  readonly warn: (path: string, error: unknown) => void
}

async function sweep(root: string, how: Sweep): Promise<void> {
  if ((await kindOf(root)) === 'missing') return // nothing has run yet
  await sweepFolder(root, 0, how)
}

/** What stands in the way of one folder or file, which a program may have put there, is no reason to keep the others. */
async function sweepFolder(folder: string, depth: number, how: Sweep): Promise<void> {
  try {
    await ensurePrivateDir(folder, { forbidden: OTHERS_WRITE, code: 'evidence_unavailable' })
    for await (const entry of await opendir(folder)) {
      if (how.signal.aborted) return
      const path = join(folder, entry.name)
      if (entry.isDirectory() && depth < MAX_DEPTH) await sweepFolder(path, depth + 1, how)
      else if (entry.isFile() && isOld(EVIDENCE_FILE, entry.name, how)) await removeOwn(path, how)
    }
    // A run of today never uses the folder of an old one, so nothing is taken from under it.
    if (depth > 0 && isOld(RUN_FOLDER, basename(folder), how)) await rmdir(folder).catch(() => undefined) // not empty
  } catch (error) {
    how.warn(folder, error)
  }
}

async function removeOwn(path: string, { warn }: Sweep): Promise<void> {
  try {
    if ((await lstat(path)).uid === process.geteuid?.()) await unlink(path)
  } catch (error) {
    // Another gateway with the same root may have been faster.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) warn(path, error)
  }
}

function isOld(pattern: RegExp, name: string, { before }: Sweep): boolean {
  const seconds = pattern.exec(name)?.[1]
  return seconds !== undefined && Number(seconds) * 1000 < before
}
