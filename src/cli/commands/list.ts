import { LOCAL } from '../../core/principal.ts'
import type { OfferedTool } from '../../gateway.ts'
import { UsageError } from '../args.ts'
import { defineCommand } from '../command.ts'
import { noteProblems, openWorkspace, shortName, withGateway } from '../open-workspace.ts'
import { table } from '../table.ts'

export const list = defineCommand({
  name: 'list',
  summary: 'show the tools that serve would offer',
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
      if (args.format === 'json') print.json(tools.map(listed))
      else if (tools.length === 0)
        print.note('No tools: put a .clad.toml file into tools/, or see sallyport help serve.')
      else print.text(table(rows(tools, cwd), print))
      return 0
    })
  },
})

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
