import { parseIp } from '../../../lib/ip.ts'
import { judgeNul } from './hygiene.ts'
import { judgeIp, judgeNumeric, policyOf } from './host.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType } from './type.ts'

/** One canonical IPv4 or IPv6 address without a zone (ToolClad spec, Core Types; ruling 15). */
export const ipAddress: ArgumentType = {
  name: 'ip_address',
  json: 'string',
  constraints: [],
  compile: context => {
    const policy = policyOf(context)
    return {
      judge: value => {
        if (value === '') return refuse('empty', 'must not be empty')
        const address = parseIp(value)
        if (address !== undefined) return judgeIp(value, address, policy) ?? accept(value)
        return judgeNul(value) ?? judgeNumeric(value) ?? refuse('format', 'must be an IPv4 or IPv6 address')
      },
      schema: { type: 'string', minLength: 1 },
    }
  },
}
