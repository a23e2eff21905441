import type { JsonObject } from '../../../core/json.ts'
import { toDecimal } from '../../../lib/decimal.ts'
import { hasKey, pathOf, readBoolean, readNumber } from '../section.ts'
import { NUMBER } from '../spec.ts'
import { judgeNul } from './hygiene.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType, TypeContext } from './type.ts'

/** A finite number, out as the shortest plain decimal (ruling 14); `min_float` and `max_float` before `min` and `max`. */
export const number: ArgumentType = {
  name: 'number',
  json: 'number',
  constraints: ['min', 'max', 'min_float', 'max_float', 'clamp'],
  compile: context => {
    const { min, max, clamp } = readBounds(context)
    const dashed = readBoolean(context.argument, 'allow_leading_dash')
    return {
      judge: value => {
        if (value === '') return refuse('empty', 'must not be empty')
        if (!NUMBER.test(value)) return judgeNul(value) ?? refuse('format', 'must be a number in decimal digits')
        const read = Number(value)
        if (!Number.isFinite(read)) return refuse('range', 'must be a finite number')
        if (!clamp && read < min) return refuse('range', `value ${toDecimal(read)} is below min ${toDecimal(min)}`)
        if (!clamp && read > max) return refuse('range', `value ${toDecimal(read)} exceeds max ${toDecimal(max)}`)
        const result = Math.min(Math.max(read, min), max)
        // The dash rule looks at the output (ToolClad spec, Value Hygiene).
        if (result < 0 && !dashed) return refuse('leading_dash', `must not be negative, but is ${toDecimal(result)}`)
        return accept(toDecimal(result))
      },
      schema: { type: 'number', ...(clamp ? {} : boundsSchema(dashed ? min : Math.max(min, 0), max)) },
    }
  },
}

interface Bounds {
  readonly min: number
  readonly max: number
  readonly clamp: boolean
}

function readBounds({ argument, problems }: TypeContext): Bounds {
  const min = readNumber(argument, hasKey(argument, 'min_float') ? 'min_float' : 'min') ?? -Infinity
  const max = readNumber(argument, hasKey(argument, 'max_float') ? 'max_float' : 'max') ?? Infinity
  if (min > max) {
    const key = hasKey(argument, 'min_float') ? 'min_float' : 'min'
    problems.error('bad_bounds', pathOf(argument, key), `min ${toDecimal(min)} is greater than max ${toDecimal(max)}`)
  }
  return { min, max, clamp: readBoolean(argument, 'clamp') }
}

function boundsSchema(min: number, max: number): JsonObject {
  return { ...(min === -Infinity ? {} : { minimum: min }), ...(max === Infinity ? {} : { maximum: max }) }
}
