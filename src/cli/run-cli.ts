import { ERRORS, GatewayError } from '../core/errors.ts'
import { UsageError } from './args.ts'
import { findCommand } from './command.ts'
import type { Cli } from './command.ts'
import { COMMANDS } from './commands/index.ts'
import { EXIT_INTERRUPTED, EXIT_USAGE } from './exit.ts'
import { overview } from './help-text.ts'
import { visibleLine } from './visible.ts'

/** Runs one command line and resolves with its exit code; nothing is thrown. */
export async function runCli(argv: readonly string[], cli: Cli): Promise<number> {
  const { print, signal } = cli
  try {
    const [name, ...rest] = withAliases(argv)
    if (name === undefined) {
      print.note(overview(COMMANDS))
      return EXIT_USAGE
    }
    const row = findCommand(name, COMMANDS)
    const command = await row.load()
    const code = await command.run(rest, cli, row)
    return signal.aborted && command.untilSignal !== true ? EXIT_INTERRUPTED : code
  } catch (error) {
    const code = report(error, argv[0], cli)
    return signal.aborted ? EXIT_INTERRUPTED : code
  }
}

function withAliases(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv
  if (first === '--help' || first === '-h') return ['help', ...rest]
  return first === '--version' || first === '-V' ? ['version', ...rest] : argv
}

function report(error: unknown, name: string | undefined, { print }: Cli): number {
  if (error instanceof UsageError) {
    const known = COMMANDS.some(command => command.name === name)
    print.note(`sallyport: ${visibleLine(error.message)}`)
    print.note(`"sallyport help${known ? ` ${name}` : ''}" shows how it is used.`)
    return EXIT_USAGE
  }
  if (error instanceof GatewayError) {
    print.note(`sallyport: ${visibleLine(error.message)}`)
    return ERRORS[error.code].exit
  }
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
  print.note(`sallyport: ${ERRORS.internal.message}; please report this:\n${why}`)
  return ERRORS.internal.exit
}
