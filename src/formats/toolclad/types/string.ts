import { readBoolean } from '../section.ts'
import { compileHygiene } from './hygiene.ts'
import { readPattern } from './pattern.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType } from './type.ts'

/** Injection-safe text, with an optional `pattern` for the whole of it. */
export const string: ArgumentType = {
  name: 'string',
  json: 'string',
  constraints: ['pattern'],
  compile: context => {
    const judgeHygiene = context.hygiene ?? compileHygiene(context)
    const pattern = readPattern(context)
    const emptyAllowed = pattern === undefined ? !readBoolean(context.argument, 'required') : pattern.test('')
    return {
      judge: value => {
        if (value === '' && !emptyAllowed) return refuse('empty', 'must not be empty')
        const refused = judgeHygiene(value)
        if (refused !== undefined) return refused
        if (pattern !== undefined && !pattern.test(value))
          return refuse('pattern', `must match the pattern ${pattern.source} as a whole`)
        return accept(value)
      },
      schema: { type: 'string', ...(emptyAllowed ? {} : { minLength: 1 }), ...pattern?.schema },
    }
  },
}
