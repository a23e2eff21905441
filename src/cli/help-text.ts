import type { Flag } from './args.ts'
import type { Command, CommandTitle } from './command.ts'

/** The commands, one line each. */
export function overview(commands: readonly CommandTitle[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const)
  return [
    'sallyport: one governed door between AI agents and real systems',
    '',
    'usage: sallyport COMMAND … [--format text|json] [--config FILE] [--state DIR]',
    '',
    ...columns(rows),
    '',
    '"sallyport help COMMAND" explains one, with examples.',
  ].join('\n')
}

export function commandHelp({ name, summary }: CommandTitle, { operands, details, flags, examples }: Command): string {
  const rows = Object.entries(flags).map(([flag, spec]) => [flagUsage(flag, spec), spec.does] as const)
  return [
    `sallyport ${name}: ${summary}`,
    '',
    `usage: ${['sallyport', name, operands, '[FLAG]…'].filter(part => part !== '').join(' ')}`,
    ...(details === undefined ? [] : ['', details]),
    '',
    'flags:',
    ...columns(rows),
    '',
    'examples:',
    ...examples.flatMap(({ line, does }) => [`  # ${does}`, `  ${line}`]),
  ].join('\n')
}

function flagUsage(name: string, { value, repeatable }: Flag): string {
  return `--${name}${value === undefined ? '' : ` ${value}`}${repeatable === true ? ' …' : ''}`
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
