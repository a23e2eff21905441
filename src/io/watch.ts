import { statSync, watch as watchFs } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'

export interface Watching {
  /** Idempotent. */
  readonly close: () => void
}

/** Editors save in several steps: what comes within this time is one change. */
const QUIET_MS = 50
/** Where the system cannot tell, `onChange` is called this often. */
const POLL_MS = 2000

/**
 * Calls `onChange` after anything at or below the paths changed. A path may be a file or a folder, may not exist yet, and may
 * be replaced: after every change what there is now is watched anew.
 */
export function watch(paths: readonly string[], onChange: () => void): Watching {
  let watchers: FSWatcher[] = []
  let quiet: NodeJS.Timeout | undefined
  let poll: NodeJS.Timeout | undefined
  let closed = false

  function changed(): void {
    if (closed) return
    clearTimeout(quiet)
    quiet = setTimeout(() => {
      arm()
      onChange()
    }, QUIET_MS)
  }

  function arm(): void {
    disarm()
    try {
      watchers = paths.flatMap(path => watchersOf(path, changed, pollInstead))
    } catch {
      pollInstead()
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
      clearTimeout(quiet)
      clearInterval(poll)
      disarm()
    },
  }
}

function watchersOf(path: string, changed: () => void, failed: () => void): FSWatcher[] {
  const start = (folder: string, only?: string): FSWatcher => {
    const watcher = watchFs(folder, { recursive: only === undefined }, (_event, name) => {
      if (only === undefined || name === null || name === only) changed()
    })
    watcher.once('error', failed)
    return watcher
  }
  const parent = nearestFolder(dirname(path))
  const next = path.slice(parent.length).split('/').find(Boolean) ?? basename(path)
  return isFolder(path) ? [start(path), start(parent, next)] : [start(parent, next)]
}

function nearestFolder(path: string): string {
  return isFolder(path) || dirname(path) === path ? path : nearestFolder(dirname(path))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
