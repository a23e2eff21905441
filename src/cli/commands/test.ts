import type { JsonValue } from '../../core/json.ts'
import { LOCAL } from '../../core/principal.ts'
import type { Gateway } from '../../gateway.ts'
import { parsePairs } from '../args.ts'
import { ARG_FLAG } from '../call-arguments.ts'
import { defineCommand } from '../command.ts'
import { exitOf } from '../exit.ts'
import { EXIT_NO_TOOL, withTools } from '../find-tool.ts'
import type { Printer } from '../print.ts'
import { noteRefusals, showOutcome } from '../show-outcome.ts'
import { reportJson, shownPreview } from '../../pipeline/shapes.ts'
import { visibleJson, visibleLine } from '../visible.ts'

export const test = defineCommand({
  operands: 'TOOL|FILE',
  details: 'Exit codes: 0 it would run · 1 arguments refused · 2 the manifest does not load. Approval is never needed.',
  flags: { ...ARG_FLAG, dns: { does: 'also resolve names and look whether files exist' } },
  examples: [{ line: 'sallyport test git_log --arg repo=.', does: 'the argv that would run, argument by argument' }],
  run: async (args, cli) => {
    const request = parsePairs(args.values('arg'))
    return withTools(args, cli, { files: true, withheld: true, operand: 'TOOL or FILE' }, async (found, gateway) => {
      const [{ name }, ...others] = found
      if (others.length > 0) {
        cli.print.note(`sallyport: the file describes many tools, name one: ${found.map(t => t.name).join(', ')}`)
        return EXIT_NO_TOOL
      }
      const options = { principal: LOCAL, signal: cli.signal, lookups: args.has('dns') }
      const report = await gateway.test({ tool: name, args: request }, options)
      if (report.status !== 'dry_run') {
        showOutcome(report, name, cli.print)
        return exitOf(report, 'run')
      }
      if (args.format === 'json') cli.print.json(reportJson(report))
      else showReport(report, cli.print)
      noteRefusals(report.refusals, cli.print)
      return report.refusals.length === 0 ? 0 : 1
    })
  },
})

type DryRun = Extract<Awaited<ReturnType<Gateway['test']>>, { readonly status: 'dry_run' }>

function showReport(
  { tool, preview = {}, values, checks, timeoutMs, riskTier }: DryRun,
  { text, style }: Printer,
): void {
  text(style('bold', tool))
  for (const [name, value] of Object.entries(shownPreview(preview))) text(line(name, value))
  for (const [name, value] of Object.entries(values)) text(line(`  ${name}`, value))
  for (const [name, result] of Object.entries(checks))
    text(`${name.padEnd(NAME_WIDTH)} ${style(result === 'refused' ? 'red' : 'green', result)}`)
  text(line('timeout', `${timeoutMs / 1000} s`))
  if (riskTier !== undefined) text(line('risk tier', riskTier))
}

const NAME_WIDTH = 16

function line(name: string, value: JsonValue): string {
  const shown = typeof value === 'string' ? value : visibleJson(value)
  return `${visibleLine(name).padEnd(NAME_WIDTH)} ${visibleLine(shown)}`
}
