import { toMcpTool } from '../../catalog/mcp-tool.ts'
import { defineCommand } from '../command.ts'
import { withTools } from '../find-tool.ts'

export const schema = defineCommand({
  operands: 'TOOL|FILE',
  flags: {},
  details: 'A file that describes many tools, such as a session, prints a list.',
  examples: [{ line: 'sallyport schema git_log', does: 'name, description, inputSchema, outputSchema' }],
  run: (args, cli) =>
    withTools(args, cli, { files: true, withheld: true, operand: 'TOOL or FILE' }, async ([tool, ...others]) => {
      cli.print.json(others.length === 0 ? toMcpTool(tool) : [tool, ...others].map(toMcpTool))
      return 0
    }),
})
