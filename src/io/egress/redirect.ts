import { EgressError } from './error.ts'
import { redirectUrl } from './url.ts'

export interface Hop {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** For the first origin alone. */
  readonly injected: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

/** The statuses that lead elsewhere (RFC 9110, 15.4): a `location` beside 300 or 304 is no order to go there. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

/**
 * Where a redirect leads (ruling DADL 15): never from https to http, never with a body to another origin, and there
 * without anything that was injected. 301 and 302 after a POST, and 303 after anything but HEAD, become a GET; 307 and
 * 308 repeat the request.
 */
export function nextHop(hop: Hop, status: number, location: string): Hop {
  const url = redirectUrl(location, hop.url)
  const away = url.origin !== hop.url.origin
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST'
  if (away && !becomesGet && hop.body !== undefined)
    throw new EgressError('redirect_refused', 'the server redirects a request with a body to another origin')
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    body: becomesGet ? undefined : hop.body,
    headers: without(
      hop.headers,
      name => (away && CREDENTIALS.test(name)) || (becomesGet && ABOUT_THE_BODY.test(name)),
    ),
    injected: away ? {} : hop.injected,
  }
}

/** Credentials by their standard names, in case one was not given as `injected`. */
const CREDENTIALS = /^(authorization|cookie|proxy-authorization)$/i
const ABOUT_THE_BODY = /^content-/i

function without(headers: Hop['headers'], drop: (name: string) => boolean): Hop['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !drop(name)))
}
