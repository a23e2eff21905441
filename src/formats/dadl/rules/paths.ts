// Where a described request could become another one: its address and its path (DADL spec 6; ruling DADL 8).
import { toPointer } from '../../../lib/pointer.ts'
import type { ToolSection } from '../schema/tool.ts'
import { toolAt } from './places.ts'
import type { Rule } from './rule.ts'

/** As URLs are read: `%2e` is a dot there too. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i

export const paths: Rule = ({ document, error }) => {
  const { tools, auth, health } = document.backend
  const judge = (path: string, at: string): void => {
    const why = wrongPath(path)
    if (why !== undefined) error('path_invalid', at, `the path "${path}" ${why}`)
  }
  for (const [name, { path }] of Object.entries(tools)) judge(path, `${toolAt(name)}/path`)
  if (auth.type === 'session') judge(auth.login.path, '/backend/auth/login/path')
  if (health !== undefined && 'path' in health) judge(health.path, '/backend/health/path')
}

function wrongPath(path: string): string | undefined {
  const [route = ''] = path.split('?')
  if (!path.startsWith('/') || path.startsWith('//') || route.split('/').some(part => DOT_SEGMENT.test(part)))
    return 'must begin with one "/" and hold no "." or ".." segment'
  // A URL ends its path at "#", reads "\\" as "/" and drops line breaks: what is read would not be what is sent.
  return /[#\\\s\p{Cc}]/u.test(path) ? 'must not hold "#", "\\", white space or control characters' : undefined
}

/** Every placeholder has its path parameter and the other way round. */
export const placeholders: Rule = ({ document, error }) => {
  for (const [name, section] of Object.entries(document.backend.tools)) {
    const named = new Set([...section.path.matchAll(/\{([^{}]+)\}/g)].map(([, inner = '']) => inner))
    const declared = namesIn(section, 'path')
    for (const missing of [...named].filter(placeholder => !declared.includes(placeholder)))
      error('path_param_mismatch', `${toolAt(name)}/path`, `{${missing}} in the path has no parameter with in: path`)
    for (const extra of declared.filter(parameter => !named.has(parameter)))
      error(
        'path_param_mismatch',
        `${toolAt(name)}/params${toPointer([extra])}`,
        `the parameter "${extra}" is in: path, but the path has no {${extra}}`,
      )
  }
}

export function namesIn({ params = {} }: ToolSection, location: string): readonly string[] {
  return Object.entries(params).flatMap(([name, param]) => (param.in === location ? [name] : []))
}

/** Without an address everything but calls works (ruling DADL 8). */
export const baseUrl: Rule = ({ document, hasUrl, error, warn }) => {
  const { base_url: url } = document.backend
  if (hasUrl) return
  if (url === undefined || /[{}]/.test(url))
    warn(
      'base_url_missing',
      url === undefined ? '/backend' : '/backend/base_url',
      'no address: set apis.NAME.url in sallyport.yaml; until then calls fail',
    )
  // The URL stays out of the message: it may hold a password.
  else if (!isBaseUrl(url))
    error(
      'base_url_invalid',
      '/backend/base_url',
      'expected an http or https URL without user name, query and fragment',
    )
}

/** What a path can be put behind. */
function isBaseUrl(text: string): boolean {
  const url = /[\s\\?#]/.test(text) ? null : URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}
