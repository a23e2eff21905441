import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { Pool, buildConnector } from 'undici'
import type { Dispatcher } from 'undici'
import { formatIp, parseIp } from '../../lib/ip.ts'
import { EgressError } from './error.ts'
import { judgeName, judgeRange } from './ranges.ts'
import type { Block, TargetPolicy } from './ranges.ts'

/** All addresses of a name; rejects where there are none. */
export type Lookup = (host: string) => Promise<readonly string[]>

export interface PoolsDeps {
  readonly lookup?: Lookup
}

export interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
  readonly signal: AbortSignal
}

export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly stream: Dispatcher.ResponseData['body']
  readonly discard: () => Promise<void>
}

/** Keep-alive connections by origin and policy: what one policy allowed is never used under another. */
export interface Pools {
  readonly dispatch: (url: URL, policy: TargetPolicy, sent: Sent) => Promise<RawResponse>
  readonly close: () => Promise<void>
}

const CONNECTIONS = 32
const MAX_POOLS = 256
const KEEP_ALIVE = 10_000
const CONNECT_TIMEOUT = 10_000
const MAX_HEADER_BYTES = 64 << 10
/** A discarded body is read up to here, so that its connection can be used again. */
const DISCARD_BYTES = 64 << 10

export function openPools({ lookup = resolveAll }: PoolsDeps): Pools {
  const pools = new Map<string, Pool>()

  function poolOf(origin: string, policy: TargetPolicy): Pool {
    const key = `${origin} ${String(policy.blockInternal)} ${policy.allow.map(r => `${r.version}:${r.first}-${r.last}`).join()}`
    const known = pools.get(key)
    // Moved to the end: the first is the one used longest ago.
    if (known !== undefined) pools.delete(key)
    const pool = known ?? openPool(origin, policy, lookup)
    pools.set(key, pool)
    if (pools.size > MAX_POOLS) dropOldest(pools)
    return pool
  }

  return {
    dispatch: async (url, policy, { method, headers, body, signal }) => {
      refuse(judgeName(hostOf(url), policy), hostOf(url))
      const response = await poolOf(url.origin, policy).request({
        method,
        path: url.pathname + url.search,
        headers: { 'accept-encoding': 'gzip, deflate, br', ...headers },
        body: body ?? null,
        signal,
      })
      return {
        status: response.statusCode,
        headers: flatten(response.headers),
        stream: response.body,
        discard: () => response.body.dump({ limit: DISCARD_BYTES, signal }),
      }
    },
    close: async () => {
      const open = [...pools.values()]
      pools.clear()
      await Promise.all(open.map(pool => pool.destroy()))
    },
  }
}

function openPool(origin: string, policy: TargetPolicy, lookup: Lookup): Pool {
  const judged = callbackify(async (host: string) => {
    const addresses = await judgedAddresses(host, policy, lookup)
    return addresses.map(address => ({ address, family: isIP(address) }))
  })
  const pinned: LookupFunction = (host, _options, callback) =>
    judged(host, (error, addresses) => callback(error, error === null ? addresses : []))
  const connect = buildConnector({ lookup: pinned, timeout: CONNECT_TIMEOUT, autoSelectFamily: true })
  return new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Deadlines are the caller's signal; these only catch what it would not.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      const literal = parseIp(options.hostname.replace(/^\[(.*)\]$/, '$1'))
      const block = literal === undefined ? undefined : judgeRange(literal, policy)
      if (block === undefined) connect(options, callback)
      else callback(blocked(block, options.hostname), null)
    },
  })
}

/** Every answer has to be allowed: a server that answers with one good and one bad address is refused. */
async function judgedAddresses(host: string, policy: TargetPolicy, lookup: Lookup): Promise<readonly string[]> {
  const addresses = await lookup(host)
  if (addresses.length === 0) throw new EgressError('dns_error', `${host} has no address`)
  return addresses.map(address => {
    const range = parseIp(address)
    if (range === undefined) throw new EgressError('dns_error', `${host} has an answer that is no address`)
    refuse(judgeRange(range, policy), host)
    return formatIp(range)
  })
}

async function resolveAll(host: string): Promise<readonly string[]> {
  return (await systemLookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address)
}

function refuse(block: Block | undefined, host: string): void {
  if (block !== undefined) throw blocked(block, host)
}

function blocked(block: Block, host: string): EgressError {
  const why = block === 'always_blocked' ? 'link-local or cloud metadata, always blocked' : 'an internal address'
  return new EgressError('blocked', `${host} is or resolves to ${why}`)
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

/** Repeated headers are joined, as HTTP defines it. */
function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === 'string' ? value : value.join(', ')]],
    ),
  )
}

function dropOldest(pools: Map<string, Pool>): void {
  const [oldest] = pools
  if (oldest === undefined) return
  pools.delete(oldest[0])
  void oldest[1].close()
}
