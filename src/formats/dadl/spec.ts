// What the DADL specification and our rulings fix. No other file of this folder holds such a constant.

/** DADL spec 3; ruling DADL 1. Both spellings were published. */
export const SPEC_URL = /^https:\/\/dadl\.ai\/spec\/dadl-spec-v(\d+)\.(\d+)(?:\.md)?$/
/** Documents of this version and older are known whole. */
export const NEWEST = { major: 0, minor: 2 } as const
export const KNOWN_SPEC_URL = /^https:\/\/dadl\.ai\/spec\/dadl-spec-v0\.[12](\.md)?$/
export const ABOUT_SPEC = 'A REST API as tools for agents: https://dadl.ai/spec/dadl-spec-v0.2.md'

/** DADL spec 4, 4.5, 3 */
export const BACKEND_NAME = /^[a-z][a-z0-9-]*$/
export const VERSION = /^\d+\.\d+(\.\d+)?(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/
export const DATE = /^\d{4}-\d{2}-\d{2}$/
/** DADL spec 6.5 */
export const TYPE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** DADL spec 6 */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const
/** DADL spec 6.1 */
export const LOCATIONS = ['path', 'query', 'header', 'body'] as const
export type Location = (typeof LOCATIONS)[number]
export const PARAM_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'file_url'] as const
export type ParamType = (typeof PARAM_TYPES)[number]

/** DADL spec 5 to 8: values of keys that decide behaviour; another one is an error everywhere (15.3). */
export const INJECTIONS = ['header', 'query'] as const
export const TOKEN_AUTHS = ['post', 'basic'] as const
export const GENERATORS = ['uuid_v4'] as const
export const STRATEGIES = ['cursor', 'offset', 'page', 'link_header'] as const
export const BEHAVIORS = ['auto', 'expose'] as const
export const ERROR_FORMATS = ['json', 'text', 'xml'] as const
export const STREAM_HANDLINGS = ['collect', 'skip'] as const

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

/** The version of ToolMesh whose documented behaviour is covered (ruling DADL 7). */
export const TOOLMESH_VERSION = '0.9.0'

/** A duration of Go, as ToolMesh reads them: `30s`, `1h30m`, `500ms` (ruling DADL 28). */
export const DURATION = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/
/** Milliseconds. */
export const DURATION_UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
])
/** DADL spec 12.4: of a composite, in seconds. */
export const COMPOSITE_TIMEOUT = { preset: 30, most: 120 } as const
/** Bytes, with the units of ruling DADL 28. */
export const SIZE = /^\d+(?:\.\d+)?\s*(?:B|[KMG]i?B)?$/i

/** v0.1, which left open what v0.2 pinned down. */
export function isFirstVersion(spec: string): boolean {
  const [, major, minor] = SPEC_URL.exec(spec) ?? []
  return major === '0' && Number(minor) < 2
}
