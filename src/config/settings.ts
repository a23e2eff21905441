import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ApiDeployment, Deployment } from '../formats/format.ts'
import type { Durability } from '../storage/store.ts'
import type { IpRange } from '../lib/ip.ts'
import type { Environment } from './env.ts'
import { DEFAULT_LISTEN } from './listen.ts'
import type { Listen } from './listen.ts'
import type { Config } from './schema.ts'
import type { Workspace } from './workspace.ts'

/** Everything a gateway is told, decided once: flag, environment, `sallyport.yaml`, default, in this order. Paths are absolute. */
export interface Settings {
  readonly workspace: string
  readonly configFile?: string
  /** Files served alone, instead of what `tools` finds. */
  readonly files?: readonly string[]
  /** Owner-only; holds the audit store, the token and the writers' heads. */
  readonly stateDir: string
  /** Globs below the workspace. Absent: what every format serves without configuration. */
  readonly tools?: readonly string[]
  /** Absent: what the format of APIs serves without configuration. */
  readonly apis?: readonly ApiDeployment[]
  readonly listen: Listen
  /** The root of path values; absent: decided for each manifest (ruling ToolClad 19). */
  readonly filesRoot?: string
  readonly deployment: Deployment
  readonly durability: Durability
  readonly evidenceDir: string
  /** Milliseconds; absent: evidence is kept for ever. */
  readonly evidenceRetention?: number
  /** Instead of the `scope/scope.toml` above each manifest. */
  readonly scopeFile?: string
  /** Between SIGTERM and SIGKILL (ToolClad spec, Process group isolation). */
  readonly killGraceMs: number
  /** The gateway's own, handed on to child processes (ruling ToolClad 21). */
  readonly environment: { readonly lang?: string; readonly lcAll?: string; readonly tz?: string }
}

/** What the command line says; paths as typed. */
export interface SettingsFlags {
  readonly state?: string
  readonly listen?: Listen
  /** Ranges of `--allow-internal`, beside the configured ones. */
  readonly allowInternal?: readonly IpRange[]
}

export interface SettingsSources {
  readonly cwd: string
  readonly workspace: Workspace
  readonly flags: SettingsFlags
  readonly environment: Environment
  readonly config: Config
}

/** ToolClad spec, Process group isolation. */
const DEFAULT_KILL_GRACE_MS = 2000

/** Merges the sources. A path of the command line or the environment is meant from the cwd, one of the file from the workspace. */
export function resolveSettings({ cwd, workspace, flags, environment, config }: SettingsSources): Settings {
  const { folder, configFile, files } = workspace
  const state = flags.state ?? environment.state
  const { root } = config.files ?? {}
  return {
    workspace: folder,
    ...(configFile === undefined ? {} : { configFile }),
    ...(files === undefined ? {} : { files }),
    stateDir: state === undefined ? join(folder, '.sallyport') : resolve(cwd, state),
    ...(config.tools === undefined ? {} : { tools: config.tools }),
    ...(config.apis === undefined ? {} : { apis: apisOf(folder, config.apis) }),
    listen: flags.listen ?? environment.listen ?? config.listen ?? DEFAULT_LISTEN,
    ...(root === undefined ? {} : { filesRoot: resolve(folder, root) }),
    deployment: deploymentOf(config, flags.allowInternal ?? []),
    durability: config.storage?.durability ?? 'full',
    ...(environment.scopeFile === undefined ? {} : { scopeFile: resolve(cwd, environment.scopeFile) }),
    evidenceDir: evidenceDir({ cwd, folder, environment, config }),
    ...(config.evidence?.retention === undefined ? {} : { evidenceRetention: config.evidence.retention }),
    killGraceMs: environment.killGraceMs ?? DEFAULT_KILL_GRACE_MS,
    environment: environment.inherited,
  }
}

function deploymentOf({ files, network, text, output }: Config, allowInternal: readonly IpRange[]): Deployment {
  return {
    allowHidden: files?.allow_hidden ?? false,
    allowInternal: [...(network?.allow_internal ?? []), ...allowInternal],
    allowWhitespaceBeyondExec: text?.allow_whitespace_beyond_exec ?? false,
    allowBareDoctype: output?.allow_bare_doctype ?? false,
  }
}

function apisOf(folder: string, apis: NonNullable<Config['apis']>): readonly ApiDeployment[] {
  return Object.entries(apis).map(([name, { file, url, allow_private: allowPrivate = false, credentials = {} }]) => ({
    name,
    file: resolve(folder, file),
    ...(url === undefined ? {} : { url }),
    allowPrivate,
    credentials,
  }))
}

/** ToolClad spec, Platform-aware evidence directories. */
function evidenceDir(sources: {
  readonly cwd: string
  readonly folder: string
  readonly environment: Environment
  readonly config: Config
}): string {
  const { cwd, folder, environment, config } = sources
  if (environment.evidenceDir !== undefined) return resolve(cwd, environment.evidenceDir)
  const { dir } = config.evidence ?? {}
  return dir === undefined ? join(tmpdir(), 'toolclad-evidence') : resolve(folder, dir)
}
