// Which addresses and names are out of reach (ToolClad spec, Host and IP policy; ruling ToolClad 16). One place for all.
import { covers, overlaps, parseCidr, parseIp } from './ip.ts'
import type { IpRange } from './ip.ts'

export interface TargetPolicy {
  /** Also refuse loopback, private, reserved and documentation ranges, and names that mean them. */
  readonly blockInternal: boolean
  /** Ranges a deployment exempts; never the always-blocked ones. */
  readonly allow: readonly IpRange[]
}

export type Block = 'always_blocked' | 'internal'

const ALWAYS_V4 = ranges('169.254.0.0/16 100.100.100.200/32 168.63.129.16/32 192.0.0.192/32')
const ALWAYS_V6 = ranges('fe80::/10 fd00:ec2::/64 fd20:ce::254/128')
const ALWAYS_HOSTS: ReadonlySet<string> = new Set(
  `metadata.google.internal metadata.goog metadata instance-data instance-data.ec2.internal metadata.tencentyun.com
  metadata.oraclecloud.com metadata.packet.net metadata.platformequinix.com rancher-metadata`.split(/\s+/),
)

const INTERNAL_V4 = ranges(
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16
  198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`,
)
/** Everything outside 2000::/3 but the mapped and NAT64 addresses, which are judged by the address inside. */
const INTERNAL_V6: readonly IpRange[] = [
  between('::', '::fffe:ffff:ffff'),
  between('::1:0:0:0', '64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff'),
  between('64:ff9b::1:0:0', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
  between('4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
  ...ranges('2001::/23 2001:db8::/32 3fff::/20'),
]
const INTERNAL_SUFFIXES =
  `localhost localdomain local internal intranet lan home home.arpa corp private svc consul test invalid
  example onion`.split(/\s+/)

/** Where an IPv4 address stands inside an IPv6 one: the prefix, and the bits that follow the address. */
const IMAGES = [
  { prefix: 0xffffn << 32n, shift: 0n },
  { prefix: 0x64ff9bn << 96n, shift: 0n },
  { prefix: 0x2002n << 112n, shift: 80n },
] as const

const ALWAYS = [...ALWAYS_V4, ...ALWAYS_V4.flatMap(imagesOf), ...ALWAYS_V6]
const INTERNAL = [...INTERNAL_V4, ...INTERNAL_V4.flatMap(imagesOf), ...INTERNAL_V6]

/** Judges an address or a whole range: one blocked address in it blocks the range. */
export function judgeRange(range: IpRange, { blockInternal, allow }: TargetPolicy): Block | undefined {
  if (ALWAYS.some(blocked => overlaps(blocked, range))) return 'always_blocked'
  if (!blockInternal || !INTERNAL.some(blocked => overlaps(blocked, range))) return undefined
  const exempt = allow.some(allowed => covers(allowed, range) || imagesOf(allowed).some(image => covers(image, range)))
  return exempt ? undefined : 'internal'
}

/**
 * Judges the host of a URL before anything is resolved: an address (IPv6 without its brackets) by the ranges, a name by
 * what it says about itself.
 */
export function judgeHost(host: string, policy: TargetPolicy): Block | undefined {
  const literal = parseIp(host)
  return literal === undefined ? judgeName(host, policy) : judgeRange(literal, policy)
}

/** The IPv4 range that a range of mapped, NAT64 or 6to4 addresses stands for; else the range itself (ruling ToolClad 15). */
export function embeddedRange(range: IpRange): IpRange {
  if (range.version === 4) return range
  const image = IMAGES.find(({ prefix, shift }) =>
    [range.first, range.last].every(address => address >> (shift + 32n) === prefix >> (shift + 32n)),
  )
  if (image === undefined) return range
  const inside = (address: bigint): bigint => (address >> image.shift) & 0xffffffffn
  return { version: 4, first: inside(range.first), last: inside(range.last) }
}

/** Whether an address of `range` is one of `rule`, an IPv4 rule taking in its images in IPv6 (ruling ToolClad 15). */
export function blocks(rule: IpRange, range: IpRange): boolean {
  const plain = embeddedRange(rule)
  return [plain, ...imagesOf(plain)].some(part => overlaps(part, range))
}

/**
 * Judges a host name by itself, before it is resolved: metadata hosts, internal suffixes, single labels, and names that
 * spell an address. `hasExemptions` leaves the second half to the addresses the name resolves to (ruling ToolClad 17).
 */
export function judgeName(host: string, { blockInternal, allow }: TargetPolicy): Block | undefined {
  const name = host.toLowerCase().replace(/\.$/, '')
  if (ALWAYS_HOSTS.has(name)) return 'always_blocked'
  if (!blockInternal || allow.length > 0) return undefined
  if (!name.includes('.') || INTERNAL_SUFFIXES.some(suffix => name.endsWith(`.${suffix}`))) return 'internal'
  return spellsAddress(name) ? 'internal' : undefined
}

/** Four octets parted by `.` or by `-`, or eight hex digits that are a blocked address, each bounded by `.`, `-` or an end. */
function spellsAddress(name: string): boolean {
  if (/(?:^|[.-])\d{1,3}([.-])\d{1,3}\1\d{1,3}\1\d{1,3}(?=$|[.-])/.test(name)) return true
  return [...name.matchAll(/(?<=^|[.-])[0-9a-f]{8}(?=$|[.-])/g)].some(([digits]) => {
    const value = BigInt(`0x${digits}`)
    const range = { version: 4, first: value, last: value } as const
    return judgeRange(range, { blockInternal: true, allow: [] }) !== undefined
  })
}

/** Where the addresses of an IPv4 range stand inside IPv6 (ruling ToolClad 15). */
function imagesOf({ version, first, last }: IpRange): readonly IpRange[] {
  if (version === 6) return []
  return IMAGES.map(({ prefix, shift }) => ({
    version: 6,
    first: prefix | (first << shift),
    last: prefix | (last << shift) | ((1n << shift) - 1n),
  }))
}

function ranges(list: string): readonly IpRange[] {
  return list.split(/\s+/).map(text => between(text, text))
}

function between(from: string, to: string): IpRange {
  const first = parseCidr(from.includes('/') ? from : `${from}/128`)
  const last = parseCidr(to.includes('/') ? to : `${to}/128`)
  if (first === undefined || last === undefined) throw new TypeError(`not a range: ${from} ${to}`)
  return { version: first.version, first: first.first, last: last.last }
}
