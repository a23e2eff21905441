import { MSF_OPTION, MSF_SEPARATOR } from '../spec.ts'
import { compileHygiene } from './hygiene.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType } from './type.ts'

/** `set KEY VALUE` pairs, parted by `;` (ruling 29). Spaces and `;` are its separators; all else is judged like text. */
export const msfOptions: ArgumentType = {
  name: 'msf_options',
  json: 'string',
  constraints: [],
  compile: context => {
    const judgeHygiene = compileHygiene({ ...context, separators: true })
    return {
      judge: value => {
        if (value === '') return refuse('empty', 'must not be empty')
        const refused = judgeHygiene(value)
        if (refused !== undefined) return refused
        const wrong = value.split(MSF_SEPARATOR).find(option => !MSF_OPTION.test(option))
        if (wrong === undefined) return accept(value)
        return refuse('format', `must be "set KEY VALUE" pairs parted by ";", but has "${wrong}"`)
      },
      schema: { type: 'string', minLength: 1 },
    }
  },
}
