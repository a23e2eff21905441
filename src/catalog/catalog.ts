import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { hasErrors } from '../core/diagnostic.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { stableJson } from '../lib/stable-json.ts'
import type { Entry } from './entry.ts'
import { loadFile } from './load-file.ts'
import type { FileSource, LoadedFile, PreparedTool, Source } from './load-file.ts'
import { exposedNames } from './names.ts'
import { buildSnapshot, sameOffer } from './snapshot.ts'
import type { Snapshot } from './snapshot.ts'

export interface CatalogDeps extends FileSource {
  /** The files to serve, in a stable order. */
  readonly list: () => Promise<readonly Source[]>
}

/**
 * Files become one immutable snapshot, swapped whole. A file that breaks keeps its last good version and is reported; two
 * tools of one name are an error naming both files: neither is served at start, a reload keeps the one that was served.
 */
export interface Catalog {
  readonly current: () => Snapshot
  readonly problems: () => readonly Diagnostic[]
  /** Reads everything again. Reloads asked for while one runs become one more. */
  readonly reload: () => Promise<void>
  /** Told after a swap that clients can notice, and after every change of the problems. */
  readonly onChange: (listener: () => void) => () => void
}

export async function openCatalog(deps: CatalogDeps): Promise<Catalog> {
  const good = new Map<string, LoadedFile>()
  const listeners = new Set<() => void>()
  let latest = new Map<string, LoadedFile>()
  let snapshot = buildSnapshot(0, [])
  let problems: readonly Diagnostic[] = []
  let running: Promise<void> | undefined
  let again = false

  async function load(): Promise<void> {
    const sources = await deps.list()
    const files = { ...deps, surroundingsOf: onceAFolder(deps.surroundingsOf) }
    const loaded = await Promise.all(
      sources.map(source => {
        const unchanged = latest.get(keyOf(source))
        return loadFile(files, source, unchanged === undefined ? {} : { unchanged })
      }),
    )
    latest = new Map(loaded.map(l => [keyOf(l.source), l]))
    for (const key of good.keys()) if (!latest.has(key)) good.delete(key)
    for (const l of loaded) {
      const key = keyOf(l.source)
      if (!hasErrors(l.diagnostics)) good.set(key, l)
      else if (isScopedOtherwise(good.get(key), l)) good.delete(key)
    }
    const served = sources.flatMap(source => good.get(keyOf(source))?.tools ?? [])
    const { unique, clashes } = settleNames(served, snapshot)
    const next = buildSnapshot(snapshot.generation + 1, entriesOf(unique))
    const found = withoutRepeats([...loaded.flatMap(l => l.diagnostics), ...clashes])
    const noticed = !sameOffer(snapshot, next) || stableJson(asJson(found)) !== stableJson(asJson(problems))
    snapshot = next
    problems = found
    if (noticed) for (const listener of listeners) listener()
  }

  async function reload(): Promise<void> {
    if (running !== undefined) {
      again = true
      return running
    }
    running = (async () => {
      do {
        again = false
        await load()
      } while (again)
    })()
    try {
      await running
    } finally {
      running = undefined
    }
  }

  await reload()
  return {
    current: () => snapshot,
    problems: () => problems,
    reload,
    onChange: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** What may be reached has changed since: an old scope is none (ToolClad spec, Scope Enforcement). */
function isScopedOtherwise(known: LoadedFile | undefined, { surroundings: { scope } }: LoadedFile): boolean {
  if (known?.tools.some(({ tool }) => tool.scope !== undefined) !== true) return false
  return JSON.stringify(known.surroundings.scope) !== JSON.stringify(scope)
}

/** Files of one folder have the same surroundings: they are looked for once a load. */
function onceAFolder(surroundingsOf: FileSource['surroundingsOf']): FileSource['surroundingsOf'] {
  const known = new Map<string, ReturnType<FileSource['surroundingsOf']>>()
  return file => {
    const folder = dirname(file)
    const found = known.get(folder) ?? surroundingsOf(file)
    known.set(folder, found)
    return found
  }
}

/** SHA-256 of all that decides a tool's behaviour. */
export function toolHash(tool: PreparedTool['tool']): string {
  return createHash('sha256').update(stableJson(tool.definition)).digest('hex')
}

function entriesOf(tools: readonly PreparedTool[]): readonly Entry[] {
  const names = exposedNames(tools.map(({ tool }) => ({ backend: tool.backend ?? '', tool: tool.name })))
  return tools.map((prepared, index) => ({
    name: names[index] ?? prepared.tool.name,
    hash: toolHash(prepared.tool),
    ...prepared,
  }))
}

/** One file may describe an API of many tools, or a tool of many commands; any other tool is a unit of its own. */
function unitOf({ tool }: PreparedTool): string {
  return tool.backend === undefined ? `tool ${tool.family ?? tool.name}` : `API ${tool.backend}`
}

function settleNames(
  tools: readonly PreparedTool[],
  before: Snapshot,
): { readonly unique: readonly PreparedTool[]; readonly clashes: readonly Diagnostic[] } {
  const unique: PreparedTool[] = []
  const clashes: Diagnostic[] = []
  for (const [unit, group] of Map.groupBy(tools, unitOf)) {
    const files = [...Map.groupBy(group, ({ tool }) => tool.file ?? '').values()]
    const names = new Set(group.map(({ tool }) => tool.name))
    if (files.length === 1 && (names.size === group.length || unit.startsWith('API '))) {
      unique.push(...group)
      continue
    }
    clashes.push(
      ...clash(
        unit,
        files.flatMap(([first]) => first ?? []),
      ),
    )
    const served = before.entries.find(entry => unitOf(entry) === unit)?.tool.file
    if (served !== undefined) unique.push(...group.filter(({ tool }) => tool.file === served))
  }
  return { unique, clashes }
}

function clash(unit: string, firsts: readonly PreparedTool[]): readonly Diagnostic[] {
  const [kind = '', ...name] = unit.split(' ')
  const files = firsts.map(({ tool }) => tool.file ?? '(no file)').join(' and ')
  const path = kind === 'API' ? '/backend/name' : '/tool/name'
  return firsts.map(({ tool }) => ({
    code: 'duplicate_name',
    severity: 'error',
    message: `Two ${kind}s are named "${name.join(' ')}": ${files}. Rename one of them.`,
    ...(tool.file === undefined ? {} : { file: tool.file }),
    ...tool.locate(path),
    path,
  }))
}

/** One file may be served as several APIs. */
function keyOf({ file, api }: Source): string {
  return JSON.stringify([file, api?.name])
}

/** What is wrong with a file that many share is found with each of them. */
function withoutRepeats(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...new Map(diagnostics.map(d => [stableJson(asJson([d])), d])).values()]
}

function asJson(diagnostics: readonly Diagnostic[]) {
  return diagnostics.map(d => ({ ...d, file: d.file ?? '', hint: d.hint ?? '' }))
}
