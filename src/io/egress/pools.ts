import { Pool } from 'undici'
import type { Dispatcher } from 'undici'
import { blocked, pinnedConnector } from './connector.ts'
import type { ConnectorDeps, EgressPolicy } from './connector.ts'
import type { IpRange } from '../../lib/ip.ts'
import { judgeHost } from '../../lib/ranges.ts'
import { hostOf } from './url.ts'

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
  /** Only a range the deployment exempts let a connection of this origin be made. */
  readonly exempt: boolean
  readonly discard: () => Promise<void>
}

/** Keep-alive connections by origin and policy: what one policy allowed is never used under another. */
export interface Pools {
  readonly dispatch: (url: URL, policy: EgressPolicy, sent: Sent) => Promise<RawResponse>
  readonly close: () => Promise<void>
}

interface Entry {
  readonly pool: Pool
  readonly exempt: () => boolean
}

const CONNECTIONS = 32
const MAX_POOLS = 256
const KEEP_ALIVE = 10_000
const MAX_HEADER_BYTES = 64 << 10
/** A discarded body is read up to here, so that its connection can be used again. */
const DISCARD_BYTES = 64 << 10

export function openPools(deps: ConnectorDeps): Pools {
  const pools = new Map<string, Entry>()
  const retired = new Set<Pool>()

  function poolOf(url: URL, policy: EgressPolicy): Entry {
    const { blockInternal, allow, deny = [] } = policy
    const key = [url.origin, blockInternal, ...[allow, deny].map(textOf)].join(' ')
    const known = pools.get(key)
    // Moved to the end: the first is the one used longest ago.
    if (known !== undefined) pools.delete(key)
    const entry = known ?? openPool(url, policy, deps)
    pools.set(key, entry)
    const [oldest] = pools
    if (pools.size > MAX_POOLS && oldest !== undefined) retire(...oldest)
    return entry
  }

  /** Ends with its last request. */
  function retire(key: string, { pool }: Entry): void {
    pools.delete(key)
    retired.add(pool)
    void pool.close().finally(() => retired.delete(pool))
  }

  return {
    dispatch: async (url, policy, { method, headers, body, signal }) => {
      const block = judgeHost(hostOf(url), policy)
      if (block !== undefined) throw blocked(block, hostOf(url))
      const { pool, exempt } = poolOf(url, policy)
      const path = url.pathname + url.search
      const response = await pool.request({ method, path, headers, body: body ?? null, signal })
      return {
        status: response.statusCode,
        headers: flatten(response.headers),
        stream: response.body,
        exempt: exempt(),
        discard: () => response.body.dump({ limit: DISCARD_BYTES, signal }),
      }
    },
    close: async () => {
      const open = [...[...pools.values()].map(({ pool }) => pool), ...retired]
      pools.clear()
      await Promise.all(open.map(pool => pool.destroy()))
    },
  }
}

function textOf(ranges: readonly IpRange[]): string {
  return ranges.map(({ version, first, last }) => `${version}:${first}-${last}`).join()
}

function openPool(origin: URL, policy: EgressPolicy, deps: ConnectorDeps): Entry {
  let exempt = false
  const pool = new Pool(origin.origin, {
    connect: pinnedConnector(deps, { origin, policy, onExempt: () => (exempt = true) }),
    connections: CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE,
    keepAliveMaxTimeout: KEEP_ALIVE, // a server may ask for less, not for hours
    maxHeaderSize: MAX_HEADER_BYTES,
    // Deadlines are the caller's signal; these would only be coarser.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return { pool, exempt: () => exempt }
}

/** Repeated headers are joined, as HTTP defines it. */
function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === 'string' ? value : value.join(', ')]],
    ),
  )
}
