import type { Gateway } from '../../gateway.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { UsageError } from '../args.ts'
import { defineCommand } from '../command.ts'
import type { Cli } from '../command.ts'
import { EXIT_NO_TOOL } from '../find-tool.ts'
import { openWorkspace, withGateway } from '../open-workspace.ts'
import { table } from '../table.ts'

export const audit = defineCommand({
  operands: 'list|show ID|verify',
  details: 'verify exits with 1 where a record was edited, removed, reordered or cut off.',
  flags: {},
  examples: [
    { line: 'sallyport audit list', does: 'every call, oldest first' },
    { line: 'sallyport audit list --json', does: 'one JSON line a call' },
    { line: 'sallyport audit show 01936b2e-…', does: 'one call, with its steps' },
    { line: 'sallyport audit verify', does: 'checks the chains of hashes' },
  ],
  run: async (args, cli) => {
    const [action = '', ...rest] = args.operands
    const { takes, act } = actionOf(action)
    if (rest.length !== takes) throw new UsageError(`audit ${action} takes ${takes === 0 ? 'no operand' : 'one ID'}`)
    const { settings } = await openWorkspace(args, cli)
    return withGateway(settings, cli, gateway =>
      act(gateway.audit, { cli, json: args.format === 'json', id: rest[0] ?? '' }),
    )
  },
})

type Reader = Gateway['audit']

interface Asked {
  readonly cli: Cli
  readonly json: boolean
  readonly id: string
}

const ACTIONS = {
  list: { takes: 0, act: listCalls },
  show: { takes: 1, act: showCall },
  verify: { takes: 0, act: verifyChains },
} as const

function actionOf(name: string): (typeof ACTIONS)[keyof typeof ACTIONS] {
  const found = Object.entries(ACTIONS).find(([action]) => action === name)
  if (found !== undefined) return found[1]
  const names = Object.keys(ACTIONS)
  const what = name === '' ? '' : `, found ${JSON.stringify(name)}${didYouMean(nearest(name, names))}`
  throw new UsageError(`audit: expected ${names.join(', ')}${what}`)
}

async function listCalls(reader: Reader, { cli: { print, signal }, json }: Asked): Promise<number> {
  const rows = [['TIME', 'ID', 'TOOL', 'WHO', 'OUTCOME', 'MS']]
  for await (const call of reader.list()) {
    if (signal.aborted) break
    if (json && !(await print.jsonLine(call))) break
    const { time, id, tool, principal, outcome, duration_ms: duration } = call
    if (!json) rows.push([time, id, tool, principal, outcome, String(duration ?? '')])
  }
  if (!json) print.text(table(rows, print))
  return 0
}

async function showCall(reader: Reader, { cli: { print }, id }: Asked): Promise<number> {
  const call = await reader.show(id)
  if (call === undefined) print.note(`sallyport: the audit has no call ${JSON.stringify(id)}`)
  else print.json(call)
  return call === undefined ? EXIT_NO_TOOL : 0
}

async function verifyChains(reader: Reader, { cli: { print }, json }: Asked): Promise<number> {
  const shown = print.progress('Verifying the audit')
  const report = await reader.verify().finally(shown.stop)
  if (json) print.json(report)
  else if (report.ok) print.text(`The audit is whole: ${report.records} records of ${report.writers} writers.`)
  else
    for (const { writer, seq, kind } of report.problems)
      print.text(`${print.style('red', kind)} record ${seq} of writer ${writer}`)
  return report.ok ? 0 : 1
}
