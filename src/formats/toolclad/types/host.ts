// What names a host or a range (ToolClad spec, Host and IP policy; rulings 15 to 17). One judgement for every network type.
import { formatIp, parseCidr, parseIp } from '../../../lib/ip.ts'
import type { IpRange } from '../../../lib/ip.ts'
import { judgeName, judgeRange } from '../../../lib/ranges.ts'
import type { Block, TargetPolicy } from '../../../lib/ranges.ts'
import { readBoolean } from '../section.ts'
import { HOST_NAME, MAX_HOST_LENGTH, MAX_LABEL_LENGTH, NUMERIC_LABEL } from '../spec.ts'
import { refuse } from './type.ts'
import type { Judged, TypeContext } from './type.ts'

/** What the argument and the deployment say of addresses. */
export function policyOf({ argument, deployment }: TypeContext): TargetPolicy {
  return { blockInternal: readBoolean(argument, 'block_internal'), allow: deployment.allowInternal }
}

/** A host by name or address, without a port; `undefined` where it passes. In the order of reference/toolclad.md 2.5. */
export function judgeHost(value: string, policy: TargetPolicy): Judged | undefined {
  const shape = judgeShape(value)
  if (shape !== undefined) return shape
  const address = parseIp(value)
  return address === undefined ? judgeHostName(value, policy) : judgeIp(value, address, policy)
}

/** The same, or a range in CIDR notation. */
export function judgeHostOrRange(value: string, policy: TargetPolicy): Judged | undefined {
  const range = value.includes('/') ? parseCidr(value) : undefined
  if (range === undefined) return judgeHost(value, policy)
  return judgeCanonical(value.slice(0, value.indexOf('/'))) ?? judgeBlocked(judgeRange(range, policy))
}

function judgeShape(value: string): Judged | undefined {
  if (value.length > MAX_HOST_LENGTH) return refuse('length', `must not exceed the ${MAX_HOST_LENGTH}-character limit`)
  if (/[*?]/.test(value)) return refuse('wildcard', 'must not contain wildcards')
  if (/\.\.\/|\/\.\./.test(value)) return refuse('traversal', 'must not contain path traversal sequences')
  if (value.includes('/')) return refuse('format', "must not contain '/' (use CIDR notation for ranges)")
  if (/[\u0080-\u{10FFFF}]/u.test(value))
    return refuse('non_ascii', 'must be ASCII: a name in another script is refused')
  const labels = value.split('.')
  if (labels.some(label => /^xn--/i.test(label))) return refuse('punycode', 'must not contain punycode (xn--) labels')
  if (labels.some(label => label.length > MAX_LABEL_LENGTH))
    return refuse('length', `must not have a label of more than ${MAX_LABEL_LENGTH} characters`)
  return undefined
}

/** An address that parses: written canonically, and not blocked. */
export function judgeIp(written: string, address: IpRange, policy: TargetPolicy): Judged | undefined {
  return judgeCanonical(written) ?? judgeBlocked(judgeRange(address, policy))
}

/** IPv6 is compared without case (ruling 15). */
export function judgeCanonical(written: string): Judged | undefined {
  const address = parseIp(written)
  if (address === undefined || formatIp(address) === written.toLowerCase()) return undefined
  return refuse('non_canonical_ip', `must be written in its canonical form, ${formatIp(address)}`)
}

export function judgeBlocked(block: Block | undefined): Judged | undefined {
  if (block === undefined) return undefined
  if (block === 'always_blocked')
    return refuse(block, 'must not be a link-local address or a cloud metadata service: always blocked')
  return refuse(block, 'must not be internal (blocked by block_internal policy)')
}

function judgeHostName(value: string, policy: TargetPolicy): Judged | undefined {
  const numeric = judgeNumeric(value)
  if (numeric !== undefined) return numeric
  const name = withoutDot(value)
  if (!HOST_NAME.test(name)) return refuse('format', 'must be a host name, an address or a range')
  return judgeBlocked(judgeName(name, policy))
}

/** No address, but one to some program: `127.1`, `0x7f000001`, `010.0.0.1`, `127.0.0.1.` (ruling 15). */
export function judgeNumeric(value: string): Judged | undefined {
  if (!NUMERIC_LABEL.test(withoutDot(value))) return undefined
  return refuse('non_canonical_ip', 'looks like a non-canonical IP literal; use dotted-quad IPv4 or standard IPv6')
}

function withoutDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name
}
