import { didYouMean, nearest } from '../../../lib/nearest.ts'
import { hasKey, readStrings } from '../section.ts'
import { judgeNul } from './hygiene.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType } from './type.ts'

/** One of the listed values, exactly as listed; what the author lists may hold any character. */
export const enumeration: ArgumentType = {
  name: 'enum',
  json: 'string',
  constraints: ['allowed'],
  compile: ({ name, argument, problems }) => {
    const allowed = new Set(readStrings(argument, 'allowed'))
    if (allowed.size === 0 && (!hasKey(argument, 'allowed') || readStrings(argument, 'allowed') !== undefined))
      problems.error(
        'enum_without_allowed',
        argument.path,
        `argument '${name}' is type 'enum' but has no 'allowed' list`,
      )
    const list = [...allowed].join(', ')
    return {
      judge: value => {
        const nul = judgeNul(value)
        if (nul !== undefined) return nul
        if (allowed.has(value)) return accept(value)
        return refuse('enum', `value not in allowed list [${list}]${didYouMean(nearest(value, allowed))}`)
      },
      schema: { type: 'string', enum: [...allowed] },
    }
  },
}
