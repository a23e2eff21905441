import { chmod, readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Removes a folder that a program may have left in any state: folders without permissions, and nesting deeper than the
 * system's longest path. Folders are moved up to the top before they are emptied, so that no path ever grows.
 */
export async function removeTree(top: string): Promise<void> {
  if (await isRemoved(top)) return
  await chmod(top, 0o700)
  let moved = 0
  const empty = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (!entry.isDirectory()) await unlink(path)
      else if (!(await isRemoved(path))) {
        await chmod(path, 0o700) // also for the move: a folder that is moved gets its `..` rewritten
        await rename(path, join(top, `.${moved++}`))
      }
    }
  }
  for (let folders = await foldersOf(top); folders.length > 0; folders = await foldersOf(top))
    for (const folder of folders) {
      await chmod(folder, 0o700)
      await empty(folder)
      await rmdir(folder)
    }
  await rmdir(top)
}
