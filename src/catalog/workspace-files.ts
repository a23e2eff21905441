import { dirname, isAbsolute, join, sep } from 'node:path'
import { GatewayError } from '../core/errors.ts'
import type { ApiDeployment, Companion, Format, FoundFile } from '../formats/format.ts'
import type { FileSource, Source } from './load-file.ts'

/** A manifest larger than this is refused; real ones have a few KiB. */
const MAX_BYTES = 4 << 20

/** Either of these in a folder makes it the root of the path values below it (ruling ToolClad 19). */
const ROOT_MARKERS = ['toolclad.toml', 'sallyport.yaml']

export interface WorkspaceOptions {
  readonly workspace: string
  /** Served alone, instead of what the globs find. Absolute. */
  readonly files?: readonly string[]
  /** Globs below the workspace; absent: what every format serves without configuration. */
  readonly tools?: readonly string[]
  /** APIs by name; absent: what their format serves without configuration. */
  readonly apis?: readonly ApiDeployment[]
  /** The root of every path value; absent: decided for each manifest. */
  readonly filesRoot?: string
  /** The scope of every file; absent: the nearest above each. */
  readonly scopeFile?: string
}

export interface WorkspacePorts {
  readonly formats: readonly Format[]
  readonly list: (root: string, globs: readonly string[]) => Promise<readonly string[]>
  readonly readText: (file: string, options: { readonly maxBytes: number }) => Promise<string>
  /** Absent: no file names others. */
  readonly readBeside?: (folder: string, path: string, options: { readonly maxBytes: number }) => FoundFile
  readonly exists: (path: string) => Promise<boolean>
}

/** Found by walking up from a file (ToolClad spec, Custom Types and Scope Enforcement). */
const CUSTOM_TYPES = 'toolclad.toml'
const SCOPE = join('scope', 'scope.toml')

export interface WorkspaceFiles extends Pick<FileSource, 'read' | 'readBeside' | 'surroundingsOf'> {
  readonly list: () => Promise<readonly Source[]>
  /** What has to be watched to notice every change of the list and of the files. */
  readonly watched: readonly string[]
}

/** Which files a workspace serves, how they are read, and what their path values are resolved against. */
export function workspaceFiles(options: WorkspaceOptions, ports: WorkspacePorts): WorkspaceFiles {
  const { workspace, files, filesRoot, apis, scopeFile } = options
  const { readBeside } = ports
  const globs = [
    ...(options.tools ?? ports.formats.filter(({ describes }) => describes === 'tool').flatMap(defaultGlobs)),
    ...(apis === undefined ? ports.formats.filter(({ describes }) => describes === 'api').flatMap(defaultGlobs) : []),
  ]
  const found = async (): Promise<readonly Source[]> => {
    const listed = files ?? (await ports.list(workspace, globs))
    // A file the deployment speaks of is served as it says, however it was found: its credentials go to the address it names.
    const deployed = (apis ?? []).filter(({ file }) => files === undefined || files.includes(file))
    const plain = listed.filter(file => !deployed.some(api => api.file === file))
    return [...plain.map(file => ({ file })), ...deployed.map(api => ({ file: api.file, api }))]
  }
  return {
    list: found,
    read: file => ports.readText(file, { maxBytes: MAX_BYTES }),
    ...(readBeside === undefined
      ? {}
      : { readBeside: (file, path) => readBeside(dirname(file), path, { maxBytes: MAX_BYTES }) }),
    surroundingsOf: async file => {
      const start = dirname(file)
      const [root, customTypes, scope] = await Promise.all([
        filesRoot ?? nearestRoot(start, ports.exists),
        nearestAbove(start, CUSTOM_TYPES, ports.exists),
        scopeFile ?? nearestAbove(start, SCOPE, ports.exists),
      ])
      return {
        root,
        ...(customTypes === undefined ? {} : { customTypes: await companion(customTypes, ports) }),
        ...(scope === undefined ? {} : { scope: await companion(scope, ports) }),
      }
    },
    watched: [
      ...new Set([
        ...(files ?? [...globs.map(glob => fixedPart(workspace, glob)), ...(apis ?? []).map(({ file }) => file)]),
        join(workspace, CUSTOM_TYPES),
        scopeFile ?? join(workspace, SCOPE),
      ]),
    ],
  }
}

function defaultGlobs(format: Format): readonly string[] {
  return format.defaultGlobs
}

/** The nearest folder at or above `start` with a marker, else `start`. */
async function nearestRoot(start: string, exists: WorkspacePorts['exists']): Promise<string> {
  const found = await Promise.all(ROOT_MARKERS.map(marker => nearestAbove(start, marker, exists)))
  const folders = found.flatMap(file => (file === undefined ? [] : [dirname(file)]))
  return folders.toSorted((a, b) => b.length - a.length)[0] ?? start
}

/** `name` in `start` or the nearest folder above it. */
async function nearestAbove(
  start: string,
  name: string,
  exists: WorkspacePorts['exists'],
): Promise<string | undefined> {
  for (let folder = start; ; folder = dirname(folder)) {
    const file = join(folder, name)
    if (await exists(file)) return file
    if (dirname(folder) === folder) return undefined
  }
}

async function companion(file: string, { readText }: WorkspacePorts): Promise<Companion> {
  try {
    return { file, text: await readText(file, { maxBytes: MAX_BYTES }) }
  } catch (error) {
    if (error instanceof GatewayError) return { file, unreadable: error.message }
    throw error
  }
}

/** The folder a glob cannot leave: `tools` for every manifest below it. */
function fixedPart(workspace: string, glob: string): string {
  const parts = glob.split('/')
  const wild = parts.findIndex(part => /[*?[\]{}!()]/.test(part))
  const fixed = parts.slice(0, wild === -1 ? -1 : wild).join(sep)
  return isAbsolute(fixed) ? fixed : join(workspace, fixed)
}
