import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Callable, Resolution } from '../../src/backends/backend.ts'
import { command } from '../../src/backends/command/index.ts'
import type { CallContext } from '../../src/core/call.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { LOCAL } from '../../src/core/principal.ts'
import type { ProcessResult, RawResult, Tool } from '../../src/core/tool.ts'
import { FORMATS } from '../../src/formats/index.ts'
import { isInterpreter } from '../../src/formats/toolclad/lint.ts'
import { openSpawner } from '../../src/io/spawn.ts'
import { systemClock, systemIds } from '../../src/io/system.ts'
import { SILENT } from './gateway.ts'

/** A command-line tool as a manifest says it; its `[tool]` is filled in where only more keys of it are given. */
export interface Manifest {
  readonly exec?: readonly string[]
  /** Instead of `exec`. */
  readonly executor?: string
  readonly args?: string
  readonly tool?: string
  /** More of `[command]`. */
  readonly command?: string
  readonly output?: string
}

/** The command backend with folders of its own for each test, and a spawner that `close` ends. */
export interface TestCommand {
  readonly fresh: () => Place
  readonly close: () => Promise<void>
}

export interface Place {
  readonly root: string
  readonly evidenceRoot: string
  readonly load: (manifest: Manifest) => Tool
  readonly prepared: (manifest: Manifest, reserved?: readonly string[]) => Promise<PreparedManifest>
  readonly resolve: (manifest: Manifest, args?: JsonObject, reserved?: readonly string[]) => Promise<Resolution>
  /** Fails where the call is refused or denied. */
  readonly run: (manifest: Manifest, args?: JsonObject, ctx?: CallContext) => Promise<ProcessResult>
}

interface PreparedManifest {
  readonly tool: Tool
  readonly callable: Callable
  readonly codes: readonly string[]
}

const KILL_GRACE_MS = 200

export function openTestCommand(): TestCommand {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'command-test-')))
  const spawner = openSpawner({ clock: systemClock, logger: SILENT, killGraceMs: KILL_GRACE_MS })
  let count = 0
  const fresh = (): Place => {
    count += 1
    const root = join(base, String(count), 'root')
    const evidenceRoot = join(base, String(count), 'evidence')
    mkdirSync(root, { recursive: true })
    const load = (manifest: Manifest): Tool => loadIn(root, manifest)
    const prepared: Place['prepared'] = async (manifest, reserved = []) => {
      const tool = load(manifest)
      const backend = command.open({
        spawner,
        clock: systemClock,
        ids: systemIds,
        logger: SILENT,
        environment: { lang: 'C.UTF-8', tz: 'UTC' },
        evidenceRoot,
        reserved,
        allowHidden: false,
        isInterpreter,
      })
      const { callable, diagnostics } = await backend.prepare(tool)
      return { tool, callable, codes: diagnostics.map(({ code, severity, path }) => `${severity} ${code} ${path}`) }
    }
    const resolve: Place['resolve'] = async (manifest, args = {}, reserved = []) => {
      const { tool, callable } = await prepared(manifest, reserved)
      const validation = tool.validate(args)
      assert.ok(validation.ok, JSON.stringify(validation))
      return callable.resolve(validation.values, { lookups: true, signal: new AbortController().signal })
    }
    const run: Place['run'] = async (manifest, args, ctx = context()) => {
      const resolution = await resolve(manifest, args)
      assert.ok(resolution.status === 'ready', JSON.stringify(resolution))
      return processOf(await resolution.ready.run(ctx))
    }
    return { root, evidenceRoot, load, prepared, resolve, run }
  }
  return {
    fresh,
    close: async () => {
      await spawner.close()
      rmSync(base, { recursive: true })
    },
  }
}

function loadIn(
  root: string,
  { exec, executor, args = '', tool = '', command: more = '', output = '' }: Manifest,
): Tool {
  const program = exec === undefined ? `executor = ${JSON.stringify(executor)}` : `exec = ${JSON.stringify(exec)}`
  const text = [
    `[tool]\nname = "t"\nversion = "1.0.0"\nbinary = ${JSON.stringify(exec?.[0] ?? 'wrapped')}\ndescription = "A test"`,
    tool,
    args,
    `[command]\n${program}\n${more}`,
    `[output]\n${output.includes('format') ? '' : 'format = "text"\n'}${output}`,
  ].join('\n')
  const { tools, diagnostics } = FORMATS.toolclad.load(text, { root, file: join(root, 'tools', 't.clad.toml') })
  const [loaded] = tools
  assert.ok(loaded, JSON.stringify(diagnostics))
  return loaded
}

export function context(
  signal = new AbortController().signal,
  progress: CallContext['progress'] = () => {},
): CallContext {
  return { id: 'x', principal: LOCAL, signal, clock: systemClock, progress, approved: false }
}

export function processOf(raw: RawResult): ProcessResult {
  assert.ok(raw.kind === 'process')
  return raw
}

/** A script of the shell as a tool. */
export function shell(script: string, tool = ''): Manifest {
  return { exec: ['sh', '-c', script], tool: `allow_interpreter = true\n${tool}` }
}
