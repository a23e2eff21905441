import { relative } from 'node:path'
import { readEnvironment } from '../config/env.ts'
import type { Environment } from '../config/env.ts'
import { LISTEN_EXPECTED, parseListen } from '../config/listen.ts'
import type { Config } from '../config/schema.ts'
import { resolveSettings } from '../config/settings.ts'
import type { Settings } from '../config/settings.ts'
import { findWorkspace } from '../config/workspace.ts'
import { hasErrors } from '../core/diagnostic.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { GatewayError } from '../core/errors.ts'
import type { Logger } from '../core/ports.ts'
import { createGateway } from '../gateway.ts'
import type { Gateway, GatewayOptions } from '../gateway.ts'
import { kindOf, readText } from '../io/files.ts'
import { createLogger } from '../io/log.ts'
import type { LogLevel } from '../io/log.ts'
import { systemClock } from '../io/system.ts'
import { parseRange } from '../lib/ip.ts'
import type { IpRange } from '../lib/ip.ts'
import { UsageError } from './args.ts'
import type { Args, GLOBAL_FLAGS } from './args.ts'
import { codeFrame, problemLine } from './code-frame.ts'
import type { Cli } from './command.ts'

type GlobalArgs = Args<keyof typeof GLOBAL_FLAGS>

export interface OpenWorkspaceOptions {
  /** One folder, or files to serve alone. */
  readonly paths?: readonly string[]
  readonly listen?: string | undefined
  /** Values of `--allow-internal`. */
  readonly allowInternal?: readonly string[]
}

export interface OpenedWorkspace {
  readonly settings: Settings
  readonly environment: Environment
}

/**
 * What the command line, the environment and `sallyport.yaml` say, as one.
 * @throws UsageError, GatewayError `config_invalid` (its problems are printed), `file_unreadable`
 */
export async function openWorkspace(
  args: GlobalArgs,
  cli: Cli,
  { paths = [], listen: address, allowInternal = [] }: OpenWorkspaceOptions = {},
): Promise<OpenedWorkspace> {
  const environment = readEnvironment()
  for (const warning of environment.warnings) cli.print.note(`warning: ${warning}`)
  const config = args.value('config')
  const workspace = await findWorkspace({
    cwd: cli.cwd,
    paths,
    kindOf,
    ...(config === undefined ? {} : { config }),
  })
  const listen = address === undefined ? undefined : parseListen(address)
  if (address !== undefined && listen === undefined)
    throw new UsageError(`--listen ${JSON.stringify(address)}: ${LISTEN_EXPECTED}`)
  const state = args.value('state')
  if (state === '') throw new UsageError('--state "": expected a folder')
  const settings = resolveSettings({
    cwd: cli.cwd,
    workspace,
    flags: {
      allowInternal: allowInternal.map(rangeOf),
      ...(state === undefined ? {} : { state }),
      ...(listen === undefined ? {} : { listen }),
    },
    environment,
    config: workspace.configFile === undefined ? {} : await readConfig(workspace.configFile, cli),
  })
  return { settings, environment }
}

function rangeOf(text: string): IpRange {
  const range = parseRange(text)
  if (range !== undefined) return range
  throw new UsageError(`--allow-internal ${JSON.stringify(text)}: expected a range such as 10.0.1.0/24`)
}

export interface WithGatewayOptions extends Pick<GatewayOptions, 'watch' | 'listeners'> {
  /** Anything quieter is not logged. Default `warn`. */
  readonly level?: LogLevel
}

/** Opens the gateway, hands it over, and closes it whatever happens. */
export async function withGateway<T>(
  settings: Settings,
  cli: Cli,
  use: (gateway: Gateway, logger: Logger) => Promise<T>,
  { level = 'warn', ...options }: WithGatewayOptions = {},
): Promise<T> {
  const { print } = cli
  const logger = createLogger({ write: print.log, level, clock: systemClock, pretty: print.interactive })
  const opening = print.progress('Loading the tools')
  let gateway
  try {
    gateway = await createGateway({ settings, logger, ...options })
  } finally {
    opening.stop()
  }
  try {
    return await use(gateway, logger)
  } finally {
    const closing = print.progress('Closing')
    await gateway.close()
    closing.stop()
  }
}

/** The problems of manifests on stderr, one line each: they do not keep the other tools from working. */
export function noteProblems(problems: readonly Diagnostic[], { print, cwd }: Cli): void {
  for (const problem of problems)
    print.note(problemLine(problem, { style: print.noteStyle, file: shortName(problem.file, cwd) }))
}

/** The same with the line in question, for whoever has to mend it. */
export async function noteFrames(problems: readonly Diagnostic[], { print, cwd }: Cli): Promise<void> {
  for (const [path, group] of Map.groupBy(problems, ({ file }) => file)) {
    const text = path === undefined ? undefined : await textOf(path)
    const file = shortName(path, cwd)
    for (const problem of group) print.note(codeFrame(problem, { style: print.noteStyle, text, file }))
  }
}

/** A file's text for showing where a problem is; undefined where it cannot be read, which the problem says itself. */
export async function textOf(file: string): Promise<string | undefined> {
  return readText(file, { maxBytes: MAX_BYTES }).catch(() => undefined)
}

/** As a person at the cwd would write it. */
export function shortName(file: string | undefined, cwd: string): string | undefined {
  if (file === undefined) return undefined
  const way = relative(cwd, file)
  return way === '' || way.startsWith('..') ? file : way
}

const MAX_BYTES = 4 << 20

async function readConfig(file: string, cli: Cli): Promise<Config> {
  // What judges a configuration takes longer to load than all else: a workspace without one starts without it.
  const { loadConfig } = await import('../config/load.ts')
  const { config, diagnostics } = loadConfig(await readText(file, { maxBytes: MAX_BYTES }), file)
  await noteFrames(diagnostics, cli)
  if (config !== undefined && !hasErrors(diagnostics)) return config
  const count = diagnostics.length === 1 ? 'one problem' : `${diagnostics.length} problems`
  throw new GatewayError('config_invalid', `${count} in ${shortName(file, cli.cwd) ?? file}`)
}
