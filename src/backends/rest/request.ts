import type { JsonValue } from '../../core/json.ts'
import type { Values } from '../../core/tool.ts'
import { DOT_SEGMENT } from '../../lib/dot-segment.ts'
import { encodeComponent } from '../../lib/encode-component.ts'
import type { RestBinding } from './binding.ts'
import { toHeader, toQuery, toText } from './encode.ts'

/** A request without its credentials. */
export interface BuiltRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export type Built =
  | { readonly ok: true; readonly request: BuiltRequest }
  | { readonly ok: false; readonly code: 'path_changed' | 'credential_replaced'; readonly reason: string }

type Segment = { readonly text: string } | { readonly name: string }

/** Compiles an endpoint once: the path in pieces, the parameters by place. */
export function compileRequest(binding: RestBinding & { readonly baseUrl: string }): (values: Values) => Built {
  const { method, path, parameters, headers } = binding
  const [route = '', ...query] = path.split('?')
  const segments = segmentsOf(route)
  const fixedQuery = segmentsOf(query.join('?'))
  const secretName = binding.auth.type === 'secret' && binding.auth.in === 'query' ? binding.auth.name : undefined
  const base = binding.baseUrl.replace(/\/+$/, '')
  const namesIn = (location: RestBinding['parameters'][number]['in']): readonly string[] =>
    parameters.filter(p => p.in === location).map(({ name }) => name)
  const [queryNames, headerNames, bodyNames] = [namesIn('query'), namesIn('header'), namesIn('body')]
  return values => {
    const given = (names: readonly string[]): readonly (readonly [string, JsonValue])[] =>
      names.flatMap(name => {
        const value = valueOf(values, name)
        return value === undefined ? [] : [[name, value] as const]
      })
    const built = fill(segments, values)
    // Two harmless pieces can make a harmful one: "/%2{x}" with "e".
    if (built.split('/').some(part => DOT_SEGMENT.test(part)))
      return { ok: false, code: 'path_changed', reason: 'The arguments would change the path of the request.' }
    const pairs = [
      ...(fixedQuery.length === 0 ? [] : [fill(fixedQuery, values)]),
      ...given(queryNames).flatMap(([name, value]) => toQuery(name, value)),
    ]
    if (secretName !== undefined && new URLSearchParams(pairs.join('&')).has(secretName))
      return {
        ok: false,
        code: 'credential_replaced',
        reason: `The query parameter "${secretName}" is the credential's alone.`,
      }
    const body = given(bodyNames)
    const sendsBody = body.length > 0 && method !== 'GET' && method !== 'HEAD'
    const own = given(headerNames).map(([name, value]) => [name, toHeader(value)] as const)
    const type = sendsBody ? [['content-type', binding.contentType] as const] : []
    const request = {
      method,
      url: `${base}${built}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`,
      headers: lowerNames([['accept', 'application/json'], ...Object.entries(headers), ...own, ...type]),
    }
    return { ok: true, request: sendsBody ? { ...request, body: JSON.stringify(Object.fromEntries(body)) } : request }
  }
}

function fill(segments: readonly Segment[], values: Values): string {
  return segments.map(s => ('text' in s ? s.text : encodeComponent(toText(valueOf(values, s.name) ?? '')))).join('')
}

/** Names come from documents: `constructor` is one like any other. */
function valueOf(values: Values, name: string): JsonValue | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** Names differ without case: the later of two is the one that counts. */
function lowerNames(headers: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]))
}

function segmentsOf(route: string): readonly Segment[] {
  return route
    .split(/(\{[^{}]+\})/)
    .filter(part => part !== '')
    .map(part => (part.startsWith('{') ? { name: part.slice(1, -1) } : { text: part }))
}
