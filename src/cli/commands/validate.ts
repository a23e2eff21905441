import { resolve } from 'node:path'
import { hasErrors } from '../../core/diagnostic.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { FORMATS } from '../../formats/index.ts'
import { validateFiles } from '../../gateway.ts'
import type { ValidateOptions } from '../../gateway.ts'
import { UsageError } from '../args.ts'
import { codeFrame } from '../code-frame.ts'
import { defineCommand } from '../command.ts'
import type { Cli } from '../command.ts'
import { githubLines, sarif } from '../lint-formats.ts'
import { openWorkspace, shortName, textOf } from '../open-workspace.ts'

export const validate = defineCommand({
  operands: 'FILE…',
  details: 'Exits with 1 where a file has an error.',
  flags: {
    publish: { does: 'also what a registry asks of an API document' },
    against: { value: 'OLD', does: 'what an API document owes to the version before' },
    strict: { does: 'warnings count as errors' },
    'allow-unknown-keys': { does: 'unknown keys are warnings' },
  },
  formats: ['text', 'json', 'sarif', 'github'],
  examples: [
    { line: 'sallyport validate tools/*.clad.toml', does: 'each problem with its line' },
    { line: 'sallyport validate --publish apis/*.dadl', does: 'as strict as a registry' },
    { line: 'sallyport validate tools/*.clad.toml --format github', does: 'annotations in a pull request' },
    { line: 'sallyport validate tools/*.clad.toml --format sarif', does: 'for code scanning' },
  ],
  run: async (args, cli) => {
    if (args.operands.length === 0) throw new UsageError('validate: expected FILE…')
    const { settings } = await openWorkspace(args, cli)
    const files = args.operands.map(file => resolve(cli.cwd, file))
    const against = args.value('against')
    if (against !== undefined && args.operands.length > 1)
      throw new UsageError('validate --against OLD: expected one FILE to compare with')
    const profile = args.has('publish') ? 'publish' : 'validate'
    const shown = cli.print.progress('Validating')
    const found = await validateFiles(files, {
      settings,
      allowUnknownKeys: args.has('allow-unknown-keys'),
      profile,
      ...(against === undefined ? {} : { against: resolve(cli.cwd, against) }),
    }).finally(shown.stop)
    const strict = args.has('strict')
    const judged = found.map(({ file: path, format, diagnostics }, index) => {
      const file = args.operands[index] ?? path
      const ok = strict ? diagnostics.length === 0 : !hasErrors(diagnostics)
      // Also the project's files are judged, and their problems stand there.
      const placed = (problem: Diagnostic): Diagnostic => ({
        ...problem,
        file: problem.file === path ? file : (shortName(problem.file, cli.cwd) ?? file),
      })
      const judgedAs = format === FORMATS.dadl.kind ? ({ profile } as const) : {}
      return { file, format, ...judgedAs, ok, diagnostics: diagnostics.map(placed) }
    })
    await show(judged, args.format, cli)
    return judged.every(({ ok }) => ok) ? 0 : 1
  },
})

/** One file as the JSON of `validate` has it. */
interface JudgedFile {
  /** As it was named. */
  readonly file: string
  readonly format: string
  /** Of an API document: how strictly it was judged. */
  readonly profile?: ValidateOptions['profile']
  readonly ok: boolean
  readonly diagnostics: readonly Diagnostic[]
}

async function show(files: readonly JudgedFile[], format: string, cli: Cli): Promise<void> {
  const { print } = cli
  if (format === 'json') print.json({ ok: files.every(({ ok }) => ok), files })
  else if (format === 'sarif') print.json(sarif(files))
  else if (format === 'github') for (const line of githubLines(files)) print.text(line)
  else await showFrames(files, cli)
}

async function showFrames(files: readonly JudgedFile[], { print, cwd }: Cli): Promise<void> {
  for (const { file, ok, diagnostics } of files) {
    for (const [place = file, group] of Map.groupBy(diagnostics, found => found.file)) {
      const text = await textOf(resolve(cwd, place))
      for (const problem of group) print.text(`${codeFrame(problem, { style: print.style, text })}\n`)
    }
    print.text(`${ok ? print.style('green', '✔') : print.style('red', '✖')} ${file}`)
  }
}
