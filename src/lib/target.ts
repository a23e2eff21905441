// Where a validated value of a network type leads (ToolClad spec, Core Types). What was judged is what is found here.
import { parseIp, parseRange } from './ip.ts'
import type { IpRange } from './ip.ts'
import { splitUrl } from './url.ts'

/** A host name (lower case, without the dot at its end), or an address or range. `port` only where the value names or implies one. */
export type Target =
  | { readonly kind: 'name'; readonly host: string; readonly port?: number }
  | { readonly kind: 'range'; readonly range: IpRange; readonly port?: number }

const DEFAULT_PORTS: ReadonlyMap<string, number> = new Map([
  ['http', 80],
  ['https', 443],
  ['ws', 80],
  ['wss', 443],
])

/** @throws TypeError for a value that its type refuses */
export function targetOf(type: string, value: string): Target {
  if (type !== 'url') return toTarget(value)
  const split = splitUrl(value)
  if (split === undefined) throw new TypeError('not a URL that was validated')
  const { scheme, host, port } = split
  const number = port === undefined ? DEFAULT_PORTS.get(scheme.toLowerCase()) : Number(port)
  return { ...toTarget(host), ...(number === undefined ? {} : { port: number }) }
}

function toTarget(text: string): Target {
  const range = text.includes('/') ? parseRange(text) : parseIp(text)
  if (range !== undefined) return { kind: 'range', range }
  return { kind: 'name', host: text.toLowerCase().replace(/\.$/, '') }
}
