// One exchange over the network: the request, the redirects it may follow, and the body of the answer.
import { isConnectionHeader } from '../../lib/http-header.ts'
import { ACCEPT_ENCODING, decodeBody } from './body.ts'
import type { EgressPolicy } from './connector.ts'
import type { EgressDeps, EgressRequest, EgressResponse } from './egress.ts'
import { EgressError } from './error.ts'
import type { PartialAnswer } from './error.ts'
import { openPools } from './pools.ts'
import type { Pools } from './pools.ts'
import { isRedirect, nextHop } from './redirect.ts'
import type { Hop } from './redirect.ts'
import { checkedUrl } from './url.ts'

export interface Exchanges {
  /** Rejects with whatever went wrong. */
  readonly exchange: (request: EgressRequest, options: ExchangeOptions) => Promise<EgressResponse>
  readonly close: () => Promise<void>
}

export interface ExchangeOptions {
  readonly signal: AbortSignal
  readonly onBroken: (answer: PartialAnswer) => void
}

const MAX_REDIRECTS = 5

export function openExchanges(deps: EgressDeps): Exchanges {
  const pools = openPools(deps)
  return {
    exchange: (request, options) => exchange(pools, request, options),
    close: pools.close,
  }
}

async function exchange(
  { dispatch }: Pools,
  request: EgressRequest,
  { signal, onBroken }: ExchangeOptions,
): Promise<EgressResponse> {
  const { maxBytes, overflow = 'error', redirects = 'follow' } = request
  let hop = firstHop(request)
  let exempt = false
  for (let left = request.maxRedirects ?? MAX_REDIRECTS; ; left--) {
    const { method, url, body } = hop
    const headers = { 'accept-encoding': ACCEPT_ENCODING, ...hop.headers, ...hop.injected }
    const response = await dispatch(url, policyFor(url, request), { method, headers, body, signal })
    const { status, headers: received } = response
    exempt ||= response.exempt
    const location = isRedirect(status) && redirects === 'follow' ? received['location'] : undefined
    if (location === undefined) {
      const broken = (bytes: Uint8Array): void => onBroken({ status, body: bytes })
      const decoded = await decodeBody(response, { maxBytes, overflow, signal, method, onBroken: broken })
      return { status, headers: received, ...decoded, url: url.href, exempt }
    }
    if (left <= 0) throw new EgressError('redirect_refused', 'the server redirects too often')
    await response.discard()
    hop = nextHop(hop, status, location)
  }
}

function firstHop({ method, url, headers = {}, injected = {}, body }: EgressRequest): Hop {
  const own = [...Object.keys(headers), ...Object.keys(injected)].find(name => isConnectionHeader(name))
  if (own !== undefined) throw new EgressError('bad_request', `the header ${own} belongs to the connection`)
  return { method, url: checkedUrl(url), headers, injected, body }
}

function policyFor({ hostname }: URL, { policy, trustedHost }: EgressRequest): EgressPolicy {
  return hostname === trustedHost?.toLowerCase() ? { ...policy, blockInternal: false } : policy
}
