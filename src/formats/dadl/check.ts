// Where a described request could become another one: its path, its headers, the place of its credential.
import { toPointer } from '../../lib/pointer.ts'
import { authOf } from './auth.ts'
import type { ToolSource } from './compile.ts'
import type { ReadContext } from './load.ts'
import type { Document } from './schema.ts'
import { FORBIDDEN_HEADERS, FORBIDDEN_HEADER_PREFIX, HEADER_NAME } from './spec.ts'

type Report = (code: string, path: string, message: string) => void

/** What all requests of a document share. */
export function checkBackend({ backend }: Document, { found, context }: ReadContext): void {
  const report: Report = (code, path, message) =>
    void found.push({ code, severity: 'error', path: `/backend${path}`, message })
  if (backend.name.trim() === '') report('unknown_value', '/name', 'expected a name, found an empty text')
  const { base_url: baseUrl, auth, defaults } = backend
  // The URL stays out of the message: it may hold a password.
  if (context.api?.url === undefined && baseUrl !== undefined && !/[{}]/.test(baseUrl) && !isBaseUrl(baseUrl))
    report('base_url_invalid', '/base_url', 'expected an http or https URL without user name, query and fragment')
  if (auth !== undefined && ['bearer', 'apikey', 'api_key'].includes(auth.type)) {
    if (auth.credential === undefined)
      report('missing_key', '/auth', 'auth.credential: this key is needed; a public API says "none"')
    const binding = authOf(auth)
    if (binding.type === 'secret' && binding.in === 'query' && binding.name === '')
      report('query_param_missing', '/auth', 'inject_into: query needs query_param, the name it is sent under')
    if (auth.header_name !== undefined && !HEADER_NAME.test(auth.header_name))
      report('header_forbidden', '/auth/header_name', `"${auth.header_name}" cannot be the name of a header`)
  }
  for (const [name, value] of Object.entries(defaults.headers ?? {}))
    if (!HEADER_NAME.test(name) || /[^\t\u0020-\u007e\u0080-\u00ff]/.test(String(value)))
      report('header_forbidden', `/defaults/headers${toPointer([name])}`, 'not a header that HTTP can carry')
}

/** What a path can be put behind. */
function isBaseUrl(text: string): boolean {
  const url = /[\s\\?#]/.test(text) ? null : URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

export function checkRequest(source: ToolSource, at: string): void {
  const report: Report = (code, path, message) =>
    void source.read.found.push({ code, severity: 'error', path: `${at}${path}`, message })
  checkPath(source, report)
  checkHeaders(source, report)
  checkQuery(source, report)
}

/** Every placeholder has its path parameter and the other way round; the path is below the address and stays there. */
function checkPath({ name, section }: ToolSource, report: Report): void {
  const { path } = section
  const error = (code: string, message: string): void => report(code, '/path', message)
  const [route = ''] = path.split('?')
  if (!path.startsWith('/') || path.startsWith('//') || route.split('/').some(part => DOT_SEGMENT.test(part)))
    error('path_invalid', `the path of "${name}" must begin with one "/" and hold no "." or ".." segment`)
  // A URL ends its path at "#", reads "\\" as "/" and drops line breaks: what is read would not be what is sent.
  if (/[#\\\s\p{Cc}]/u.test(path))
    error('path_invalid', `the path of "${name}" must not hold "#", "\\", white space or control characters`)
  const placeholders = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, inner = '']) => inner))
  const declared = namesIn(section, 'path')
  for (const missing of [...placeholders].filter(p => !declared.includes(p)))
    error('path_param_mismatch', `{${missing}} in the path has no parameter with in: path`)
  for (const extra of declared.filter(p => !placeholders.has(p)))
    error('path_param_mismatch', `the parameter "${extra}" is in: path, but the path has no {${extra}}`)
}

/** As URLs are read: `%2e` is a dot there too. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i

/** Ruling DADL 13. Names of headers differ without case. */
function checkHeaders({ section, document }: ToolSource, report: Report): void {
  const auth = authOf(document.backend.auth)
  const secret = auth.type === 'secret' && auth.in === 'header' ? auth.name.toLowerCase() : undefined
  const seen = new Set<string>()
  for (const name of namesIn(section, 'header')) {
    const lower = name.toLowerCase()
    const refuse = (why: string): void => report('header_forbidden', `/params${toPointer([name])}`, why)
    if (FORBIDDEN_HEADERS.has(lower) || lower.startsWith(FORBIDDEN_HEADER_PREFIX) || lower === secret)
      refuse(`the header "${name}" cannot be a parameter`)
    else if (!HEADER_NAME.test(name)) refuse(`"${name}" cannot be the name of a header`)
    else if (seen.has(lower)) refuse(`the header "${name}" is set by two parameters`)
    seen.add(lower)
  }
}

/** What the gateway adds is not the caller's to set, nor the path's. */
function checkQuery({ section, document }: ToolSource, report: Report): void {
  const auth = authOf(document.backend.auth)
  if (auth.type !== 'secret' || auth.in !== 'query' || auth.name === '') return
  if (namesIn(section, 'query').includes(auth.name))
    report('query_forbidden', `/params${toPointer([auth.name])}`, `"${auth.name}" carries the credential`)
  const [, ...fixed] = section.path.split('?')
  if (new URLSearchParams(fixed.join('?')).has(auth.name))
    report('query_forbidden', '/path', `"${auth.name}" in the path is the parameter that carries the credential`)
}

function namesIn({ params }: ToolSource['section'], location: string): readonly string[] {
  return Object.entries(params ?? {})
    .filter(([, param]) => param.in === location)
    .map(([name]) => name)
}
