import { basename, resolve } from 'node:path'
import { hasErrors } from '../core/diagnostic.ts'
import { LOCAL } from '../core/principal.ts'
import { FORMATS } from '../formats/index.ts'
import type { Gateway, OfferedTool } from '../gateway.ts'
import { didYouMean, nearest } from '../lib/nearest.ts'
import type { Args, GLOBAL_FLAGS } from './args.ts'
import { UsageError } from './args.ts'
import type { Cli } from './command.ts'
import { noteFrames, noteProblems, openWorkspace, withGateway } from './open-workspace.ts'

/** Of a tool that is not there, and of a file that does not load. */
export const EXIT_NO_TOOL = 2

export interface ToolQuery {
  /** Whether a file may be named instead of a tool. */
  readonly files: boolean
  /** Whether a tool that is not offered can be asked for. */
  readonly withheld: boolean
  /** What a missing operand is called. */
  readonly operand: string
  /** Values of `--allow-internal`. */
  readonly allowInternal?: readonly string[]
}

/** The one operand a command of that kind takes. @throws UsageError */
export function oneOperand(operands: readonly string[], what: string): string {
  const [operand, ...rest] = operands
  if (operand === undefined) throw new UsageError(`expected ${what}`)
  if (rest.length > 0) throw new UsageError(`expected one ${what}, found ${operands.length}: ${operands.join(' ')}`)
  return operand
}

/** A file may describe many: the commands of a session. */
export type FoundTools = readonly [OfferedTool, ...OfferedTool[]]

/**
 * Opens the gateway and finds the tool the first operand names, or those of the file it names; `use` gets them. What is not
 * there is said on stderr and is exit code 2.
 */
export async function withTools(
  args: Args<keyof typeof GLOBAL_FLAGS>,
  cli: Cli,
  query: ToolQuery,
  use: (tools: FoundTools, gateway: Gateway) => Promise<number>,
): Promise<number> {
  const operand = oneOperand(args.operands, query.operand)
  const file = query.files && namesFile(operand) ? resolve(cli.cwd, operand) : undefined
  const { allowInternal = [] } = query
  const { settings } = await openWorkspace(args, cli, { allowInternal })
  const chosen = file === undefined ? settings : { ...settings, files: [file] }
  return withGateway(chosen, cli, async gateway => {
    const problems = gateway.problems()
    if (file === undefined) noteProblems(problems, cli)
    else await noteFrames(problems, cli)
    const withheld = gateway.withheld(LOCAL)
    const tools = query.withheld ? [...gateway.tools(LOCAL), ...withheld] : gateway.tools(LOCAL)
    const named = ({ name, tool }: OfferedTool): boolean =>
      name === operand || (tool.family !== undefined && tool.name === operand)
    const [first, ...others] = file === undefined ? tools.filter(named).slice(0, 1) : tools
    if (first !== undefined) return use([first, ...others], gateway)
    const kept = withheld.find(named)
    if (kept !== undefined) cli.print.note(`sallyport: ${kept.name} is not offered: ${kept.withheld.reason}`)
    else if (file === undefined) cli.print.note(`sallyport: ${unknownTool(operand, tools)}`)
    else if (!hasErrors(problems))
      cli.print.note(`sallyport: ${basename(file)} describes no tool that can be used here`)
    return EXIT_NO_TOOL
  })
}

/** A path or the name of a tool description, rather than that of a tool or an API. */
export function namesFile(operand: string): boolean {
  return operand.includes('/') || Object.values(FORMATS).some(({ extension }) => operand.endsWith(extension))
}

function unknownTool(name: string, tools: readonly OfferedTool[]): string {
  const meant = nearest(
    name,
    tools.map(tool => tool.name),
  )
  const advice = meant === undefined ? '; "sallyport list" shows what there is' : ''
  return `there is no tool ${JSON.stringify(name)}${didYouMean(meant)}${advice}`
}
