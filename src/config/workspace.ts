import { dirname, join, resolve } from 'node:path'
import { GatewayError } from '../core/errors.ts'

/** Where the gateway works (`docs/reference/cli.md`, Workspace and defaults). Paths are absolute. */
export interface Workspace {
  readonly folder: string
  readonly configFile?: string
  /** Files that were named: served alone. */
  readonly files?: readonly string[]
}

export interface WorkspaceQuery {
  readonly cwd: string
  /** `--config FILE`. */
  readonly config?: string
  /** What `serve` was given: one folder, or files. */
  readonly paths?: readonly string[]
  readonly kindOf: (path: string) => Promise<'file' | 'other' | 'missing'>
}

export const CONFIG_NAME = 'sallyport.yaml'
const MARKERS = [CONFIG_NAME, 'toolclad.toml']

/**
 * The folder of `--config FILE`, else the nearest ancestor of the cwd with a marker, else the cwd; a folder that was named
 * goes before all of them.
 * @throws GatewayError `file_unreadable` for a path that is not there
 */
export async function findWorkspace(query: WorkspaceQuery): Promise<Workspace> {
  const { folder: named, files } = await sortPaths(query)
  const folder = named ?? (await folderOf(query))
  const configFile = await configOf(query, folder)
  return {
    folder,
    ...(configFile === undefined ? {} : { configFile }),
    ...(files.length === 0 ? {} : { files }),
  }
}

async function sortPaths({
  cwd,
  paths = [],
  kindOf,
}: WorkspaceQuery): Promise<{ readonly folder?: string; readonly files: readonly string[] }> {
  const found = await Promise.all(
    paths.map(async path => ({ path: resolve(cwd, path), kind: await kindOf(resolve(cwd, path)) })),
  )
  const missing = found.find(({ kind }) => kind === 'missing')
  if (missing !== undefined)
    throw new GatewayError('file_unreadable', `${missing.path}: there is no such file or folder`)
  const folders = found.filter(({ kind }) => kind === 'other')
  const [folder] = folders
  if (folder === undefined) return { files: [...new Set(found.map(({ path }) => path))] }
  if (found.length === 1) return { folder: folder.path, files: [] }
  throw new GatewayError('file_unreadable', `${folder.path} is a folder: expected one folder alone, or files`)
}

async function folderOf({ cwd, config, kindOf }: WorkspaceQuery): Promise<string> {
  if (config !== undefined) return dirname(resolve(cwd, config))
  for (let folder = cwd; ; folder = dirname(folder)) {
    const kinds = await Promise.all(MARKERS.map(name => kindOf(join(folder, name))))
    if (kinds.includes('file')) return folder
    if (folder === dirname(folder)) return cwd
  }
}

async function configOf({ cwd, config, kindOf }: WorkspaceQuery, folder: string): Promise<string | undefined> {
  if (config !== undefined) return resolve(cwd, config)
  const file = join(folder, CONFIG_NAME)
  return (await kindOf(file)) === 'missing' ? undefined : file
}
