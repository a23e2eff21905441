import { GatewayError } from '../../core/errors.ts'
import { inspectWorkspace } from '../../gateway.ts'
import { UsageError } from '../args.ts'
import type { Args, GLOBAL_FLAGS } from '../args.ts'
import { defineCommand } from '../command.ts'
import type { Cli } from '../command.ts'
import { checkNode, checkScope, checkSettings, checkTools } from '../doctor-checks.ts'
import type { Check } from '../doctor-checks.ts'
import { openWorkspace, shortName } from '../open-workspace.ts'
import { visibleLine } from '../visible.ts'

export const doctor = defineCommand({
  operands: '',
  details: 'Nothing is changed and nothing runs. Exits with 1 where something is wrong; warnings do not count.',
  flags: {},
  examples: [
    { line: 'sallyport doctor', does: 'one line a check' },
    { line: 'sallyport doctor --json', does: '{ok, checks: [{check, status, message}]}' },
  ],
  run: async (args, cli) => {
    if (args.operands.length > 0) throw new UsageError(`doctor takes no operand, found ${args.operands.join(' ')}`)
    const checks = [checkNode(process.versions.node), ...(await checkWorkspace(args, cli))]
    const ok = checks.every(({ status }) => status !== 'error')
    if (args.format === 'json') cli.print.json({ ok, checks })
    else for (const check of checks) cli.print.text(lineOf(check, cli))
    return ok ? 0 : 1
  },
})

/** A configuration that cannot be read is a finding too, and the last one. */
async function checkWorkspace(args: Args<keyof typeof GLOBAL_FLAGS>, cli: Cli): Promise<readonly Check[]> {
  try {
    const { settings, environment } = await openWorkspace(args, cli)
    const inspected = await inspectWorkspace(settings)
    return [
      ...environment.warnings.map((message): Check => ({ check: 'environment', status: 'warning', message })),
      ...(await checkSettings(settings)),
      ...checkScope(inspected),
      ...checkTools(inspected),
    ]
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return [{ check: 'configuration', status: 'error', message: error.message }]
  }
}

const MARKS = { ok: '✔', warning: '!', error: '✖' } as const
const COLOURS = { ok: 'green', warning: 'yellow', error: 'red' } as const
const NAME_WIDTH = 13

function lineOf({ check, status, message, file, line }: Check, { print, cwd }: Cli): string {
  const place = file === undefined ? '' : `${visibleLine(shortName(file, cwd) ?? file)}:${line ?? 1}: `
  return `${print.style(COLOURS[status], MARKS[status])} ${check.padEnd(NAME_WIDTH)} ${place}${visibleLine(message)}`
}
