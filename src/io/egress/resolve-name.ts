import type { Clock } from '../../core/ports.ts'
import { parseIp } from '../../lib/ip.ts'
import type { IpRange } from '../../lib/ip.ts'
import { EgressError } from './error.ts'

/** All addresses of a name; rejects where there are none. */
export type Lookup = (host: string) => Promise<readonly string[]>

export interface ResolveNameDeps {
  readonly clock: Clock
  /** Default: the system's. */
  readonly lookup?: Lookup
}

/** A name without an answer in this time has none (ruling ToolClad 16). */
const DNS_TIMEOUT = 5000

/**
 * Every address of a name, at least one.
 * @throws EgressError `dns_error`
 */
export async function resolveName(
  host: string,
  { clock, lookup = resolveAll }: ResolveNameDeps,
): Promise<readonly IpRange[]> {
  const done = new AbortController()
  const late = clock.sleep(DNS_TIMEOUT, done.signal).then(() => undefined)
  try {
    const answers = await Promise.race([lookup(host), late])
    if (answers === undefined)
      throw new EgressError('dns_error', `${host} has no answer within ${DNS_TIMEOUT / 1000} s`)
    if (answers.length === 0) throw new EgressError('dns_error', `${host} has no address`)
    return answers.map(answer => {
      const address = parseIp(answer)
      if (address === undefined) throw new EgressError('dns_error', `${host} has an answer that is no address`)
      return address
    })
  } catch (error) {
    throw error instanceof EgressError
      ? error
      : new EgressError('dns_error', `${host} could not be resolved`, { cause: error })
  } finally {
    done.abort()
  }
}

async function resolveAll(host: string): Promise<readonly string[]> {
  const { lookup } = await import('node:dns/promises')
  return (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address)
}
