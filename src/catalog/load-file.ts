import type { Backend, Callable, Withheld } from '../backends/backend.ts'
import type { Api } from '../core/api.ts'
import { hasErrors } from '../core/diagnostic.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { GatewayError } from '../core/errors.ts'
import type { Tool } from '../core/tool.ts'
import type { ApiDeployment, Deployment, Format, FoundFile, LoadContext } from '../formats/format.ts'

/** What the catalogue needs from outside to read one file. */
export interface FileSource {
  readonly formats: readonly Format[]
  /** Undefined while only validating: tools are loaded and inspected, never called. */
  readonly backendOf: (kind: string) => Backend | undefined
  readonly read: (file: string) => Promise<string>
  /** A file that another one names by its path below that one's folder; absent: no file names others. */
  readonly readBeside?: (file: string, path: string) => FoundFile
  /** What a file is judged with. */
  readonly surroundingsOf: (file: string) => Promise<Surroundings>
  readonly deployment: Deployment
}

/** What lies around a file and is found by walking up from it. */
export interface Surroundings extends Pick<LoadContext, 'customTypes' | 'scope'> {
  /** The folder the file's path values are resolved against. */
  readonly root: string
}

export interface PreparedTool {
  readonly tool: Tool
  /** Of the file it came from. */
  readonly api?: Api
  readonly callable: Callable
  readonly withheld?: Withheld
}

/** A file to load, and what the deployment says of it. */
export interface Source {
  /** Absolute. */
  readonly file: string
  readonly api?: ApiDeployment
}

export interface LoadedFile {
  readonly source: Source
  readonly file: string
  readonly format: string
  readonly text: string
  readonly surroundings: Surroundings
  /** What it names, by path, as it was found. */
  readonly beside: ReadonlyMap<string, FoundFile>
  readonly tools: readonly PreparedTool[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads, loads and prepares one file. Problems are values; tools are there only where none of them is an error. */
export async function loadFile(
  deps: FileSource,
  source: Source,
  options: Pick<LoadContext, 'allowUnknownKeys' | 'profile' | 'against'> & { readonly unchanged?: LoadedFile } = {},
): Promise<LoadedFile> {
  const { file, api } = source
  const format = deps.formats.find(({ extension }) => file.endsWith(extension))
  if (format === undefined) return unreadable(source, unknownExtension(file, deps.formats))
  const surroundings = await deps.surroundingsOf(file)
  let text
  try {
    text = await deps.read(file)
  } catch (error) {
    if (error instanceof GatewayError) return { ...unreadable(source, error.message, format.kind), surroundings }
    throw error
  }
  const { unchanged, ...context } = options
  const readFile = (path: string): FoundFile => deps.readBeside?.(file, path) ?? NOBODY_READS
  if (unchanged?.text === text && isSame(unchanged, surroundings, readFile)) return unchanged
  const beside = new Map<string, FoundFile>()
  const { deployment } = deps
  const loaded = await format.load(text, {
    ...context,
    ...surroundings,
    file,
    deployment,
    ...(api === undefined ? {} : { api }),
    readFile: path => {
      const found = beside.get(path) ?? readFile(path)
      beside.set(path, found)
      return found
    },
  })
  const prepared = await Promise.all(loaded.tools.map(tool => prepare(deps, tool)))
  const diagnostics = [...loaded.diagnostics, ...prepared.flatMap(p => p.diagnostics)]
  const described = loaded.api === undefined ? {} : { api: loaded.api }
  const tools = hasErrors(diagnostics) ? [] : prepared.flatMap(p => p.tool.map(tool => ({ ...tool, ...described })))
  return { source, file, format: format.kind, text, surroundings, beside, tools, diagnostics }
}

const NOBODY_READS: FoundFile = { unreadable: 'no file can be read from here' }

/** All that a file was judged by is still what it was. */
function isSame(known: LoadedFile, surroundings: Surroundings, readFile: (path: string) => FoundFile): boolean {
  if (JSON.stringify(known.surroundings) !== JSON.stringify(surroundings)) return false
  return [...known.beside].every(([path, found]) => JSON.stringify(readFile(path)) === JSON.stringify(found))
}

async function prepare(
  { backendOf }: FileSource,
  tool: Tool,
): Promise<{ readonly tool: readonly PreparedTool[]; readonly diagnostics: readonly Diagnostic[] }> {
  const { kind } = tool.binding
  const backend = backendOf(kind)
  if (backend !== undefined) {
    const { diagnostics, ...prepared } = await backend.prepare(tool)
    return { tool: [{ tool, ...prepared }], diagnostics }
  }
  const message = `This version of Sallyport does not run ${kind} tools yet, so ${tool.name} is not offered.`
  const problem = { code: 'unsupported', severity: 'error', message, path: '', ...tool.locate('') } as const
  return { tool: [], diagnostics: [tool.file === undefined ? problem : { ...problem, file: tool.file }] }
}

function unreadable(source: Source, message: string, format = ''): LoadedFile {
  const { file } = source
  const problem = { code: 'file_unreadable', severity: 'error', message, file, line: 1, column: 1, path: '' } as const
  const nothing = { text: '', surroundings: { root: '' }, beside: new Map(), tools: [] }
  return { source, file, format, ...nothing, diagnostics: [problem] }
}

function unknownExtension(file: string, formats: readonly Format[]): string {
  return `${file} is no tool description: expected a file ending in ${formats.map(f => f.extension).join(' or ')}.`
}
