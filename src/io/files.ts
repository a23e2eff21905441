import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  open as openFile,
  statSync,
  writeFile,
  writeFileSync,
} from 'node:fs'
import type { Stats } from 'node:fs'
import { access, glob, link, lstat, mkdir, open, realpath, stat, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { GatewayError } from '../core/errors.ts'
import type { ErrorCode } from '../core/errors.ts'
import { systemIds } from './system.ts'

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_DIR = 0o700

/** The text of a regular file of at most `maxBytes`, as strict UTF-8 (a leading byte-order mark is dropped). */
export async function readText(path: string, { maxBytes }: { readonly maxBytes: number }): Promise<string> {
  let bytes
  try {
    // Not blocking: opening a pipe nobody writes to would wait for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!(await file.stat()).isFile()) throw unreadable(path, 'it is not a regular file')
      bytes = await readUpTo(file, maxBytes + 1)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw error instanceof GatewayError ? error : unreadable(path, reasonOf(error), error)
  }
  if (bytes.byteLength > maxBytes) throw unreadable(path, `it is larger than ${maxBytes} bytes`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw unreadable(path, 'it is not valid UTF-8', error)
  }
}

/**
 * A new file, readable by its owner alone and whole from the moment it is there, also after a crash. False, with nothing
 * changed, where something stands there already: of several that create it at one moment, one does.
 */
export async function createWhole(path: string, data: string | Uint8Array): Promise<boolean> {
  const draft = join(dirname(path), `.${basename(path)}.${systemIds.hex(6)}.tmp`)
  const file = await createExclusive(draft, OWNER_ONLY_FILE)
  try {
    try {
      await file.writeFile(data)
      await file.sync()
    } finally {
      await file.close()
    }
    await link(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await unlink(draft).catch(() => undefined) // what happened before is what to report
  }
}

/** A new file: an existing one and a link in its place are an error. */
export function createExclusive(path: string, mode: number): Promise<FileHandle> {
  return open(path, NEW_FILE, mode)
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
/** As much is written in less time than a thread is asked. */
const WRITTEN_AT_ONCE = 65_536
const openDescriptor = promisify(openFile)

/** The same for a file that is written once, and closed then whatever comes of it. */
export async function createOnce(path: string, mode: number): Promise<(bytes: Uint8Array) => Promise<void>> {
  const file = await openDescriptor(path, NEW_FILE, mode)
  return async bytes => {
    try {
      if (bytes.length <= WRITTEN_AT_ONCE) writeFileSync(file, bytes)
      else await promisify(writeFile)(file, bytes)
    } finally {
      closeSync(file)
    }
  }
}

export interface PrivateDirOptions {
  /** Permission bits that nobody but the owner may have; all of group and other by default. */
  readonly forbidden?: number
  /** The fault to report; `state_unsafe` by default. */
  readonly code?: ErrorCode
}

/** Makes the folder, owner-only, or checks that it is one: no link, ours, and closed to others. */
export async function ensurePrivateDir(path: string, options: PrivateDirOptions = {}): Promise<void> {
  ensurePrivateDirNow(path, options)
}

/** The same at once, for where every call waits for it. */
export function ensurePrivateDirNow(path: string, options: PrivateDirOptions = {}): void {
  const { forbidden = 0o077, code = 'state_unsafe' } = options
  try {
    const found = lstatSync(path, { throwIfNoEntry: false }) ?? makeDir(path)
    const problem = problemOf(found, forbidden)
    if (problem !== undefined) throw new GatewayError(code, `${path} ${problem}`)
  } catch (error) {
    throw error instanceof GatewayError
      ? error
      : new GatewayError(code, `${path}: ${reasonOf(error)}`, { cause: error })
  }
}

/** What `ensurePrivateDir` would find, and nothing is made: a folder it can use, none yet, or one it refuses. */
export async function lookAtPrivateDir(
  path: string,
  { forbidden = 0o077 }: Pick<PrivateDirOptions, 'forbidden'> = {},
): Promise<{ readonly status: 'usable' | 'missing' } | { readonly status: 'refused'; readonly why: string }> {
  try {
    const found = await lookAt(path)
    if (found !== undefined) {
      const problem = problemOf(found, forbidden)
      return problem === undefined ? { status: 'usable' } : { status: 'refused', why: problem }
    }
    let above = dirname(path)
    while ((await lookAt(above)) === undefined) above = dirname(above)
    if (!(await stat(above)).isDirectory())
      return { status: 'refused', why: `cannot be made: ${above} is not a folder` }
    await access(above, constants.W_OK | constants.X_OK)
    return { status: 'missing' }
  } catch (error) {
    return { status: 'refused', why: `cannot be made: ${reasonOf(error)}` }
  }
}

/**
 * A new text file with its folders, for the person to edit: permissions are what their umask says. What stands there already,
 * a link too, is left alone. Answers why it could not be written, where it could not.
 */
export async function writeNew(path: string, text: string): Promise<string | undefined> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await using file = await createExclusive(path, 0o666)
    await file.writeFile(text)
    return undefined
  } catch (error) {
    return codeOf(error) === 'EEXIST' ? 'it is there already' : reasonOf(error)
  }
}

/** Files below `root` (and links, but not what lies behind a linked folder) that match, as absolute paths, sorted. */
export async function list(root: string, globs: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>()
  for await (const entry of glob([...globs], { cwd: root, withFileTypes: true }))
    if (entry.isFile() || entry.isSymbolicLink()) found.add(resolve(root, entry.parentPath, entry.name))
  return [...found].toSorted()
}

/**
 * Where a path really leads: the real path of its deepest existing ancestor, and the rest as written. Undefined where that
 * cannot be known: a link to nowhere, a circle of links, a folder that may not be looked into.
 */
export async function realPath(path: string): Promise<string | undefined> {
  const missing: string[] = []
  for (let current = path; ; current = dirname(current)) {
    try {
      return join(await realpath(current), ...missing)
    } catch (error) {
      if (!isMissing(error) || current === dirname(current) || !(await isAbsent(current))) return undefined
      missing.unshift(basename(current))
    }
  }
}

/** Whether `path` is `folder` or lies below it; both absolute and real. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

export type FileKind = 'file' | 'other' | 'missing'

/** What stands at a path, links followed. */
export async function kindOf(path: string): Promise<FileKind> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return 'missing'
  return found.isFile() ? 'file' : 'other'
}

