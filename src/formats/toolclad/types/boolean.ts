import { BOOLEAN } from '../spec.ts'
import { judgeNul } from './hygiene.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType } from './type.ts'

/** `true` or `false` in any case, out in lower case. */
export const boolean: ArgumentType = {
  name: 'boolean',
  json: 'boolean',
  constraints: [],
  compile: () => ({
    judge: value => {
      if (value === '') return refuse('empty', 'must not be empty')
      if (BOOLEAN.test(value)) return accept(value.toLowerCase())
      return judgeNul(value) ?? refuse('format', 'must be true or false')
    },
    schema: { type: 'boolean' },
  }),
}
