import { hasKey } from '../section.ts'
import { compileHygiene } from './hygiene.ts'
import { readPattern } from './pattern.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType } from './type.ts'

/** Text whose whole must match a `pattern`, without which the type means nothing. */
export const regexMatch: ArgumentType = {
  name: 'regex_match',
  json: 'string',
  constraints: ['pattern'],
  compile: context => {
    const { name, argument, problems } = context
    const judgeHygiene = compileHygiene(context)
    const pattern = readPattern(context)
    if (!hasKey(argument, 'pattern'))
      problems.error('pattern_missing', argument.path, `argument '${name}' is type 'regex_match' but has no 'pattern'`)
    const emptyAllowed = pattern?.test('') === true
    return {
      judge: value => {
        if (value === '' && !emptyAllowed) return refuse('empty', 'must not be empty')
        const refused = judgeHygiene(value)
        if (refused !== undefined) return refused
        if (pattern?.test(value) === true) return accept(value)
        return refuse('pattern', `must match the pattern ${pattern?.source ?? ''} as a whole`)
      },
      schema: { type: 'string', ...(emptyAllowed ? {} : { minLength: 1 }), ...pattern?.schema },
    }
  },
}
