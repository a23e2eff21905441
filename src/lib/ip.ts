// IP addresses and ranges as numbers, without a network and without surprises: nothing is resolved, trimmed or guessed.

export interface IpRange {
  readonly version: 4 | 6
  readonly first: bigint
  readonly last: bigint
}

const BITS = { 4: 32, 6: 128 } as const

/** Four decimal octets, or IPv6 in any form of RFC 4291; no zone, no leading zeros, no other spelling. A range of one. */
export function parseIp(text: string): IpRange | undefined {
  const v4 = parseV4(text)
  if (v4 !== undefined) return { version: 4, first: v4, last: v4 }
  const v6 = parseV6(text)
  return v6 === undefined ? undefined : { version: 6, first: v6, last: v6 }
}

/** `address/prefix`; bits of the host may be set. */
export function parseCidr(text: string): IpRange | undefined {
  const [address = '', prefix = '', ...rest] = text.split('/')
  const ip = parseIp(address)
  if (ip === undefined || rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(prefix)) return undefined
  const bits = BITS[ip.version] - Number(prefix)
  if (bits < 0) return undefined
  const host = (1n << BigInt(bits)) - 1n
  return { version: ip.version, first: ip.first & ~host, last: ip.first | host }
}

/** An address or a CIDR. */
export function parseRange(text: string): IpRange | undefined {
  return parseIp(text) ?? parseCidr(text)
}

export function overlaps(a: IpRange, b: IpRange): boolean {
  return a.version === b.version && a.first <= b.last && b.first <= a.last
}

/** Whether `inner` lies in `outer` whole. */
export function covers(outer: IpRange, inner: IpRange): boolean {
  return outer.version === inner.version && outer.first <= inner.first && inner.last <= outer.last
}

/** The canonical text of an address: dotted decimal, or RFC 5952 (a mapped address ends in dotted decimal). */
export function formatIp({ version, first }: IpRange): string {
  if (version === 4) return dotted(first)
  if (first >> 32n === 0xffffn) return `::ffff:${dotted(first & 0xffffffffn)}`
  const groups = Array.from({ length: 8 }, (_, index) => ((first >> BigInt(112 - index * 16)) & 0xffffn).toString(16))
  const { start, length } = longestZeros(groups)
  if (length < 2) return groups.join(':')
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`
}

function parseV4(text: string): bigint | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (match === null) return undefined
  let value = 0n
  for (const octet of match.slice(1)) {
    if (Number(octet) > 255 || (octet.length > 1 && octet.startsWith('0'))) return undefined
    value = (value << 8n) | BigInt(octet)
  }
  return value
}

function parseV6(text: string): bigint | undefined {
  if (text.length > 45 || !/^[0-9a-fA-F:.]+$/.test(text)) return undefined
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map(half => (half === '' ? [] : groupsOf(half)))
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...head, ...Array.from({ length: halves.length === 2 ? missing : 0 }, () => 0n), ...(tail ?? [])]
  return groups.reduce((value, group) => (value << 16n) | group, 0n)
}

/** Groups of 16 bits; dotted decimal at the end is two of them. */
function groupsOf(half: string): readonly bigint[] | undefined {
  const parts = half.split(':')
  const last = parts.at(-1) ?? ''
  const v4 = last.includes('.') ? parseV4(last) : undefined
  if (last.includes('.') && v4 === undefined) return undefined
  const plain = v4 === undefined ? parts : parts.slice(0, -1)
  if (!plain.every(part => /^[0-9a-fA-F]{1,4}$/.test(part))) return undefined
  const groups = plain.map(part => BigInt(`0x${part}`))
  return v4 === undefined ? groups : [...groups, v4 >> 16n, v4 & 0xffffn]
}

function dotted(value: bigint): string {
  return [24n, 16n, 8n, 0n].map(shift => (value >> shift) & 255n).join('.')
}

function longestZeros(groups: readonly string[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === '0') length += 1
    if (length > best.length) best = { start, length }
  }
  return best
}
