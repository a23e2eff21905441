import { didYouMean, nearest } from '../../lib/nearest.ts'
import { UsageError } from '../args.ts'
import { defineCommand } from '../command.ts'
import type { Command } from '../command.ts'
import { commandHelp, overview } from '../help-text.ts'

/** Help needs the table it is part of. */
export function helpCommand(table: () => readonly Command[]): Command {
  return defineCommand({
    name: 'help',
    summary: 'explain a command',
    operands: '[COMMAND]',
    flags: {},
    examples: [{ line: 'sallyport help run', does: 'what run takes, with examples' }],
    run: ({ operands: [name, ...rest] }, { print }) => {
      if (rest.length > 0) throw new UsageError('help: expected one COMMAND')
      print.text(name === undefined ? overview(table()) : commandHelp(findCommand(name, table())))
      return Promise.resolve(0)
    },
  })
}

/** @throws UsageError with the nearest name */
export function findCommand(name: string, commands: readonly Command[]): Command {
  const found = commands.find(command => command.name === name)
  if (found !== undefined) return found
  const names = commands.map(command => command.name)
  throw new UsageError(`unknown command ${JSON.stringify(name)}${didYouMean(nearest(name, names))}`)
}
