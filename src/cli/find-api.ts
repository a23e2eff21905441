import { resolve } from 'node:path'
import type { OfferedApi } from '../catalog/offered-apis.ts'
import { codeName } from '../catalog/typegen/names.ts'
import { COMMAND_LINE } from '../catalog/typegen/index.ts'
import { hasErrors } from '../core/diagnostic.ts'
import { LOCAL } from '../core/principal.ts'
import type { OfferedTool } from '../gateway.ts'
import { didYouMean, nearest } from '../lib/nearest.ts'
import type { Args, GLOBAL_FLAGS } from './args.ts'
import type { Cli } from './command.ts'
import { EXIT_NO_TOOL, namesFile } from './find-tool.ts'
import { noteFrames, noteProblems, openWorkspace, withGateway } from './open-workspace.ts'

export type FoundApi = OfferedApi<OfferedTool>

/**
 * Opens the gateway and finds the API that is named, or those of the file that is; without an operand all there are. What is
 * not there is said on stderr and is exit code 2.
 */
export async function withApis(
  operand: string | undefined,
  { args, cli }: { readonly args: Args<keyof typeof GLOBAL_FLAGS>; readonly cli: Cli },
  use: (apis: readonly FoundApi[]) => Promise<number>,
): Promise<number> {
  const file = operand !== undefined && namesFile(operand) ? resolve(cli.cwd, operand) : undefined
  const { settings } = await openWorkspace(args, cli)
  const chosen = file === undefined ? settings : { ...settings, files: [file] }
  return withGateway(chosen, cli, async gateway => {
    const problems = gateway.problems()
    if (file === undefined) noteProblems(problems, cli)
    else await noteFrames(problems, cli)
    const apis = gateway.apis(LOCAL)
    if (operand === undefined) return use(apis)
    const found = file === undefined ? apis.filter(({ api }) => nameOf(api) === operand) : apis
    if (found.length > 0) return use(found)
    if (file === undefined) cli.print.note(`sallyport: ${unknownApi(operand, apis)}`)
    else if (!hasErrors(problems)) cli.print.note(`sallyport: ${operand} describes nothing that can be used here`)
    return EXIT_NO_TOOL
  })
}

/** As code calls it, and as it is asked for. */
export function nameOf(api: FoundApi['api']): string {
  return api === COMMAND_LINE ? api.name : codeName(api.name)
}

function unknownApi(name: string, apis: readonly FoundApi[]): string {
  const names = apis.map(({ api }) => nameOf(api))
  const meant = nearest(name, names)
  const known = names.length === 0 ? 'there is none in this workspace' : `there are ${names.join(', ')}`
  return `there is no API ${JSON.stringify(name)}${didYouMean(meant)}; ${known}`
}
