import { UsageError } from '../args.ts'
import { defineCommand, findCommand } from '../command.ts'
import type { Command, CommandRow } from '../command.ts'
import { commandHelp, overview } from '../help-text.ts'

/** Help needs the table it is part of. */
export function helpCommand(table: readonly CommandRow[]): Command {
  return defineCommand({
    operands: '[COMMAND]',
    flags: {},
    examples: [{ line: 'sallyport help run', does: 'what run takes, with examples' }],
    run: async ({ operands: [name, ...rest] }, { print }) => {
      if (rest.length > 0) throw new UsageError('help: expected one COMMAND')
      if (name === undefined) print.text(overview(table))
      else {
        const row = findCommand(name, table)
        print.text(commandHelp(row, await row.load()))
      }
      return 0
    },
  })
}
