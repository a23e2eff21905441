import { LOCAL } from '../../core/principal.ts'
import { ARG_FLAG, ARGS_FLAG, callArguments } from '../call-arguments.ts'
import { defineCommand } from '../command.ts'
import { exitOf } from '../exit.ts'
import { withTools } from '../find-tool.ts'
import { makeCall } from '../make-call.ts'

export const call = defineCommand({
  operands: 'TOOL',
  details:
    'Exit codes: 0 success · 1 arguments refused · 2 unknown tool · 3 the backend failed · 4 its answer cannot be read · 5 denied or approval needed · 6 not configured.',
  flags: { ...ARG_FLAG, ...ARGS_FLAG },
  examples: [
    { line: `sallyport call word_count --args '{"file": "README.md"}'`, does: 'arguments as JSON' },
    { line: 'sallyport call word_count --args @arguments.json', does: 'arguments from a file; - reads standard input' },
    { line: 'sallyport call word_count --arg file=README.md', does: 'arguments one by one' },
  ],
  run: async (args, cli) => {
    const request = await callArguments(args, cli)
    return withTools(args, cli, { files: false, withheld: false, operand: 'TOOL' }, async ([{ name }], gateway) => {
      const outcome = await makeCall(gateway, { tool: name, args: request }, { principal: LOCAL }, cli)
      return exitOf(outcome, 'call')
    })
  },
})
