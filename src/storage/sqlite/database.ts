import { chmodSync, closeSync, constants, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { GatewayError } from '../../core/errors.ts'
import type { Durability } from '../store.ts'
import { MIGRATIONS } from './migrations.ts'

export interface SqliteOptions {
  /** The database; made when missing, in a folder that exists. Its `-wal` and `-shm` files lie beside it. */
  readonly file: string
  readonly durability: Durability
  /** How long to wait for another process that writes. Default 5,000. The wait blocks this process. */
  readonly busyTimeoutMs?: number
}

const OWNER_ONLY = 0o600
const DEFAULT_BUSY_TIMEOUT_MS = 5000
const RETRY_MS = 10
/** SQLite's primary result code for "somebody else holds the lock". */
const SQLITE_BUSY = 5

/** Opens the database and brings its schema up to date; two processes may do so at once. Throws SQLite's own errors. */
export function openDatabase({
  file,
  durability,
  busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS,
}: SqliteOptions): DatabaseSync {
  makePrivate(file)
  const db = new DatabaseSync(file, { timeout: busyTimeoutMs, defensive: true })
  try {
    // Refused before anything is changed: a newer Sallyport may keep its database another way.
    refuseNewer(db, file)
    enterWal(db, busyTimeoutMs)
    db.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
    // Elsewhere without effect: macOS keeps what fsync wrote in the drive's cache.
    if (durability === 'full') db.exec('PRAGMA fullfsync = ON')
    migrate(db, file)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** All of `work` or nothing. Takes the write lock at once: a transaction that reads first cannot wait for it. */
export function transaction(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    work()
    db.exec('COMMIT')
  } catch (error) {
    rollBack(db)
    throw error
  }
}

function rollBack(db: DatabaseSync): void {
  try {
    if (db.isTransaction) db.exec('ROLLBACK')
  } catch {
    // The first failure is the one to report; SQLite takes an open transaction back when it next reads the file.
  }
}

/**
 * SQLite would make the file with the umask's mode, and gives `-wal` and `-shm` the mode of the file. An existing file is
 * never opened here: closing it would drop the locks that another connection of this process holds on it.
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, OWNER_ONLY))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    // A restored copy brings the modes of wherever it was kept, and files left by a kill stay as they are.
    for (const path of [file, `${file}-wal`, `${file}-shm`]) {
      const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
      if ((mode & 0o077) !== 0) chmodSync(path, OWNER_ONLY)
    }
  }
}

/** Changing to WAL does not wait for another connection that opens the file, whatever the timeout is. */
function enterWal(db: DatabaseSync, waitMs: number): void {
  for (let left = waitMs; ; left -= RETRY_MS) {
    try {
      db.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || left <= 0) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
    }
  }
}

function migrate(db: DatabaseSync, file: string): void {
  if (versionOf(db) === MIGRATIONS.length) return // opening to read takes no write lock
  transaction(db, () => {
    refuseNewer(db, file)
    for (const step of MIGRATIONS.slice(versionOf(db))) db.exec(step)
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
  })
}

function refuseNewer(db: DatabaseSync, file: string): void {
  const version = versionOf(db)
  if (version <= MIGRATIONS.length) return
  throw new GatewayError('store_newer', `${file} has schema ${version}, this version knows ${MIGRATIONS.length}`)
}

function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
}

function isBusy(error: unknown): boolean {
  // Extended codes keep the primary one in their low byte.
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY
}
