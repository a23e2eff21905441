import { LOCAL } from '../../core/principal.ts'
import { parsePairs } from '../args.ts'
import { ARG_FLAG } from '../call-arguments.ts'
import { defineCommand } from '../command.ts'
import { exitOf } from '../exit.ts'
import { withTools } from '../find-tool.ts'
import { makeCall } from '../make-call.ts'

export const run = defineCommand({
  operands: 'TOOL|FILE',
  details:
    'Exit codes: 0 success · 1 arguments refused · 2 the manifest does not load · 3 execution failed · 4 the output does not parse or match · 5 denied.',
  flags: {
    ...ARG_FLAG,
    approve: { does: 'you approve this very call of a tool that needs a person' },
    'allow-internal': { value: 'CIDR', repeatable: true, does: 'this call may reach that internal range' },
  },
  examples: [
    { line: 'sallyport run git_log --arg repo=.', does: 'a tool of this workspace' },
    { line: 'sallyport run tools/wc.clad.toml --arg file=README.md', does: 'the tool of a file, alone' },
  ],
  run: async (args, cli) => {
    const request = parsePairs(args.values('arg'))
    const query = { files: true, withheld: true, operand: 'TOOL or FILE', allowInternal: args.values('allow-internal') }
    return withTools(args, cli, query, async ([{ name }], gateway) => {
      const options = { principal: LOCAL, approved: args.has('approve'), explain: true }
      const outcome = await makeCall(gateway, { tool: name, args: request }, options, cli)
      return exitOf(outcome, 'run')
    })
  },
})
