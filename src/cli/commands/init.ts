import { join } from 'node:path'
import { hasErrors } from '../../core/diagnostic.ts'
import { FORMATS } from '../../formats/index.ts'
import { writeNew } from '../../io/files.ts'
import { UsageError } from '../args.ts'
import { defineCommand } from '../command.ts'
import { oneOperand } from '../find-tool.ts'
import { openWorkspace, shortName } from '../open-workspace.ts'
import { scaffold } from '../scaffold.ts'
import { visibleLine } from '../visible.ts'

export const init = defineCommand({
  operands: 'NAME',
  details: 'Writes tools/NAME.clad.toml in the workspace; a file that is there already is left alone, exit code 1.',
  flags: {},
  examples: [{ line: 'sallyport init greet', does: 'writes tools/greet.clad.toml, which runs as it is' }],
  run: async (args, cli) => {
    const name = oneOperand(args.operands, 'NAME')
    const text = scaffold(name)
    if (hasErrors(FORMATS.toolclad.load(text, { root: cli.cwd }).diagnostics))
      throw new UsageError(
        `init ${JSON.stringify(name)}: a tool name is at most 64 letters, digits, _ and -, beginning with a letter`,
      )
    const { settings } = await openWorkspace(args, cli)
    const file = join(settings.workspace, 'tools', `${name}${FORMATS.toolclad.extension}`)
    const shown = visibleLine(shortName(file, cli.cwd) ?? file)
    const problem = await writeNew(file, text)
    if (problem !== undefined) {
      cli.print.note(`sallyport: ${shown} was not written: ${problem}`)
      return 1
    }
    if (args.format === 'json') cli.print.json({ name, file })
    else cli.print.text(`Wrote ${shown}. It runs as it is: sallyport run ${name}\nThen make it your own.`)
    return 0
  },
})
