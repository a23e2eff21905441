import { defineCommand } from '../command.ts'
import { withApis } from '../find-api.ts'
import { oneOperand } from '../find-tool.ts'
import { apiJson, apiText } from '../show-api.ts'

export const show = defineCommand({
  operands: 'BACKEND|FILE',
  flags: {},
  details: 'Credentials are named; their values are never shown.',
  examples: [
    { line: 'sallyport show github', does: 'for people' },
    { line: 'sallyport show github --json', does: 'the same for a program' },
  ],
  run: async (args, cli) => {
    const operand = oneOperand(args.operands, 'BACKEND or FILE')
    return withApis(operand, { args, cli }, apis => {
      const shown = apis.map(apiJson)
      const [only] = shown
      if (args.format === 'json') cli.print.json(shown.length === 1 ? only : shown)
      else cli.print.text(apis.map(api => apiText(api, cli)).join('\n\n'))
      return Promise.resolve(0)
    })
  },
})
