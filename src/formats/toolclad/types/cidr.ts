import { parseCidr, parseIp } from '../../../lib/ip.ts'
import { judgeRange } from '../../../lib/ranges.ts'
import { judgeBlocked, judgeCanonical, judgeNumeric, policyOf } from './host.ts'
import { judgeNul } from './hygiene.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType, Judged } from './type.ts'

/** A range in CIDR notation, refused where it overlaps a blocked one (ToolClad spec, Core Types; ruling 15). */
export const cidr: ArgumentType = {
  name: 'cidr',
  json: 'string',
  constraints: [],
  compile: context => {
    const policy = policyOf(context)
    return {
      judge: value => {
        if (value === '') return refuse('empty', 'must not be empty')
        const range = parseCidr(value)
        if (range === undefined) return judgeBroken(value)
        return (
          judgeCanonical(value.slice(0, value.indexOf('/'))) ?? judgeBlocked(judgeRange(range, policy)) ?? accept(value)
        )
      },
      schema: { type: 'string', minLength: 1 },
    }
  },
}

function judgeBroken(value: string): Judged {
  const [address = '', ...prefix] = value.split('/')
  const numeric = prefix.length === 1 && parseIp(address) === undefined ? judgeNumeric(address) : undefined
  return judgeNul(value) ?? numeric ?? refuse('format', 'must be a range such as 192.0.2.0/24')
}
