// The last row of each writer, kept outside the database: what shows that a chain's end, or a whole writer, was removed.
import { closeSync, constants, fsyncSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError } from '../core/errors.ts'
import { sha256Hex } from '../lib/digest.ts'

/** A place in a writer's chain: its row `seq`; 0 is the beginning, before the first row. */
export interface Head {
  readonly seq: number
  readonly hash: string
}

export interface OpenHead {
  /** One small write, not waited for by a disk: it survives a killed process, and after a power cut lags behind. */
  readonly update: (head: Head) => void
  /** Idempotent. */
  readonly close: () => void
}

/** What is known of one head: `damaged` is a file that Sallyport did not leave like this. */
export type KnownHead = Head | 'damaged'

export interface Heads {
  /** A head for a new writer, durable when it returns; an existing one is refused. */
  readonly create: (writer: string, head: Head) => OpenHead
  readonly read: (writer: string) => Promise<KnownHead | undefined>
  readonly list: () => Promise<ReadonlyMap<string, KnownHead>>
}

const EXTENSION = '.head'
/** Ids that become file names. */
const WRITER = /^[0-9A-Za-z-]{1,64}$/
/** Place, hash, and the start of a digest of both. Of fixed length, so that an update replaces a record whole. */
const RECORD = /^((\d{16}) ([0-9a-f]{64})) ([0-9a-f]{8})\n$/
const RECORD_BYTES = 91
const CHECK_DIGITS = 8
/** How often a record that does not fit its digest is read: it may only have been half written. */
const ATTEMPTS = 10

/**
 * One file per writer in `dir`, which is made when first needed. All methods throw or reject with
 * `GatewayError('store_unavailable')` where the files cannot be read or written.
 */
export function openHeads(dir: string): Heads {
  const fileOf = (writer: string): string => join(dir, writer + EXTENSION)
  return {
    create: (writer, head) => guarded(dir, () => create(dir, fileOf(writer), head)),
    // A writer's id that was tampered with leads to no file outside the folder.
    read: async writer => (WRITER.test(writer) ? guardedAsync(dir, () => read(fileOf(writer))) : undefined),
    list: () =>
      guardedAsync(dir, async () => {
        const known = new Map<string, KnownHead>()
        for (const name of await namesIn(dir)) {
          const writer = name.slice(0, -EXTENSION.length)
          const head = await read(fileOf(writer))
          if (head !== undefined) known.set(writer, head)
        }
        return known
      }),
  }
}

function create(dir: string, file: string, head: Head): OpenHead {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const descriptor = openSync(file, flags, 0o600)
  try {
    write(descriptor, head)
    fsyncSync(descriptor)
    syncFolder(dir)
  } catch (error) {
    // Nothing is left behind, so that the same writer may try again.
    closeSync(descriptor)
    unlinkSync(file)
    throw error
  }
  let isOpen = true
  return {
    update: next =>
      guarded(dir, () => {
        // The number of a closed descriptor may by now be another file's.
        if (!isOpen) throw new GatewayError('closed')
        write(descriptor, next)
      }),
    close: () => {
      if (!isOpen) return
      isOpen = false
      closeSync(descriptor)
    },
  }
}

function write(descriptor: number, { seq, hash }: Head): void {
  const place = `${String(seq).padStart(16, '0')} ${hash}`
  writeSync(descriptor, `${place} ${checkOf(place)}\n`, 0)
}

/** No kernel promises that a read sees a write whole or not at all: this tells. It is no seal. */
function checkOf(place: string): string {
  return sha256Hex(place).slice(0, CHECK_DIGITS)
}

/** Makes the new name in the folder durable too. */
function syncFolder(dir: string): void {
  const descriptor = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

async function read(file: string): Promise<KnownHead | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const record = await recordOf(file)
    if (record === undefined) return undefined
    const [, place, seq, hash, check] = RECORD.exec(record) ?? []
    if (place !== undefined && hash !== undefined && checkOf(place) === check) return { seq: Number(seq), hash }
  }
  return 'damaged'
}

/** The start of the file, one byte beyond a record at most: a longer file is no record, nor is what is no file. */
async function recordOf(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (!(await file.stat()).isFile()) return ''
    const { buffer, bytesRead } = await file.read(Buffer.alloc(RECORD_BYTES + 1), 0, RECORD_BYTES + 1, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    if (hasCode(error, 'ELOOP') || hasCode(error, 'ENXIO')) return '' // a symbolic link, a socket
    throw error
  }
}

async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    const names = await readdir(dir)
    return names.filter(name => name.endsWith(EXTENSION) && WRITER.test(name.slice(0, -EXTENSION.length)))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

function guarded<T>(dir: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toFault(dir, error)
  }
}

async function guardedAsync<T>(dir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toFault(dir, error)
  }
}

function toFault(dir: string, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new GatewayError('store_unavailable', `audit heads in ${dir}: ${reason}`, { cause: error })
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
