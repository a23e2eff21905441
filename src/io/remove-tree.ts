import { chmod, lstat, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { systemIds } from './system.ts'

/** How many levels are taken off; a program that left its group and keeps adding more must not keep us here for ever. */
const MAX_LEVELS = 100_000

/**
 * Removes a folder that a program may have left in any state: folders without permissions, nesting deeper than the
 * system's longest path. Inner folders are moved up to the top before they are emptied, so that no path ever grows.
 * Links are removed, never followed. Idempotent.
 */
export async function removeTree(top: string): Promise<void> {
  if (!(await lstat(top).catch(() => undefined))?.isDirectory()) {
    await rm(top, { force: true }) // something else was put in its place
    return
  }
  if (await isRemoved(top)) return
  await chmod(top, 0o700)
  for (let level = 0; level < MAX_LEVELS; level++) {
    const folders = await keepFolders(top)
    if (folders.length === 0) break
    for (const folder of folders) {
      await chmod(folder, 0o700)
      for (const inner of await keepFolders(folder)) {
        if (await isRemoved(inner)) continue
        await chmod(inner, 0o700) // a move writes the folder's own `..`
        await rename(inner, join(top, `.${systemIds.hex(8)}`))
      }
      await rmdir(folder)
    }
  }
  await rmdir(top)
}

/** Unlinks everything in a folder but the folders in it, which are returned. */
async function keepFolders(folder: string): Promise<readonly string[]> {
  const folders: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) folders.push(path)
    else await unlink(path)
  }
  return folders
}

/** True when the folder is gone: the common case, an empty one, needs nothing else. */
async function isRemoved(folder: string): Promise<boolean> {
  try {
    await rmdir(folder)
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return true
    if (code === 'ENOTDIR') throw error
    return false
  }
}