/**
 * What tells a file from the one that stood at its path before; undefined unless it is a file this process may execute.
 * Synchronous, because it is asked for every folder of a PATH at every run and the start of a program walks them anyway.
 */
export function executableStamp(path: string): string | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (found?.isFile() !== true) return undefined
    accessSync(path, constants.X_OK)
    return `${found.dev}:${found.ino}:${found.mtimeNs}:${found.ctimeNs}`
  } catch {
    return undefined // not there, or not ours to execute: both mean that it cannot be run
  }
}

/** How a file begins that the kernel itself runs: ELF, Mach-O (both byte orders, one or several architectures), a script. */
const PROGRAM_BEGINNINGS = ['7f454c46', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe']
const SCRIPT_BEGINNING = '2321'

/** What the kernel makes of a file. What it cannot run (`none`), the C library hands to a shell, and Node uses it. */
export async function programKind(path: string): Promise<'program' | 'script' | 'none'> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const start = (await readUpTo(file, 4)).toString('hex')
    if (start.startsWith(SCRIPT_BEGINNING)) return 'script'
    return PROGRAM_BEGINNINGS.includes(start) ? 'program' : 'none'
  } catch {
    return 'program' // a program we may execute but not read: the kernel judges it
  }
}

/**
 * The bytes of a regular file that a program wrote, or why not: a link, a pipe, a folder, more than `maxBytes`. Neither follows
 * nor waits (ruling ToolClad 22).
 */
export async function readWritten(
  path: string,
  maxBytes: number,
): Promise<{ readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly reason: string }> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const found = await file.stat()
    if (!found.isFile()) return { ok: false, reason: 'it is not a regular file' }
    // By another name it is somebody else's too, who may have put it there for us to read.
    if (found.nlink > 1) return { ok: false, reason: 'it has more than one name' }
    const tooLarge = { ok: false, reason: `it is larger than ${maxBytes} bytes` } as const
    if (found.size > maxBytes) return tooLarge
    const bytes = await readUpTo(file, maxBytes + 1)
    return bytes.byteLength > maxBytes ? tooLarge : { ok: true, bytes }
  } catch (error) {
    return { ok: false, reason: codeOf(error) === 'ELOOP' ? 'it is a symbolic link' : reasonOf(error) }
  }
}

async function readUpTo(file: FileHandle, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let left = limit; left > 0;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(left, 65_536)), 0)
    if (bytesRead === 0) break
    chunks.push(buffer.subarray(0, bytesRead))
    left -= bytesRead
  }
  return Buffer.concat(chunks)
}

/** Nothing at all stands there: not even a link to nowhere. */
async function isAbsent(path: string): Promise<boolean> {
  return lookAt(path).then(
    found => found === undefined,
    () => false,
  )
}

function makeDir(path: string): Stats {
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY_DIR })
  return lstatSync(path)
}

async function lookAt(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function problemOf(found: Stats, forbidden: number): string | undefined {
  if (found.isSymbolicLink()) return 'is a symbolic link: expected a folder'
  if (!found.isDirectory()) return 'is not a folder'
  const me = process.geteuid?.()
  if (me !== undefined && found.uid !== me) return `belongs to user ${found.uid}: expected ${me}`
  const mode = found.mode & 0o777
  if ((mode & forbidden) === 0) return undefined
  return `is open to others (mode ${octal(mode)}): expected ${octal(mode & ~forbidden)}`
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, '0')
}

function unreadable(path: string, reason: string, cause?: unknown): GatewayError {
  return new GatewayError('file_unreadable', `${path}: ${reason}`, { cause })
}

function isMissing(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** What the system said, in words where it is one of the usual cases. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error)
  switch (code) {
    case 'ENOENT':
      return 'there is no such file'
    case 'EACCES':
    case 'EPERM':
      return 'permission denied'
    case 'ELOOP':
      return 'it is a circle of links'
    case 'EISDIR':
      return 'it is a folder'
    default:
      return typeof code === 'string' ? code : 'it cannot be opened'
  }
}
