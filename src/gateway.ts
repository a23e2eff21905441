import { join } from 'node:path'
import { openAudit } from './audit/audit.ts'
import type { AuditReader } from './audit/reader.ts'
import { openAuditReader } from './audit/reader.ts'
import { BACKENDS } from './backends/index.ts'
import { withLookups } from './backends/lookups.ts'
import { openCatalog } from './catalog/catalog.ts'
import type { CatalogDeps } from './catalog/catalog.ts'
import type { Entry } from './catalog/entry.ts'
import { offeredApis } from './catalog/offered-apis.ts'
import type { OfferedApi } from './catalog/offered-apis.ts'
import { loadFile } from './catalog/load-file.ts'
import type { LoadedFile } from './catalog/load-file.ts'
import { workspaceFiles } from './catalog/workspace-files.ts'
import type { WorkspaceFiles } from './catalog/workspace-files.ts'
import type { Settings } from './config/settings.ts'
import type { CallContext, CallRequest, Progress } from './core/call.ts'
import type { Diagnostic } from './core/diagnostic.ts'
import { ERRORS } from './core/errors.ts'
import type { Outcome } from './core/outcome.ts'
import { SILENT } from './core/ports.ts'
import type { Clock, Ids, Logger } from './core/ports.ts'
import type { Principal } from './core/principal.ts'
import type { LoadContext } from './formats/format.ts'
import { isInterpreter } from './formats/toolclad/lint.ts'
import { parseScope } from './formats/toolclad/scope.ts'
import { FORMATS } from './formats/index.ts'
import { openRetention } from './io/evidence-retention.ts'
import { ensurePrivateDir, kindOf, list, readText } from './io/files.ts'
import { isAlive, processIdentity } from './io/process.ts'
import { readBeside } from './io/read-beside.ts'
import { openSpawner } from './io/spawn.ts'
import { systemClock, systemIds } from './io/system.ts'
import { watch } from './io/watch.ts'
import { openEgress } from './io/egress/egress.ts'
import type { Listener } from './io/egress/own-listeners.ts'
import type { Lookup } from './io/egress/resolve-name.ts'
import { CREDENTIAL_STORES } from './credentials/index.ts'
import { openSecrets } from './credentials/secrets.ts'
import { readCredential } from './config/env.ts'
import type { DryRun } from './pipeline/dry-run.ts'
import { openPipeline } from './pipeline/open-pipeline.ts'
import { ALLOW_ALL } from './policy/engine.ts'
import type { PolicyEngine } from './policy/engine.ts'
import type { Gate } from './policy/gate.ts'
import { openHeads } from './storage/heads.ts'
import { STORES } from './storage/index.ts'
import type { Store } from './storage/store.ts'

/** A tool as it is offered: under the name clients see. */
export type OfferedTool = Pick<Entry, 'name' | 'hash' | 'tool' | 'api'>

/** A tool that clients neither see nor can call, and why. */
export type WithheldTool = OfferedTool & Required<Pick<Entry, 'withheld'>>

export interface GatewayOptions {
  readonly settings: Settings
  readonly logger: Logger
  /** Notice changed files and swap the catalogue. Default false. */
  readonly watch?: boolean
  /** Where this process listens: no API call ever goes there. */
  readonly listeners?: () => readonly Listener[]
  /** All addresses of a name. Default: the system's. */
  readonly lookup?: Lookup
  /** Where the audit is kept, instead of what the settings say. It stays the caller's to close. */
  readonly store?: Store
  readonly policy?: PolicyEngine
  readonly gates?: readonly Gate[]
  readonly clock?: Clock
  readonly ids?: Ids
}

export interface CallOptions {
  readonly principal: Principal
  readonly signal?: AbortSignal
  readonly progress?: (progress: Progress) => void
  /** The call this one is made from. */
  readonly parent?: string
  /** A person at this machine approved this very call. */
  readonly approved?: boolean
  /** A person asks: a tool that is not offered says why it cannot run, instead of that there is none. Default false. */
  readonly explain?: boolean
}

/** The door: every call of every caller goes through `call`. */
export interface Gateway {
  /** The tools a principal may see, sorted by name; the same array until something changes. */
  readonly tools: (principal: Principal) => readonly OfferedTool[]
  /** The same by API, the command line last; the same array until something changes. */
  readonly apis: (principal: Principal) => readonly OfferedApi<OfferedTool>[]
  /** What loads and is not offered, of the tools a principal may see; to be listed, described and tested by people. */
  readonly withheld: (principal: Principal) => readonly WithheldTool[]
  /** Never rejects: refusals and faults are outcomes. */
  readonly call: (request: CallRequest, options: CallOptions) => Promise<Outcome>
  /**
   * Takes up a call that is `pending`, by the approval it waits for: it runs again from the top, against the same tool and the
   * same arguments, and a second time never. This version asks nobody, so no approval is ever open.
   */
  readonly resume: (approvalId: string, options: CallOptions) => Promise<Outcome>
  /** Judges a call and shows what would run; nothing runs, nothing is audited. `lookups` also asks DNS and the disk. */
  readonly test: (
    request: CallRequest,
    options: Pick<CallOptions, 'principal' | 'signal'> & { readonly lookups?: boolean },
  ) => Promise<DryRun | Outcome>
  /** Called after every change of the catalogue or its problems. Returns the way to stop listening. */
  readonly onChange: (listener: () => void) => () => void
  /** Problems of the files as they are now; a file with an error is served in its last good version, or not at all. */
  readonly problems: () => readonly Diagnostic[]
  readonly audit: AuditReader
  /** Idempotent: cancels running calls, waits for their children to end, writes the audit out, closes everything. */
  readonly close: () => Promise<void>
}

