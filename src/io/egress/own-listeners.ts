import { networkInterfaces } from 'node:os'
import { covers, parseCidr, parseIp } from '../../lib/ip.ts'
import type { IpRange } from '../../lib/ip.ts'
import { embeddedRange } from '../../lib/ranges.ts'

/** An address and port this gateway itself listens on. */
export interface Listener {
  readonly address: string
  readonly port: number
}

/** Whether a connection would come back to this gateway, by whatever address of this machine (ruling ToolClad 17). */
export function isOwnListener(address: IpRange, port: number, listeners: readonly Listener[]): boolean {
  const target = embeddedRange(address)
  return listeners.some(listener => {
    if (listener.port !== port) return false
    const own = parseIp(listener.address)
    if (own === undefined) return true // listening on a name: which address that is cannot be told here
    // Connecting to the unspecified address reaches loopback; listening on it takes in every address of this machine.
    if (isUnspecified(own)) return isUnspecified(target) || isOfThisMachine(target)
    return isUnspecified(target) || covers(embeddedRange(own), target)
  })
}

const LOOPBACK = [parseCidr('127.0.0.0/8'), parseCidr('::1/128')]

function isUnspecified({ first }: IpRange): boolean {
  return first === 0n
}

function isOfThisMachine(target: IpRange): boolean {
  const own = Object.values(networkInterfaces()).flatMap(list => list?.map(({ address }) => parseIp(address)) ?? [])
  return [...LOOPBACK, ...own].some(range => range !== undefined && covers(range, target))
}
