import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { buildConnector } from 'undici'
import { formatIp, parseIp } from '../../lib/ip.ts'
import type { IpRange } from '../../lib/ip.ts'
import { EgressError } from './error.ts'
import { isOwnListener } from './own-listeners.ts'
import type { Listener } from './own-listeners.ts'
import { blocks, judgeRange } from '../../lib/ranges.ts'
import type { Block, TargetPolicy } from '../../lib/ranges.ts'
import { resolveName } from './resolve-name.ts'
import type { ResolveNameDeps } from './resolve-name.ts'
import { hostOf } from './url.ts'

export interface ConnectorDeps extends ResolveNameDeps {
  readonly listeners?: () => readonly Listener[]
}

export interface EgressPolicy extends TargetPolicy {
  /** Ranges that are refused besides: what the scope of a tool blocks (ruling ToolClad 18). Default: none. */
  readonly deny?: readonly IpRange[]
}

interface ConnectorOptions {
  readonly origin: URL
  readonly policy: EgressPolicy
  /** Called where only an exempted range lets a connection be made. */
  readonly onExempt: () => void
}

const CONNECT_TIMEOUT = 10_000

/**
 * Makes the connections to one origin. A name is resolved once for each, all its answers are judged, and the socket goes
 * to one of exactly those: what the DNS says a moment later does not matter. TLS keeps the name: it is sent as SNI and
 * the certificate is checked against it.
 */
export function pinnedConnector(deps: ConnectorDeps, options: ConnectorOptions): buildConnector.connector {
  const { origin } = options
  const judge = (address: IpRange): void => judgeAddress(address, deps, options)
  const addressesOf = callbackify((host: string) => judgedAddresses(host, deps, judge))
  const lookup: LookupFunction = (host, _all, answer) =>
    addressesOf(host, (error, addresses) => answer(error, error === null ? addresses : []))
  const connect = buildConnector({
    lookup,
    timeout: CONNECT_TIMEOUT,
    autoSelectFamily: true, // takes all addresses, and the next where one does not answer
    allowH2: false, // its caps and timers are others, and proved by nothing here
    rejectUnauthorized: true, // said aloud: the environment can change the default
  })
  return (target, callback) => {
    try {
      const literal = parseIp(hostOf(origin)) // an address never reaches `lookup`
      if (literal !== undefined) judge(literal)
    } catch (error) {
      callback(asError(error), null)
      return
    }
    connect(target, callback)
  }
}

export function blocked(block: Block, host: string): EgressError {
  const why = block === 'always_blocked' ? 'link-local or cloud metadata, always blocked' : 'an internal address'
  return new EgressError('blocked', `${host} is or resolves to ${why}`)
}

function judgeAddress(
  address: IpRange,
  { listeners }: ConnectorDeps,
  { origin, policy, onExempt }: ConnectorOptions,
): void {
  const block = judgeRange(address, policy)
  if (block !== undefined) throw blocked(block, hostOf(origin))
  if (policy.deny?.some(denied => blocks(denied, address)) === true)
    throw new EgressError('blocked', `${hostOf(origin)} is or resolves to an address the scope blocks`)
  if (isOwnListener(address, portOf(origin), listeners?.() ?? []))
    throw new EgressError('blocked', `${hostOf(origin)} is this gateway itself`)
  if (judgeRange(address, { ...policy, allow: [] }) !== undefined) onExempt()
}

/** Every answer has to be allowed: a server that answers with one good and one bad address is refused. */
async function judgedAddresses(
  host: string,
  deps: ConnectorDeps,
  judge: (address: IpRange) => void,
): Promise<LookupAddress[]> {
  const addresses = await resolveName(host, deps)
  return addresses.map(address => {
    judge(address)
    return { address: formatIp(address), family: address.version }
  })
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new EgressError('protocol_error', 'the connection failed', { cause: error })
}
