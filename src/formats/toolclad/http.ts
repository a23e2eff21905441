// `[http]`, read and compiled (ToolClad spec, HTTP hardening; rulings 23 and 27; reference/toolclad.md 1.7).
import type { HttpBinding, Part, UrlTemplate } from '../../backends/http/binding.ts'
import { badHeaderCharacter, isConnectionHeader, isHeaderName } from '../../lib/http-header.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { toPointer } from '../../lib/pointer.ts'
import { isTomlArray, isTomlTable } from '../../lib/toml.ts'
import { compileTemplate } from './http-template.ts'
import type { TemplateContext } from './http-template.ts'
import { compileUrl } from './http-url.ts'
import type { Problems } from './problems.ts'
import type { HTTP } from './schema.ts'
import { hasKey, pathOf, readString } from './section.ts'
import type { Section } from './section.ts'
import { METHODS, STATUS_CODES } from './spec.ts'

/** A request as the manifest describes it; `url` is absent where it has a problem. */
export interface Http {
  readonly method: string
  /** `METHOD url-as-written`, all that is ever shown of the URL (ToolClad spec, Evidence Envelope). */
  readonly command: string
  readonly url: UrlTemplate | undefined
  readonly headers: HttpBinding['headers']
  readonly body: readonly Part[] | undefined
  readonly statuses: ExpectedStatuses
}

/** What the author says of answers; both lists empty where the class of the status decides (ruling 27). */
export interface ExpectedStatuses {
  /** Answers to a `HEAD` have no content. */
  readonly method: string
  readonly success: readonly number[]
  readonly error: readonly number[]
}

export interface HttpContext extends TemplateContext {
  readonly http: Section<typeof HTTP>
}

export function readHttp(context: HttpContext): Http {
  const { http, problems } = context
  const method = readMethod(http, problems)
  const written = readString(http, 'url')
  if (written === undefined && !hasKey(http, 'url'))
    problems.error('missing_key', http.path, '[http] needs "url", where the request goes')
  const at = pathOf(http, 'url')
  const url = compileTemplate(written ?? '', at, context)
  const headers = readHeaders(context)
  const template = readString(http, 'body_template')
  const body = template === undefined ? undefined : compileTemplate(template, pathOf(http, 'body_template'), context)
  const secret = [url, ...headers.map(({ value }) => value), body ?? []].flat().some(part => 'secret' in part)
  return {
    method,
    command: `${method} ${written ?? ''}`,
    url: written === undefined ? undefined : compileUrl(url, { ...context, at, secret }),
    headers,
    body,
    statuses: {
      method,
      success: readStatuses(http, 'success_status', problems),
      error: readStatuses(http, 'error_status', problems),
    },
  }
}

function readMethod(http: Section<typeof HTTP>, problems: Problems): string {
  const method = readString(http, 'method')
  if (METHODS.some(known => known === method)) return method
  const near = nearest(method, METHODS)
  const message = `invalid method '${method}', must be one of: ${METHODS.join(', ')}${didYouMean(near)}`
  problems.error('bad_method', pathOf(http, 'method'), message, near)
  return method
}

function readHeaders(context: HttpContext): Http['headers'] {
  const { http, problems } = context
  const table = http.table['headers']
  const entries = table !== undefined && isTomlTable(table) ? Object.entries(table) : []
  const names = new Set<string>()
  return entries.flatMap(([name, template]) => {
    if (typeof template !== 'string') return []
    const at = pathOf(http, 'headers') + toPointer([name])
    const wrong = judgeHeaderName(name, names)
    if (wrong !== undefined) problems.error('bad_name', at, wrong)
    names.add(name.toLowerCase())
    const value = compileTemplate(template, at, context)
    if (value.some(part => 'literal' in part && badHeaderCharacter(part.literal) !== undefined))
      problems.error('wrong_type', at, 'a header holds Latin-1 text without line breaks and other control characters')
    return [{ name: name.toLowerCase(), value }]
  })
}

function judgeHeaderName(name: string, names: ReadonlySet<string>): string | undefined {
  if (!isHeaderName(name)) return `"${name}" is no name of a header`
  if (isConnectionHeader(name)) return `the header "${name}" belongs to the connection and cannot be set`
  return names.has(name.toLowerCase()) ? `the header "${name}" is there twice` : undefined
}

function readStatuses(
  http: Section<typeof HTTP>,
  key: 'success_status' | 'error_status',
  problems: Problems,
): readonly number[] {
  const value = http.table[key]
  const codes = value !== undefined && isTomlArray(value) ? value : []
  return codes.flatMap((code, index) => {
    if (typeof code !== 'bigint') return []
    const at = pathOf(http, key) + toPointer([index])
    const { min, max } = STATUS_CODES
    if (code < min || code > max) problems.error('bad_bounds', at, `a status is ${min} to ${max}, not ${code}`)
    else if (code >= 300n && code < 400n)
      problems.warning('unused_key', at, `${code} has no effect: redirects are always blocked`)
    return [Number(code)]
  })
}
