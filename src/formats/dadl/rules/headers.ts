// What the gateway sets itself is not the caller's, nor the document's, to set (DADL spec 5.5, 6.6; rulings DADL 11, 13).
import { toPointer } from '../../../lib/pointer.ts'
import { authHeaders, authOf } from '../auth.ts'
import { FORBIDDEN_HEADERS, FORBIDDEN_HEADER_PREFIX, HEADER_NAME, NO_CREDENTIAL } from '../spec.ts'
import { namesIn } from './paths.ts'
import { toolAt } from './places.ts'
import type { Rule } from './rule.ts'

const NO_NAME = 'cannot be the name of a header'

export const headers: Rule = context => {
  const { document, error } = context
  const { auth, defaults, tools } = document.backend
  const forbid = (at: string, why: string): void => error('header_forbidden', at, why)
  for (const [at, name] of [
    ['/backend/auth/header_name', auth.header_name],
    ...(auth.type === 'session'
      ? auth.inject.map(({ header }, index) => [`/backend/auth/inject/${index}/header`, header] as const)
      : []),
    ...Object.entries(tools).map(([tool, { idempotency }]) => [
      `${toolAt(tool)}/idempotency/header`,
      idempotency?.header,
    ]),
  ] as const)
    if (at !== undefined && name !== undefined && !HEADER_NAME.test(name)) forbid(at, `"${name}" ${NO_NAME}`)
  for (const [name, value] of Object.entries(defaults?.headers ?? {}))
    if (!HEADER_NAME.test(name) || /[^\t\u0020-\u007e\u0080-\u00ff]/.test(value))
      forbid(`/backend/defaults/headers${toPointer([name])}`, 'not a header that HTTP can carry')
  headerParameters(context)
}

/** Names of headers differ without case. */
const headerParameters: Rule = ({ document, error }) => {
  const secret = authHeaders(document.backend.auth).map(header => header.toLowerCase())
  for (const [tool, section] of Object.entries(document.backend.tools)) {
    const seen = new Set<string>()
    for (const name of namesIn(section, 'header')) {
      const lower = name.toLowerCase()
      const refuse = (why: string): void => error('header_forbidden', `${toolAt(tool)}/params${toPointer([name])}`, why)
      if (FORBIDDEN_HEADERS.has(lower) || lower.startsWith(FORBIDDEN_HEADER_PREFIX) || secret.includes(lower))
        refuse(`the header "${name}" cannot be a parameter`)
      else if (!HEADER_NAME.test(name)) refuse(`"${name}" ${NO_NAME}`)
      else if (seen.has(lower)) refuse(`the header "${name}" is set by two parameters`)
      seen.add(lower)
    }
  }
}

/** The key has to be the gateway's own (DADL spec 6.6). */
export const idempotency: Rule = ({ document, error }) => {
  const { defaults, tools } = document.backend
  const fixed = Object.keys(defaults?.headers ?? {})
  for (const [name, section] of Object.entries(tools)) {
    const { header } = section.idempotency ?? {}
    if (header === undefined) continue
    const same = (other: string): boolean => other.toLowerCase() === header.toLowerCase()
    const at = `${toolAt(name)}/idempotency/header`
    const parameter = namesIn(section, 'header').find(same)
    if (parameter !== undefined)
      error('idempotency_collision', at, `the header "${header}" is also set by the parameter "${parameter}"`)
    const preset = fixed.find(same)
    if (preset !== undefined)
      error('idempotency_collision', at, `the header "${header}" is also set by defaults.headers`)
    if (authHeaders(document.backend.auth).some(same))
      error('idempotency_collision', at, `the header "${header}" carries the credential`)
  }
}

/** What carries a credential in the query is named (DADL spec 5.5, 15.2), and nothing else goes there. */
export const query: Rule = ({ document, isFirst, error, warn }) => {
  const { auth, tools } = document.backend
  const sendsNothing = isFirst && 'credential' in auth && auth.credential === NO_CREDENTIAL
  if (auth.inject_into === 'query' && (auth.query_param ?? '') === '' && !sendsNothing) {
    const report = isFirst ? warn : error
    const at = auth.query_param === undefined ? '/backend/auth' : '/backend/auth/query_param'
    report('query_param_missing', at, 'inject_into: query needs query_param, the name it is sent under')
  }
  const binding = authOf(auth)
  const secret = binding.type === 'secret' && binding.in === 'query' ? binding.name : ''
  if (secret === '') return
  for (const [name, section] of Object.entries(tools)) {
    if (namesIn(section, 'query').includes(secret))
      error('query_forbidden', `${toolAt(name)}/params${toPointer([secret])}`, `"${secret}" carries the credential`)
    const [, ...fixed] = section.path.split('?')
    if (new URLSearchParams(fixed.join('?')).has(secret))
      error(
        'query_forbidden',
        `${toolAt(name)}/path`,
        `"${secret}" in the path is the parameter that carries the credential`,
      )
  }
}
