import { DURATION } from '../spec.ts'
import { compileHygiene } from './hygiene.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType } from './type.ts'

/** Seconds, or hours, minutes, seconds and milliseconds in this order, as written: `30`, `5m`, `1h30m`, `500ms`. */
export const duration: ArgumentType = {
  name: 'duration',
  json: 'string',
  constraints: [],
  compile: context => {
    const judgeHygiene = compileHygiene(context)
    return {
      judge: value => {
        if (value === '') return refuse('empty', 'must not be empty')
        const refused = judgeHygiene(value)
        if (refused !== undefined) return refused
        return DURATION.test(value) ? accept(value) : refuse('format', 'must be a duration such as 30, 5m or 1h30m')
      },
      schema: { type: 'string', pattern: DURATION.source },
    }
  },
}
