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

/**
 * Opens the gateway and finds the tool the first operand names, or the one of the file it names; `use` gets both. What is
 * not there is said on stderr and is exit code 2.
 */
export async function withTool(
  args: Args<keyof typeof GLOBAL_FLAGS>,
  cli: Cli,
  query: ToolQuery,
  use: (tool: OfferedTool, gateway: Gateway) => Promise<number>,
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
    const tools = gateway.tools(LOCAL)
    const tool = file === undefined ? tools.find(({ name }) => name === operand) : tools[0]
    if (tool !== undefined) return use(tool, gateway)
    if (file === undefined) cli.print.note(`sallyport: ${unknownTool(operand, tools)}`)
    else if (!hasErrors(problems))
      cli.print.note(`sallyport: ${basename(file)} describes no tool that can be used here`)
    return EXIT_NO_TOOL
  })
}

function namesFile(operand: string): boolean {
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
