// What the DADL specification and our rulings fix. No other file of this folder holds such a constant.

/** DADL spec 3; ruling DADL 1. Both spellings were published. */
export const SPEC_URL = /^https:\/\/dadl\.ai\/spec\/dadl-spec-v(\d+)\.(\d+)(?:\.md)?$/
/** Documents of this version and older are known whole. */
export const NEWEST = { major: 0, minor: 2 } as const

/** DADL spec 6 */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const
/** DADL spec 6.1 */
export const LOCATIONS = ['path', 'query', 'header', 'body'] as const
export type Location = (typeof LOCATIONS)[number]

/** Headers a parameter may not set (ruling DADL 13); `proxy-` stands for all that begin with it. */
export const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set(
  'host cookie content-type content-length transfer-encoding connection te trailer upgrade expect'.split(' '),
)
export const FORBIDDEN_HEADER_PREFIX = 'proxy-'

/** RFC 9110, 5.6.2 */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** DADL spec 5.1, 5.5 */
export const AUTH_DEFAULTS = {
  bearer: { header: 'Authorization', prefix: 'Bearer ' },
  apikey: { header: 'X-API-Key', prefix: '' },
} as const
/** Of a public API (ruling DADL 14). */
export const NO_CREDENTIAL = 'none'

/** DADL spec 8.2: semantic codes by status; the last three rows are in `codeOf`. */
export const STATUS_CODES: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_input'],
  [422, 'invalid_input'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [410, 'not_found'],
  [409, 'conflict'],
  [408, 'timeout'],
  [429, 'rate_limited'],
  [500, 'internal'],
  [502, 'unavailable'],
  [503, 'unavailable'],
  [504, 'unavailable'],
])
/** Statuses after which the same call may succeed. */
export const RETRYABLE: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])
/** Characters of an error message (ruling DADL 23). */
export const MAX_MESSAGE = 1000

/** Milliseconds for one call, and bytes of one answer (ruling DADL 24). */
export const CALL_TIMEOUT = 120_000
export const MAX_ANSWER = 10 << 20
/** Levels of an argument or an answer: what writes JSON is recursive, real APIs stay far below. */
export const MAX_NESTING = 500
