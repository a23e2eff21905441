import { defineCommand } from '../command.ts'
import { withTool } from '../find-tool.ts'

export const schema = defineCommand({
  name: 'schema',
  summary: 'print a tool as MCP clients see it',
  operands: 'TOOL|FILE',
  flags: {},
  examples: [{ line: 'sallyport schema git_log', does: 'name, description, inputSchema, outputSchema' }],
  run: (args, cli) =>
    withTool(args, cli, { files: true, operand: 'TOOL or FILE' }, async offered => {
      const { toMcpTool } = await import('../../server/mcp/server.ts') // only here: the protocol is slow to load
      cli.print.json(toMcpTool(offered))
      return 0
    }),
})
