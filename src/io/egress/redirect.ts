import { EgressError } from './error.ts'

export interface Hop {
  readonly method: string
  readonly url: URL
  readonly body: string | Uint8Array | undefined
}

/**
 * Where a redirect leads (ruling DADL 15): never from https to http, never with a body to another origin. 301 and 302
 * after a POST, and 303 after anything but HEAD, become a GET; 307 and 308 repeat the request.
 */
export function nextHop({ method, url, body }: Hop, status: number, location: string): Hop {
  if (!URL.canParse(location, url.href))
    throw new EgressError('redirect_refused', 'the server redirects to no valid URL')
  const next = new URL(location, url)
  if (next.protocol !== 'http:' && next.protocol !== 'https:')
    throw new EgressError('redirect_refused', `the server redirects to the scheme ${next.protocol}`)
  if (next.username !== '' || next.password !== '')
    throw new EgressError('redirect_refused', 'the server redirects to a URL with a user name')
  if (url.protocol === 'https:' && next.protocol === 'http:')
    throw new EgressError('redirect_refused', 'the server redirects from https to http')
  const becomesGet = (status === 303 && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST')
  if (becomesGet) return { method: 'GET', url: next, body: undefined }
  if (body !== undefined && next.origin !== url.origin)
    throw new EgressError('redirect_refused', 'the server redirects a request with a body to another origin')
  return { method, url: next, body }
}
