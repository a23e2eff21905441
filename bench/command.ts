// B9: a command-line tool beside a bare spawn of the same program, alternating, in one process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { LOCAL } from '../src/core/principal.ts'
import { FORMATS } from '../src/formats/index.ts'
import { STRICT } from '../src/formats/format.ts'
import { createGateway } from '../src/gateway.ts'
import { SILENT } from '../src/core/ports.ts'
import { loadManifest, runManifest } from '../src/toolclad.ts'
import type { Settings } from '../src/toolclad.ts'
import { makeWorkspace } from './programs.ts'
import { quantile } from './row.ts'
import type { Row } from './row.ts'

const root = join(import.meta.dirname, '..')
const PROGRAM = '/usr/bin/true'

const MANIFEST = (name: string, more = ''): string => `[tool]
name = "${name}"
version = "1.0.0"
binary = "true"
description = "A tool"
risk_tier = "low"
${more}
[args.text]
type = "string"
required = true
[args.count]
type = "integer"
min = 1
max = 100
[command]
exec = ["true", "{text}", "{count}"]
[output]
format = "text"
`
const ARGUMENTS = { text: 'Fram', count: 42 }

export async function benchCommands(): Promise<readonly Row[]> {
  const workspace = makeWorkspace({
    'tools/plain.clad.toml': MANIFEST('plain'),
  })
  try {
    return [...(await benchCalls(workspace.folder)), benchValidation(), ...(await benchWholeRuns(workspace.folder))]
  } finally {
    workspace.dispose()
  }
}

/** Through the library; then through the gateway, whose records go to the same disk. */
async function benchCalls(folder: string): Promise<readonly Row[]> {
  const settings = { evidence_dir: join(folder, 'evidence') }
  const rows = await compare({
    plain: callOf(MANIFEST('t'), settings),
    uncaptured: callOf(MANIFEST('t', '[tool.evidence]\ncapture = false'), settings),
    limited: callOf(MANIFEST('t', '[tool.limits]\nnofile = 100'), settings),
  })
  return [...rows, ...(await benchGateway(folder))]
}

function callOf(text: string, settings: Settings): Work {
  const { manifest } = loadManifest(text, { settings })
  if (manifest === undefined) throw new Error('the manifest does not load')
  return async () => {
    const result = await runManifest(manifest, ARGUMENTS)
    if (result.kind !== 'envelope') throw new Error(result.kind)
  }
}

async function benchGateway(folder: string): Promise<readonly Row[]> {
  const gateway = await createGateway({
    logger: SILENT,
    settings: {
      workspace: folder,
      stateDir: join(folder, '.sallyport'),
      listen: { host: '127.0.0.1', port: 0 },
      deployment: STRICT,
      durability: 'normal',
      evidenceDir: join(folder, 'evidence'),
      killGraceMs: 2000,
      environment: {},
    },
  })
  const audited = async (): Promise<void> => {
    const { status } = await gateway.call({ tool: 'plain', args: ARGUMENTS }, { principal: LOCAL })
    if (status !== 'ok') throw new Error(status)
  }
  const rows = await compare({ 'audited plain': audited })
  await gateway.close()
  return rows
}

async function compare(tools: Readonly<Record<string, Work>>): Promise<readonly Row[]> {
  const times = await alternate({ bare: bareSpawn, ...tools }, 600)
  const floor = times['bare'] ?? []
  const rows: Row[] = Object.keys(tools).flatMap(name =>
    [0.5, 0.95].map(part => ({
      id: 'B9',
      what: `${name} tool, p${part * 100}`,
      ours: quantile(times[name] ?? [], part),
      floor: quantile(floor, part),
      unit: 'ms' as const,
    })),
  )
  for (const [name, one] of Object.entries(tools))
    rows.push({
      id: 'B9',
      what: `${name} tool, 16 at once`,
      ours: await perSecond(one),
      floor: await perSecond(bareSpawn),
      unit: '/s',
    })
  return rows
}

/** What anybody would write who only wants the output. */
async function bareSpawn(): Promise<void> {
  const child = spawn(PROGRAM, [ARGUMENTS.text, String(ARGUMENTS.count)], { stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child, 'close')
}

type Work = () => Promise<void>

/** Milliseconds of each run, taken in turn, so that whatever disturbs one disturbs all. */
async function alternate(
  works: Readonly<Record<string, Work>>,
  rounds: number,
): Promise<Readonly<Record<string, readonly number[]>>> {
  const times: Record<string, number[]> = {}
  for (let round = 0; round < rounds * 1.2; round++)
    for (const [name, work] of Object.entries(works)) {
      const began = performance.now()
      await work()
      if (round >= rounds * 0.2) (times[name] ??= []).push(performance.now() - began)
    }
  return times
}

async function perSecond(work: Work, clients = 16, calls = 2000): Promise<number> {
  let left = calls
  const began = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (left-- > 0) await work()
    }),
  )
  return calls / ((performance.now() - began) / 1000)
}

function benchValidation(): Row {
  const [tool] = FORMATS.toolclad.load(MANIFEST('t'), { root }).tools
  if (tool === undefined) throw new Error('the manifest does not load')
  const count = 200_000
  for (let warm = 0; warm < count / 4; warm++) tool.validate(ARGUMENTS)
  const began = performance.now()
  for (let run = 0; run < count; run++) tool.validate({ text: `Fram ${run}`.replace(' ', '-'), count: run })
  return {
    id: 'B9',
    what: 'validations of two arguments',
    ours: count / ((performance.now() - began) / 1000),
    unit: '/s',
  }
}

/** The built package as users have it, against a Node that does nothing and the program. */
async function benchWholeRuns(folder: string): Promise<readonly Row[]> {
  await node(['scripts/build.ts'])
  const state = { TOOLCLAD_EVIDENCE_DIR: join(folder, 'evidence') }
  const file = join(folder, 'tools/plain.clad.toml')
  const ours = (): Promise<void> => node(['dist/cli/main.js', 'run', file, '--arg', 'text=Fram'], state)
  const floor = async (): Promise<void> => {
    await node(['-e', '0'])
    await bareSpawn()
  }
  const times = await alternate({ ours, floor }, 20)
  return [
    {
      id: 'B9',
      what: 'sallyport run, built, p50',
      ours: quantile(times['ours'] ?? [], 0.5),
      floor: quantile(times['floor'] ?? [], 0.5),
      unit: 'ms',
    },
  ]
}

async function node(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'ignore' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`)
}
