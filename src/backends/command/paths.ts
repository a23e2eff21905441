import { relative, resolve, sep } from 'node:path'
import type { Refusal } from '../../core/outcome.ts'
import { isInside, realPath } from '../../io/files.ts'

export interface PathRules {
  /** Path values are relative to it and may not leave it. */
  readonly root: string
  /** Files and folders of the gateway itself. */
  readonly reserved: readonly string[]
  /** Paths may lead through components that begin with a dot. */
  readonly allowHidden: boolean
}

export type ResolvedPath = { readonly ok: true; readonly path: string } | ({ readonly ok: false } & Refusal)

/**
 * Where a path value leads (ruling ToolClad 19): the program gets the absolute path as written; its real path, links followed,
 * must stay inside the root. What another process changes between this look and the program's own is not seen
 * (docs/explanation/security.md).
 */
export async function resolvePath(
  argument: string,
  value: string,
  { root, reserved, allowHidden }: PathRules,
): Promise<ResolvedPath> {
  const path = resolve(root, value)
  const [realRoot, real] = await Promise.all([realPath(root), realPath(path)])
  if (realRoot === undefined || real === undefined || !isInside(realRoot, real))
    return refuse(argument, 'outside_root', `must stay inside the workspace, but "${value}" leads out of it`)
  // The text was judged when the file was loaded; a link may lead where the text does not.
  const hidden = relative(realRoot, real)
    .split(sep)
    .find(component => component.startsWith('.'))
  if (hidden !== undefined && !allowHidden)
    return refuse(argument, 'hidden', `must not lead through the hidden "${hidden}", but "${value}" does`)
  for (const own of reserved) {
    const realOwn = await realPath(own)
    if (realOwn !== undefined && isInside(realOwn, real))
      return refuse(argument, 'reserved_file', `must not name a file of the gateway itself, but "${value}" does`)
  }
  return { ok: true, path: pathAsWritten(root, value) }
}

/** Absolute, links not followed. A slash at the end means something to many programs (`rsync`, `ls`), and `resolve` drops it. */
export function pathAsWritten(root: string, value: string): string {
  const path = resolve(root, value)
  return value.endsWith('/') && !path.endsWith('/') ? `${path}/` : path
}

function refuse(argument: string, fence: Refusal['fence'], message: string): ResolvedPath {
  return { ok: false, argument, fence, message: `${argument}: ${message}` }
}
