import type { Args, Flag } from './args.ts'
import { GLOBAL_FLAGS, parseCommandLine, UsageError } from './args.ts'
import { didYouMean, nearest } from '../lib/nearest.ts'
import { commandHelp } from './help-text.ts'
import type { Printer } from './print.ts'

/** What a command works with. */
export interface Cli {
  readonly cwd: string
  readonly print: Printer
  /** Standard input, for arguments (`--args -`) and the stdio transport. */
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  /** Aborts at the first SIGINT or SIGTERM; the second ends the process. */
  readonly signal: AbortSignal
}

export interface Example {
  readonly line: string
  readonly does: string
}

/** What a command is called, and what it does. */
export interface CommandTitle {
  readonly name: string
  readonly summary: string
}

/** One row of the table of commands. */
export interface CommandRow extends CommandTitle {
  readonly load: () => Promise<Command>
}

/** Everything the help of a command and the dispatcher need. */
export interface Command {
  /** What follows the name, flags aside: `TOOL|FILE`. */
  readonly operands: string
  readonly details?: string
  readonly flags: Readonly<Record<string, Flag>>
  readonly examples: readonly Example[]
  /** Ends by a signal when all is well: exit code 0, not 130. */
  readonly untilSignal?: true
  /** Resolves with the exit code; `--help` prints the help under the title. @throws UsageError, GatewayError */
  readonly run: (argv: readonly string[], cli: Cli, title: CommandTitle) => Promise<number>
}

interface CommandSpec<Name extends string> extends Omit<Command, 'flags' | 'run'> {
  readonly flags: Readonly<Record<Name, Flag>>
  /** Accepted values of `--format`; text and json where absent. */
  readonly formats?: readonly string[]
  readonly run: (args: Args<Name | keyof typeof GLOBAL_FLAGS>, cli: Cli) => Promise<number>
}

/** A command whose `run` may ask for the flags it declares, and for no others. */
export function defineCommand<Name extends string>(spec: CommandSpec<Name>): Command {
  const { run, formats = ['text', 'json'], ...rest } = spec
  const flags = { ...spec.flags, ...GLOBAL_FLAGS }
  const command: Command = {
    ...rest,
    flags,
    run: async (argv, cli, title) => {
      const args = parseCommandLine(argv, { flags, formats })
      if (!args.has('help')) return run(args, cli)
      cli.print.text(commandHelp(title, command))
      return 0
    },
  }
  return command
}

/** @throws UsageError with the nearest name */
export function findCommand(name: string, rows: readonly CommandRow[]): CommandRow {
  const found = rows.find(row => row.name === name)
  if (found !== undefined) return found
  const names = rows.map(row => row.name)
  throw new UsageError(`unknown command ${JSON.stringify(name)}${didYouMean(nearest(name, names))}`)
}
