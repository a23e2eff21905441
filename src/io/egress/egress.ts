// The one door to the network. What is asked for is judged before a connection is made, again for every address a name
// resolves to, and again on every redirect; the connection then goes to the address that was judged.
import type { Clock } from '../../core/ports.ts'
import { decodeBody } from './body.ts'
import { openPools } from './pools.ts'
import type { Lookup } from './pools.ts'
import { EgressError, toEgressError } from './error.ts'
import { nextHop } from './redirect.ts'
import type { TargetPolicy } from './ranges.ts'

export interface EgressRequest {
  readonly method: string
  /** http or https, without user information. */
  readonly url: string
  /** Sent wherever the request goes. */
  readonly headers?: Readonly<Record<string, string>>
  /** Credentials and all else that was injected: sent to the first origin alone. */
  readonly injected?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly policy: TargetPolicy
  /** A host the deployment itself named: only what is always blocked applies to it, and to it alone. */
  readonly trustedHost?: string
  readonly signal: AbortSignal
  /** For the whole exchange, redirects and body included. Milliseconds. */
  readonly timeoutMs: number
  /** Cap on the decoded body; a longer one is an error, never cut. */
  readonly maxBytes: number
  /** Default 5. */
  readonly maxRedirects?: number
}

export interface EgressResponse {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Where the answer came from, after redirects. */
  readonly url: string
}

export interface Egress {
  /** @throws EgressError */
  readonly request: (request: EgressRequest) => Promise<EgressResponse>
  /** Idempotent: breaks what runs off and closes every connection. */
  readonly close: () => Promise<void>
}

export interface EgressDeps {
  readonly clock: Clock
  /** All addresses of a name. Default: the system's. */
  readonly lookup?: Lookup
}

const MAX_REDIRECTS = 5

/** A name as DNS has it (underscores included), or an IPv6 literal; IPv4 literals are names here. */
const HOST =
  /^(?:\[[0-9a-f:.]+\]|(?=.{1,254}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?)$/

export function openEgress(deps: EgressDeps): Egress {
  const pools = openPools(deps)
  const closing = new AbortController()

  async function exchange(request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> {
    let hop = { method: request.method, url: checkedUrl(request.url), body: request.body, first: true }
    for (let left = request.maxRedirects ?? MAX_REDIRECTS; ; left--) {
      const { method, url, body, first } = hop
      const response = await pools.dispatch(url, policyFor(url, request), {
        method,
        headers: { ...request.headers, ...(first ? request.injected : {}) },
        body,
        signal,
      })
      const location = response.headers['location']
      if (response.status < 300 || response.status > 399 || location === undefined) {
        const decoded = await decodeBody(response, { maxBytes: request.maxBytes, signal, method })
        return { status: response.status, headers: response.headers, body: decoded, url: url.href }
      }
      await response.discard()
      if (left <= 0) throw new EgressError('redirect_refused', 'the server redirects too often')
      hop = {
        ...nextHop({ method, url, body }, response.status, location),
        first: first && isSameOrigin(url, location),
      }
    }
  }

  return {
    request: async request => {
      const done = new AbortController()
      const deadline = new AbortController()
      const signal = AbortSignal.any([request.signal, closing.signal, deadline.signal])
      void deps.clock.sleep(request.timeoutMs, done.signal).then(() => deadline.abort())
      try {
        return await exchange(request, signal)
      } catch (error) {
        if (request.signal.aborted || closing.signal.aborted)
          throw new EgressError('cancelled', 'the request was cancelled')
        if (deadline.signal.aborted)
          throw new EgressError('timeout', `no complete answer within ${request.timeoutMs} ms`)
        throw toEgressError(error)
      } finally {
        done.abort()
      }
    },
    close: async () => {
      closing.abort()
      await pools.close()
    },
  }
}

/** Only what this door serves. The message holds no part of the URL: it may carry a secret. */
export function checkedUrl(text: string): URL {
  // WHATWG strips white space and reads a backslash as a slash: what means two things to two readers is refused.
  const url = !/[\s\p{Cc}\\]/u.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) throw new EgressError('bad_url', 'the URL is not valid')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new EgressError('bad_url', `the scheme ${url.protocol} is not served: expected http or https`)
  if (url.username !== '' || url.password !== '')
    throw new EgressError('bad_url', 'a URL must not hold a user name or password')
  if (!HOST.test(url.hostname)) throw new EgressError('bad_url', 'the URL has no valid host')
  return url
}

function policyFor({ hostname }: URL, { policy, trustedHost }: EgressRequest): TargetPolicy {
  return hostname === trustedHost?.toLowerCase() ? { ...policy, blockInternal: false } : policy
}

function isSameOrigin(from: URL, location: string): boolean {
  return URL.canParse(location, from.href) && new URL(location, from).origin === from.origin
}
