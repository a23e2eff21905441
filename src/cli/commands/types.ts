import { DETAILS, generateTypes } from '../../catalog/typegen/index.ts'
import type { Detail } from '../../catalog/typegen/index.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { UsageError } from '../args.ts'
import { defineCommand } from '../command.ts'
import { nameOf, withApis } from '../find-api.ts'

export const types = defineCommand({
  operands: '[BACKEND|FILE]',
  flags: {
    detail: { value: 'LEVEL', does: 'names, signatures or full; default full' },
  },
  details:
    'Without a BACKEND, all of the workspace; command-line tools are "cli". The declarations of one API stand in a namespace\nof their own, and "api" has them all.',
  examples: [
    { line: 'sallyport types github', does: 'one API, with all its documentation' },
    { line: 'sallyport types --detail names', does: 'what there is, one line a tool' },
    { line: 'sallyport types > api.d.ts', does: 'for an editor or tsc' },
  ],
  run: async (args, cli) => {
    const [operand, ...rest] = args.operands
    if (rest.length > 0) throw new UsageError(`expected one BACKEND or FILE, found ${args.operands.join(' ')}`)
    const detail = readDetail(args.value('detail'))
    return withApis(operand, { args, cli }, apis => {
      const made = apis.map(({ api, tools }) => ({
        backend: nameOf(api),
        types: generateTypes(
          api,
          tools.map(({ tool }) => tool),
          { detail },
        ),
      }))
      if (args.format === 'json') cli.print.json(made)
      else if (made.length === 0) cli.print.note('No tools: see sallyport list.')
      else
        cli.print.text(
          made
            .map(one => one.types)
            .join('\n')
            .trimEnd(),
        )
      return Promise.resolve(0)
    })
  },
})

function readDetail(given = 'full'): Detail {
  const detail = DETAILS.find(level => level === given)
  if (detail !== undefined) return detail
  const meant = didYouMean(nearest(given, DETAILS))
  throw new UsageError(`--detail ${JSON.stringify(given)}: expected ${DETAILS.join(', ')}${meant}`)
}