/**
 * Opens a gateway over a workspace: the one place where the families meet.
 * @throws GatewayError `state_unsafe`, `store_unavailable`, `store_newer`
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { settings, logger, policy = ALLOW_ALL, gates = [], clock = systemClock, ids = systemIds } = options
  await using opened = new AsyncDisposableStack()

  await ensurePrivateDir(settings.stateDir)
  const store = options.store ?? openStore(settings, opened)
  const heads = openHeads(join(settings.stateDir, 'audit-heads'))
  const audit = openAudit({ store, heads, clock, ids, logger, process: await processIdentity() })
  opened.defer(() => audit.close())

  const source = openSource(
    {
      settings,
      logger,
      clock,
      ids,
      ...(options.listeners === undefined ? {} : { listeners: options.listeners }),
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    },
    opened,
  )
  if (settings.evidenceRetention !== undefined) {
    const maxAgeMs = settings.evidenceRetention
    const retention = openRetention({ root: settings.evidenceDir, maxAgeMs, clock, logger })
    opened.defer(() => retention.close())
  }
  const catalog = await openCatalog(source)
  if (options.watch === true) {
    const failed = (error: unknown): void => logger.error('the tools could not be loaded again', { why: String(error) })
    const watching = watch(source.watched, () => void catalog.reload().catch(failed))
    opened.defer(() => watching.close())
  }

  const pipeline = openPipeline({ find: name => catalog.current().find(name), policy, gates, audit, logger })
  const closing = new AbortController()
  const running = new Set<Promise<Outcome>>()
  opened.defer(async () => {
    closing.abort()
    await Promise.allSettled(running)
  })

  const context = (o: CallOptions): CallContext => ({
    id: ids.uuid(),
    ...(o.parent === undefined ? {} : { parent: o.parent }),
    principal: o.principal,
    signal: o.signal === undefined ? closing.signal : AbortSignal.any([o.signal, closing.signal]),
    clock,
    progress: o.progress ?? (() => {}),
    approved: o.approved ?? false,
    withheld: o.explain === true ? 'denied' : 'unknown',
  })

  const tools = visibleTools(() => catalog.current().entries, policy)
  const grouped = new WeakMap<readonly OfferedTool[], readonly OfferedApi<OfferedTool>[]>()
  const owned = opened.move()
  let closed: Promise<void> | undefined
  return {
    tools,
    apis: principal => {
      const visible = tools(principal)
      const apis = grouped.get(visible) ?? offeredApis(visible)
      grouped.set(visible, apis)
      return apis
    },
    withheld: principal => policy.filter(principal, catalog.current().entries.filter(isWithheld)),
    call: (request, callOptions) => {
      if (closing.signal.aborted) return Promise.resolve(failedClosed())
      const outcome = pipeline.run(request, context(callOptions))
      running.add(outcome)
      return outcome.finally(() => running.delete(outcome))
    },
    resume: approvalId => Promise.resolve(unknownApproval(approvalId)),
    test: (request, { lookups = false, ...rest }) =>
      pipeline.dryRun(request, { ...context(rest), withheld: 'judged' }, { lookups }),
    onChange: catalog.onChange,
    problems: catalog.problems,
    audit: openAuditReader({ store, heads, isAlive }),
    close: () => (closed ??= owned.disposeAsync()),
  }
}

function openStore({ stateDir, durability }: Settings, opened: AsyncDisposableStack): Store {
  const store = STORES.sqlite.open({ file: join(stateDir, 'sallyport.db'), durability })
  opened.defer(() => store.close())
  return store
}

export interface ValidateOptions extends Pick<LoadContext, 'allowUnknownKeys' | 'profile'> {
  readonly settings: Settings
  /** The file of the version before; absolute. */
  readonly against?: string
}

/**
 * Judges files as a gateway would load them, or as `profile` says, the programs they name included; opens no store and runs nothing.
 * A file that cannot be read is a problem like any other.
 * @throws GatewayError `file_unreadable` of `against`
 */
export async function validateFiles(
  files: readonly string[],
  { settings, against, ...options }: ValidateOptions,
): Promise<readonly Pick<LoadedFile, 'file' | 'format' | 'diagnostics'>[]> {
  await using opened = new AsyncDisposableStack()
  const source = openSource({ settings, logger: SILENT, clock: systemClock, ids: systemIds }, opened)
  const older = against === undefined ? {} : { against: await readAgainst(against, source) }
  return await Promise.all(files.map(file => loadFile(source, { file }, { ...options, ...older })))
}

