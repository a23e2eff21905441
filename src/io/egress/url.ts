import { EgressError } from './error.ts'
import type { EgressCode } from './error.ts'

/**
 * The URL a request goes to. The message of a refusal holds no part of it: it may carry a secret.
 * @throws EgressError `bad_url`
 */
export function checkedUrl(text: string): URL {
  // WHATWG strips white space and reads a backslash as a slash: what means two things to two readers is refused.
  const url = /[\s\p{Cc}\\]/u.test(text) ? null : URL.parse(text)
  if (url === null) throw new EgressError('bad_url', 'the URL is not valid')
  return served(url, 'bad_url', 'the URL')
}

/**
 * The URL a redirect leads to, read as it will be used.
 * @throws EgressError `redirect_refused`
 */
export function redirectUrl(location: string, from: URL): URL {
  const what = 'the server redirects to a URL that'
  const url = URL.parse(location, from.href)
  if (url === null) throw new EgressError('redirect_refused', `${what} is not valid`)
  if (from.protocol === 'https:' && url.protocol === 'http:')
    throw new EgressError('redirect_refused', 'the server redirects from https to http')
  return served(url, 'redirect_refused', what)
}

/** The host without the brackets of an IPv6 literal. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

/** A name as DNS has it (underscores included), or an IPv6 literal; IPv4 literals are names here. */
const HOST =
  /^(?:\[[0-9a-f:.]+\]|(?=.{1,254}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?)$/

function served(url: URL, code: EgressCode, what: string): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new EgressError(code, `${what} has the scheme ${url.protocol}: expected http or https`)
  if (url.username !== '' || url.password !== '') throw new EgressError(code, `${what} holds a user name or password`)
  if (!HOST.test(url.hostname)) throw new EgressError(code, `${what} has no valid host`)
  return url
}
