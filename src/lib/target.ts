// Where a validated value of a network type leads (ToolClad spec, Core Types). What was judged is what is found here.
import { parseIp, parseRange } from './ip.ts'
import type { IpRange } from './ip.ts'

/** A host name (lower case, without the dot at its end), or an address or range. `port` only where the value names or implies one. */
export type Target =
  | { readonly kind: 'name'; readonly host: string; readonly port?: number }
  | { readonly kind: 'range'; readonly range: IpRange; readonly port?: number }

/** @throws TypeError for a value that its type refuses */
export function targetOf(type: string, value: string): Target {
  if (type !== 'url') return toTarget(value)
  const [, scheme = '', host = '', port] =
    /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#:]+)(?::(\d+))?(?:[/?#]|$)/.exec(value) ?? []
  if (host === '') throw new TypeError('not a URL that was validated')
  const implied = new Map([
    ['http', 80],
    ['https', 443],
  ]).get(scheme.toLowerCase())
  const number = port === undefined ? implied : Number(port)
  return { ...toTarget(host), ...(number === undefined ? {} : { port: number }) }
}

function toTarget(text: string): Target {
  const range = text.includes('/') ? parseRange(text) : parseIp(text)
  if (range !== undefined) return { kind: 'range', range }
  return { kind: 'name', host: text.toLowerCase().replace(/\.$/, '') }
}
