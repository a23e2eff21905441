import { MAX_PORT, PORT } from '../spec.ts'
import { judgeNul } from './hygiene.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType } from './type.ts'

/** A port number, canonical: `0080` is `80`. */
export const port: ArgumentType = {
  name: 'port',
  json: 'integer',
  constraints: [],
  compile: () => ({
    judge: value => {
      if (value === '') return refuse('empty', 'must not be empty')
      if (!PORT.test(value)) return judgeNul(value) ?? refuse('format', 'port must be decimal digits')
      const number = Number(value)
      return number < 1 || number > MAX_PORT ? refuse('range', 'port must be 1-65535') : accept(String(number))
    },
    schema: { type: 'integer', minimum: 1, maximum: MAX_PORT },
  }),
}
