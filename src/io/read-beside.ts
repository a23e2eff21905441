// A file that another one names, at once: whoever asks is in the middle of reading that one.
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isInside, reasonOf } from './files.ts'

export type ReadBeside =
  | { readonly file: string; readonly text: string }
  | { readonly file: string; readonly unreadable: string }
  /** It lies, or a link leads, out of the folder. */
  | { readonly outside: true }

/** The text of a regular file below a folder, as strict UTF-8; never throws. */
export function readBeside(folder: string, path: string, { maxBytes }: { readonly maxBytes: number }): ReadBeside {
  const file = resolve(folder, path)
  if (!isInside(folder, file)) return { outside: true }
  const unreadable = (why: string): ReadBeside => ({ file, unreadable: `${file}: ${why}` })
  try {
    const real = realpathSync(file)
    if (!isInside(realpathSync(folder), real)) return { outside: true }
    const bytes = readRegular(real, maxBytes)
    if (bytes === undefined) return unreadable('it is not a regular file')
    if (bytes.byteLength > maxBytes) return unreadable(`it is larger than ${maxBytes} bytes`)
    return { file, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch (error) {
    return unreadable(error instanceof TypeError ? 'it is not valid UTF-8' : reasonOf(error))
  }
}

/** Of at most one byte more than `maxBytes`. */
function readRegular(path: string, maxBytes: number): Uint8Array | undefined {
  // Not blocking: opening a pipe nobody writes to would wait for ever.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const found = fstatSync(descriptor)
    if (!found.isFile()) return undefined
    const bytes = Buffer.alloc(Math.min(found.size, maxBytes) + 1)
    let length = 0
    while (length < bytes.length) {
      const read = readSync(descriptor, bytes, length, bytes.length - length, null)
      if (read === 0) break
      length += read
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}
