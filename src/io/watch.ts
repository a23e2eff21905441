import { statSync, watch as watchFs } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'

export interface Watching {
  /** Idempotent. */
  readonly close: () => void
}

/** Editors save in several steps: what comes within this time of the first event is one change. */
const GATHER_MS = 50
/** Where the system cannot tell, `onChange` is called this often. */
const POLL_MS = 2000

/**
 * Calls `onChange` after anything at or below the paths changed. A path may be a file or a folder, may not exist yet, and may
 * be replaced: after every change what there is now is watched anew.
 */
export function watch(paths: readonly string[], onChange: () => void): Watching {
  let watchers: FSWatcher[] = []
  let gathering: NodeJS.Timeout | undefined
  let poll: NodeJS.Timeout | undefined
  let closed = false

  function changed(): void {
    if (closed) return
    // Not started anew by later events: a file that is written all the time would put the change off for ever.
    gathering ??= setTimeout(() => {
      gathering = undefined
      arm()
      onChange()
    }, GATHER_MS)
  }

  function arm(): void {
    disarm()
    try {
      for (const folder of paths.flatMap(foldersOf)) watchers.push(watchFolder(folder, changed, pollInstead))
    } catch {
      pollInstead() // those that could be had stay, and are closed with the rest
    }
  }

  /** Out of watches, or a file system that has none. */
  function pollInstead(): void {
    if (!closed) poll ??= setInterval(onChange, POLL_MS)
  }

  function disarm(): void {
    for (const watcher of watchers) watcher.close()
    watchers = []
  }

  arm()
  return {
    close: () => {
      closed = true
      clearTimeout(gathering)
      clearInterval(poll)
      disarm()
    },
  }
}

interface WatchedFolder {
  readonly folder: string
  /** The one entry that matters; absent: everything below. */
  readonly only?: string
}

/** A path itself, where it is a folder, and its next component in the nearest folder that exists, which tells when it is replaced. */
function foldersOf(path: string): readonly WatchedFolder[] {
  const parent = nearestFolder(dirname(path))
  const only = path.slice(parent.length).split('/').find(Boolean) ?? basename(path)
  return isFolder(path) ? [{ folder: path }, { folder: parent, only }] : [{ folder: parent, only }]
}

function watchFolder({ folder, only }: WatchedFolder, changed: () => void, failed: () => void): FSWatcher {
  const watcher = watchFs(folder, { recursive: only === undefined }, (_event, name) => {
    if (only === undefined || name === null || name === only) changed()
  })
  watcher.once('error', failed)
  return watcher
}

function nearestFolder(path: string): string {
  return isFolder(path) || dirname(path) === path ? path : nearestFolder(dirname(path))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
