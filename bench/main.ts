// `npm run bench [-- --json] [B…]`: every figure beside a floor measured in the same run. Two noisy cores: only ratios count.
import { benchCommands } from './command.ts'
import { benchDocuments } from './documents.ts'
import { measure } from './load.ts'
import { makeWorkspace, memoryOf, start, startForgetful, startGateway } from './programs.ts'
import type { Row } from './row.ts'

const API = `spec: https://dadl.ai/spec/dadl-spec-v0.2.md
backend:
  name: harbour
  type: rest
  description: d
  auth: {type: bearer, credential: token}
  tools:
    get_ship:
      method: GET
      path: /ships/{name}
      description: d
      params: {name: {type: string, in: path, required: true}}
`

const MANIFEST = (name: string): string => `[tool]
name = "${name}"
version = "1.0.0"
binary = "true"
description = "A tool"
[args.text]
type = "string"
required = true
[command]
exec = ["true", "{text}"]
[output]
format = "text"
`

const rows: Row[] = []
const upstream = await start(['bench/upstream.ts'])
// `npm run bench -- B9` measures only what bears this name.
const wanted = process.argv.slice(2).filter(word => /^B\d+$/.test(word))
const isWanted = (...ids: readonly string[]): boolean => wanted.length === 0 || ids.some(id => wanted.includes(id))
if (isWanted('B1', 'B2', 'B3')) await benchCalls()
if (isWanted('B4')) await benchStarts()
if (isWanted('B5')) rows.push(...benchDocuments())
if (isWanted('B9')) rows.push(...(await benchCommands()))
await upstream.stop()
show()

/** B1 to B3: one REST call per tool call, with authentication, validation, scope and audit on. */
async function benchCalls(): Promise<void> {
  const floor = await start(['bench/floor.ts', upstream.line])
  const bare = { url: `http://127.0.0.1:${floor.line}/mcp`, tool: 'harbour_get_ship' }
  for (const durability of ['full', 'normal', 'no audit'] as const) {
    const workspace = makeWorkspace({
      'apis/harbour.dadl': API,
      'sallyport.yaml': `apis: {harbour: {file: apis/harbour.dadl, url: "http://127.0.0.1:${upstream.line}"}}\nstorage: {durability: ${durability === 'full' ? 'full' : 'normal'}}\n`,
    })
    const { folder } = workspace
    const gateway = durability === 'no audit' ? await startForgetful(folder, upstream.line) : await startGateway(folder)
    const target = { url: gateway.url, token: gateway.token, tool: 'harbour_get_ship' }
    const idle = memoryOf(gateway)
    // Neither is measured cold: the compiler needs a few thousand calls.
    for (const one of [bare, target]) await measure(one, { clients: 16, calls: 4000 })
    for (const clients of [1, 16, 64]) {
      const load = { clients, calls: clients === 1 ? 2000 : 6000 }
      const lowest = await measure(bare, load)
      const ours = await measure(target, load)
      const name = `${durability}, ${clients} ${clients === 1 ? 'client' : 'clients'}`
      if (clients === 1) {
        rows.push({ id: 'B1', what: `latency p50, ${name}`, ours: ours.p50, floor: lowest.p50, unit: 'ms' })
        rows.push({ id: 'B1', what: `latency p95, ${name}`, ours: ours.p95, floor: lowest.p95, unit: 'ms' })
      }
      rows.push({ id: 'B2', what: `calls, ${name}`, ours: ours.perSecond, floor: lowest.perSecond, unit: '/s' })
    }
    if (durability === 'full') {
      rows.push({ id: 'B3', what: 'memory, idle', ours: idle, unit: 'MiB' })
      rows.push({
        id: 'B3',
        what: 'memory, after 19,000 calls',
        ours: memoryOf(gateway),
        floor: memoryOf(floor),
        unit: 'MiB',
      })
    }
    await gateway.stop()
    workspace.dispose()
  }
  await floor.stop()
}

/** B4: from the start of the process to its answer that it is ready, tools loaded. */
async function benchStarts(): Promise<void> {
  for (const count of [0, 100, 1000]) {
    const files = Array.from({ length: count }, (_, n) => [`tools/t${n}.clad.toml`, MANIFEST(`t${n}`)] as const)
    const workspace = makeWorkspace({ ...Object.fromEntries(files), 'sallyport.yaml': '' })
    rows.push({
      id: 'B4',
      what: `cold start, ${count} manifests`,
      ours: await bestStart(() => startGateway(workspace.folder)),
      floor: await bestStart(() => start(['bench/floor.ts', upstream.line])),
      unit: 'ms',
    })
    workspace.dispose()
  }
}

type Begin = () => Promise<{ readonly stop: () => Promise<void> }>

/** The shortest of three: what disturbs a start only makes it longer. */
async function bestStart(begin: Begin): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 3; run++) {
    const began = performance.now()
    const program = await begin()
    times.push(performance.now() - began)
    await program.stop()
  }
  return Math.min(...times)
}

function show(): void {
  if (process.argv.includes('--json')) {
    console.log(
      JSON.stringify(
        rows.map(row => ({ ...row, ratio: ratioOf(row) })),
        undefined,
        2,
      ),
    )
    return
  }
  const cells = rows.map(row => [
    row.id,
    row.what,
    `${number(row.ours)} ${row.unit}`,
    row.floor === undefined ? '' : `${number(row.floor)} ${row.unit}`,
    ratioOf(row)?.toFixed(2) ?? '',
  ])
  const table = [['', '', 'Sallyport', 'floor', 'ratio'], ...cells]
  const widths = [0, 1, 2, 3, 4].map(column => Math.max(...table.map(line => (line[column] ?? '').length)))
  for (const line of table)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

function ratioOf({ ours, floor }: Row): number | undefined {
  return floor === undefined ? undefined : ours / floor
}

function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}
