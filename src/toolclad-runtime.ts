// What `sallyport/toolclad` runs manifests with: the backends of ToolClad and the pipeline, without server, store and audit.
import { tmpdir } from 'node:os'
import { dirname, join, resolve as resolvePath } from 'node:path'
import type { Backend } from './backends/backend.ts'
import { command } from './backends/command/index.ts'
import { http } from './backends/http/index.ts'
import { withLookups } from './backends/lookups.ts'
import { mcp } from './backends/mcp/index.ts'
import { browser, session } from './backends/withheld/index.ts'
import type { PreparedTool } from './catalog/load-file.ts'
import { readCredential, readToolEnvironment } from './config/env.ts'
import { SILENT } from './core/ports.ts'
import type { Tool } from './core/tool.ts'
import { openGiven } from './credentials/given.ts'
import { CREDENTIAL_STORES } from './credentials/index.ts'
import { openSecrets } from './credentials/secrets.ts'
import { STRICT } from './formats/format.ts'
import type { Deployment } from './formats/format.ts'
import { isInterpreter } from './formats/toolclad/lint.ts'
import { openEgress } from './io/egress/egress.ts'
import type { Lookup } from './io/egress/resolve-name.ts'
import { openSpawner } from './io/spawn.ts'
import type { Spawner } from './io/spawn.ts'
import { systemClock, systemIds } from './io/system.ts'
import { parseRange } from './lib/ip.ts'

/** What a deployment may set; the defaults are the strictest. */
export interface Settings {
  /** CIDRs that network arguments may reach although they are internal (ruling ToolClad 17). */
  readonly allow_internal?: readonly string[]
  /** Path values are resolved against this folder and may not leave it. Default: `loadManifest` the manifest's, else the cwd. */
  readonly files_root?: string
  /** Path values may lead through components that begin with a dot. Default false. */
  readonly allow_hidden?: boolean
  /** `allow_whitespace` also counts in `[http]` and other manifests without `exec` (ruling ToolClad 13). Default false. */
  readonly allow_whitespace_beyond_exec?: boolean
  /** XML output may begin with a DOCTYPE that declares nothing (ruling ToolClad 26). Default false. */
  readonly allow_bare_doctype?: boolean
  /** What `{_secret:NAME}` stands for, by NAME; those not here come from `TOOLCLAD_SECRET_NAME` of the environment. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Where evidence is kept. Default: `TOOLCLAD_EVIDENCE_DIR`, else `toolclad-evidence` in the folder for temporary files. */
  readonly evidence_dir?: string
}

/** @throws TypeError where a range is none */
export function deploymentOf(settings: Settings): Deployment {
  return {
    ...STRICT,
    allowHidden: settings.allow_hidden ?? false,
    allowInternal: (settings.allow_internal ?? []).map(text => {
      const range = parseRange(text)
      if (range === undefined)
        throw new TypeError(
          `settings.allow_internal: expected a range such as 10.0.1.0/24, found ${JSON.stringify(text)}`,
        )
      return range
    }),
    allowWhitespaceBeyondExec: settings.allow_whitespace_beyond_exec ?? false,
    allowBareDoctype: settings.allow_bare_doctype ?? false,
  }
}

export function evidenceRootOf({ evidence_dir: given }: Settings): string {
  return resolvePath(given ?? readToolEnvironment().evidenceDir ?? join(tmpdir(), 'toolclad-evidence'))
}

export interface Runtime {
  readonly backendOf: (kind: string) => Backend | undefined
  readonly prepare: (tool: Tool) => Promise<PreparedTool>
  /** Closes connections; programs that run have ended with their calls. */
  readonly close: () => Promise<void>
}

export interface RuntimeOptions {
  readonly settings: Settings
  /** Files no path argument may name, beside the evidence. */
  readonly reserved: readonly string[]
  /** All addresses of a name. Default: the system's. */
  readonly lookup?: Lookup | undefined
}

/** Backends over one deployment. */
export function openRuntime({ settings, reserved, lookup }: RuntimeOptions): Runtime {
  const evidenceRoot = evidenceRootOf(settings)
  const egress = openEgress({ clock: systemClock, ...(lookup === undefined ? {} : { lookup }) })
  const environment = CREDENTIAL_STORES.environment.open({ read: readCredential })
  const { inherited } = readToolEnvironment()
  const deps = {
    spawner: theSpawner(),
    egress,
    secrets: openGiven(settings.secrets ?? {}, openSecrets(environment, { read: readCredential })),
    clock: systemClock,
    ids: systemIds,
    logger: SILENT,
    environment: inherited,
    evidenceRoot,
    reserved: [evidenceRoot, ...reserved],
    isInterpreter,
    allowHidden: settings.allow_hidden ?? false,
    allowInternal: deploymentOf(settings).allowInternal,
    ...(lookup === undefined ? {} : { lookup }),
  }
  const opened = [command.open(deps), http.open(deps), mcp.open(deps), session.open(), browser.open(), HANDS_ON]
  const backends = new Map(opened.map(backend => [backend.kind, withLookups(backend, deps)]))
  return {
    backendOf: kind => backends.get(kind),
    prepare: async tool => {
      const backend = backends.get(tool.binding.kind)
      if (backend === undefined) throw new TypeError(`nothing runs tools of the kind ${tool.binding.kind}`)
      return { tool, ...(await backend.prepare(tool)) }
    },
    close: () => egress.close(),
  }
}

/** `dispatch = "callback"`: the values are the result, whoever embeds the library does the rest (ruling ToolClad 5). */
const HANDS_ON: Backend = {
  kind: 'callback',
  prepare: async () => ({
    diagnostics: [],
    callable: {
      resolve: async values => {
        const run = async () => ({ kind: 'values', values }) as const
        return { status: 'ready', ready: { preview: { kind: 'callback' }, run } }
      },
    },
  }),
  close: () => Promise.resolve(), // nothing was started
}

let spawner: Spawner | undefined

/** One for the process, made by the first call that needs it: it keeps no process alive and ends with it. */
function theSpawner(): Spawner {
  const { killGraceMs } = readToolEnvironment()
  return (spawner ??= openSpawner({
    clock: systemClock,
    logger: SILENT,
    ...(killGraceMs === undefined ? {} : { killGraceMs }),
  }))
}

/** The folder path values are resolved against, where nothing lies around the text. */
export function rootOf({ files_root: given }: Settings, path: string | undefined): string {
  return resolvePath(given ?? (path === undefined ? '.' : dirname(path)))
}

/** Whoever can write these decides how arguments are judged. */
export function reservedIn(root: string): readonly string[] {
  return ['toolclad.toml', 'sallyport.yaml', join('scope', 'scope.toml')].map(file => join(root, file))
}
