import { LOCAL } from '../../core/principal.ts'
import type { OfferedTool, WithheldTool } from '../../gateway.ts'
import { UsageError } from '../args.ts'
import { defineCommand } from '../command.ts'
import { noteProblems, openWorkspace, shortName, withGateway } from '../open-workspace.ts'
import { table } from '../table.ts'

export const list = defineCommand({
  operands: '',
  flags: {},
  examples: [
    { line: 'sallyport list', does: 'the tools of this workspace' },
    { line: 'sallyport list --json', does: 'the same for a program' },
  ],
  run: async (args, cli) => {
    if (args.operands.length > 0) throw new UsageError(`list takes no operand, found ${args.operands.join(' ')}`)
    const { print, cwd } = cli
    const { settings } = await openWorkspace(args, cli)
    return withGateway(settings, cli, async gateway => {
      noteProblems(gateway.problems(), cli)
      const tools = gateway.tools(LOCAL)
      const withheld = gateway.withheld(LOCAL)
      if (args.format === 'json')
        print.json([...tools.map(listed), ...withheld.map(w => ({ ...listed(w), not_offered: w.withheld.reason }))])
      else if (tools.length === 0 && withheld.length === 0)
        print.note('No tools: put a .clad.toml file into tools/, or see sallyport help serve.')
      else if (tools.length > 0) print.text(table(rows(tools, cwd), print))
      if (args.format !== 'json') for (const line of notOffered(withheld)) print.text(line)
      return 0
    })
  },
})

/** One line a tool, for people. */
export function notOffered(withheld: readonly WithheldTool[]): readonly string[] {
  return withheld.map(({ name, withheld: { reason } }) => `not offered: ${name} — ${reason}`)
}

function listed({ name, tool }: OfferedTool) {
  const { version, access, riskTier, file } = tool
  return { name, kind: tool.binding.kind, version, access, risk_tier: riskTier, file }
}

function rows(tools: readonly OfferedTool[], cwd: string): readonly (readonly string[])[] {
  return [
    ['NAME', 'KIND', 'RISK', 'FILE', 'DESCRIPTION'],
    ...tools.map(({ name, tool }) => [
      name,
      tool.binding.kind,
      tool.riskTier ?? '',
      shortName(tool.file, cwd) ?? '',
      tool.description,
    ]),
  ]
}
