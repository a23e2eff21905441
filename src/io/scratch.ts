import { lstatSync, mkdtempSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeTree } from './remove-tree.ts'

export interface Scratch {
  readonly path: string
  /** False where a program put something else in its place. */
  readonly isThere: () => boolean
  /** Idempotent; removes whatever is inside, also what was made hard to remove. */
  readonly remove: () => Promise<void>
}

/** A folder of its own, for its owner alone. Synchronous, as the start of a program in it is: a thread costs more than the work. */
export function makeScratch(parent: string = tmpdir()): Scratch {
  const path = mkdtempSync(join(parent, 'sallyport-'))
  return {
    path,
    isThere: () => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
    remove: () => remove(path),
  }
}

async function remove(path: string): Promise<void> {
  try {
    await rmdir(path) // most programs leave nothing
  } catch {
    await removeTree(path) // whatever stood in the way, it meets again
  }
}
