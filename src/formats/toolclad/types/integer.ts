import type { JsonObject } from '../../../core/json.ts'
import { pathOf, readBoolean, readInteger } from '../section.ts'
import { INTEGER, MAX_INT64, MIN_INT64 } from '../spec.ts'
import { judgeNul } from './hygiene.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType, TypeContext } from './type.ts'

/** A signed 64-bit integer, out as canonical decimal (ruling 14): `+42` → `42`, `007` → `7`, `-0` → `0`. */
export const integer: ArgumentType = {
  name: 'integer',
  json: 'integer',
  constraints: ['min', 'max', 'clamp'],
  compile: context => {
    const { min, max, clamp } = readBounds(context)
    const dashed = readBoolean(context.argument, 'allow_leading_dash')
    return {
      judge: value => {
        if (value === '') return refuse('empty', 'must not be empty')
        if (!INTEGER.test(value)) return judgeNul(value) ?? refuse('format', 'must be a whole number in decimal digits')
        const number = toInt64(value)
        if (number === undefined) return refuse('range', 'must fit 64 bits')
        if (!clamp && min !== undefined && number < min) return refuse('range', `value ${number} is below min ${min}`)
        if (!clamp && max !== undefined && number > max) return refuse('range', `value ${number} exceeds max ${max}`)
        const result = min !== undefined && number < min ? min : max !== undefined && number > max ? max : number
        // The dash rule looks at the output (ToolClad spec, Value Hygiene).
        if (result < 0n && !dashed) return refuse('leading_dash', `must not be negative, but is ${result}`)
        return accept(String(result))
      },
      schema: { type: 'integer', ...(clamp ? {} : boundsSchema(dashed ? min : atLeast0(min), max)) },
    }
  },
}

interface Bounds {
  readonly min: bigint | undefined
  readonly max: bigint | undefined
  readonly clamp: boolean
}

function readBounds({ argument, problems }: TypeContext): Bounds {
  const min = readInteger(argument, 'min')
  const max = readInteger(argument, 'max')
  if (min !== undefined && max !== undefined && min > max)
    problems.error('bad_bounds', pathOf(argument, 'min'), `min ${min} is greater than max ${max}`)
  return { min, max, clamp: readBoolean(argument, 'clamp') }
}

/** The digits are counted first: converting a very long number costs more than its length. */
function toInt64(value: string): bigint | undefined {
  const digits = value.replace(/^[+-]?0*/, '')
  if (digits.length > 19) return undefined
  const number = value.startsWith('-') ? -BigInt(digits || '0') : BigInt(digits || '0')
  return number < MIN_INT64 || number > MAX_INT64 ? undefined : number
}

function atLeast0(min: bigint | undefined): bigint {
  return min === undefined || min < 0n ? 0n : min
}

/** Bounds that no JSON number holds exactly are not shown. */
function boundsSchema(min: bigint | undefined, max: bigint | undefined): JsonObject {
  return { ...(isExact(min) ? { minimum: Number(min) } : {}), ...(isExact(max) ? { maximum: Number(max) } : {}) }
}

function isExact(bound: bigint | undefined): bound is bigint {
  return bound !== undefined && Number.isSafeInteger(Number(bound))
}