async function readAgainst(file: string, { read, readBeside: beside }: Pick<CatalogDeps, 'read' | 'readBeside'>) {
  const text = await read(file)
  return { file, text, ...(beside === undefined ? {} : { readFile: (path: string) => beside(file, path) }) }
}

/** What a gateway over a workspace would offer, and what is wrong with its files. */
export interface Inspection {
  readonly tools: readonly OfferedTool[]
  readonly withheld: readonly WithheldTool[]
  readonly problems: readonly Diagnostic[]
  /** The scope file of the workspace's own tools; absent: there is none. */
  readonly scope?: { readonly file: string; readonly problems: readonly Diagnostic[] }
}

/** Loads a workspace as a gateway would; opens no store and runs nothing. */
export async function inspectWorkspace(settings: Settings): Promise<Inspection> {
  await using opened = new AsyncDisposableStack()
  const source = openSource({ settings, logger: SILENT, clock: systemClock, ids: systemIds }, opened)
  const [catalog, { scope }] = await Promise.all([
    openCatalog(source),
    source.surroundingsOf(join(settings.workspace, 'tools', 'any')),
  ])
  const { entries } = catalog.current()
  return {
    tools: entries.filter(entry => !isWithheld(entry)),
    withheld: entries.filter(isWithheld),
    problems: catalog.problems(),
    ...(scope === undefined ? {} : { scope: { file: scope.file ?? '', problems: parseScope(scope).diagnostics } }),
  }
}

interface SourceDeps extends Pick<GatewayOptions, 'listeners' | 'lookup'> {
  readonly settings: Settings
  readonly logger: Logger
  readonly clock: Clock
  readonly ids: Ids
}

/** Formats, backends and files of a workspace, as the catalogue wants them; what has to be closed goes to `opened`. */
function openSource(
  { settings, logger, clock, ids, listeners, lookup }: SourceDeps,
  opened: AsyncDisposableStack,
): CatalogDeps & Pick<WorkspaceFiles, 'watched'> {
  const spawner = openSpawner({ clock, logger, killGraceMs: settings.killGraceMs })
  opened.defer(() => spawner.close())
  const egress = openEgress({
    clock,
    ...(listeners === undefined ? {} : { listeners }),
    ...(lookup === undefined ? {} : { lookup }),
  })
  opened.defer(() => egress.close())
  const credentials = CREDENTIAL_STORES.environment.open({ read: readCredential })
  const deps = {
    spawner,
    egress,
    credentials,
    secrets: openSecrets(credentials, { read: readCredential }),
    clock,
    ids,
    logger,
    environment: settings.environment,
    evidenceRoot: settings.evidenceDir,
    isInterpreter,
    allowHidden: settings.deployment.allowHidden,
    reserved: reservedOf(settings),
    allowInternal: settings.deployment.allowInternal,
    ...(listeners === undefined ? {} : { listeners }),
    ...(lookup === undefined ? {} : { lookup }),
  }
  const backends = Object.values(BACKENDS).map(({ open }) => withLookups(open(deps), deps))
  for (const backend of backends) opened.defer(() => backend.close())
  const formats = Object.values(FORMATS)
  return {
    formats,
    backendOf: kind => backends.find(backend => backend.kind === kind),
    deployment: settings.deployment,
    ...workspaceFiles(settings, { formats, list, readText, readBeside, exists }),
  }
}

/** What no path argument may name: whoever can write these decides what the gateway does, or what it remembers. */
function reservedOf({ workspace, stateDir, evidenceDir, configFile, scopeFile }: Settings): readonly string[] {
  const inWorkspace = ['toolclad.toml', 'sallyport.yaml', 'scope/scope.toml'].map(file => join(workspace, file))
  return [stateDir, evidenceDir, ...inWorkspace, configFile, scopeFile].filter(path => path !== undefined)
}

async function exists(path: string): Promise<boolean> {
  return (await kindOf(path)) !== 'missing'
}

/** One array for everyone who sees the same tools of the same snapshot, so that the edge can cache what it makes of it. */
function visibleTools(entries: () => readonly Entry[], policy: PolicyEngine): Gateway['tools'] {
  let of: readonly Entry[] | undefined
  let offered: readonly Entry[] = []
  let seen = new Map<string, readonly Entry[]>()
  return principal => {
    const all = entries()
    if (of !== all) {
      of = all
      offered = all.filter(entry => !isWithheld(entry))
      seen = new Map()
    }
    const visible = policy.filter(principal, offered)
    const key = visible.map(({ name }) => name).join('\n')
    const known = seen.get(key)
    if (known !== undefined) return known
    seen.set(key, visible)
    return visible
  }
}

function isWithheld(entry: Entry): entry is Entry & WithheldTool {
  return entry.withheld !== undefined
}

function unknownApproval(id: string): Outcome {
  return { status: 'denied', by: 'approval', code: 'unknown_approval', reason: `No approval ${id} is open.` }
}

function failedClosed(): Outcome {
  const { message, retryable, exit } = ERRORS.closed
  return { status: 'failed', code: 'closed', message, retryable, exit }
}
