import type { JsonValue } from '../../core/json.ts'
import type { Values } from '../../core/tool.ts'
import type { RestBinding } from './binding.ts'
import { encodeComponent, toHeader, toQuery, toText } from './encode.ts'

/** A request without its credentials. */
export interface BuiltRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export type Built =
  | { readonly ok: true; readonly request: BuiltRequest }
  | { readonly ok: false; readonly reason: string }

type Segment = { readonly text: string } | { readonly name: string }

/** Compiles an endpoint once: the path in pieces, the parameters by place. */
export function compileRequest(binding: RestBinding & { readonly baseUrl: string }): (values: Values) => Built {
  const { method, path, parameters, headers } = binding
  const [route = '', ...query] = path.split('?')
  const segments = segmentsOf(route)
  const fixedQuery = query.join('?')
  const base = binding.baseUrl.replace(/\/+$/, '')
  const namesIn = (location: RestBinding['parameters'][number]['in']): readonly string[] =>
    parameters.filter(p => p.in === location).map(({ name }) => name)
  const [queryNames, headerNames, bodyNames] = [namesIn('query'), namesIn('header'), namesIn('body')]
  return values => {
    const given = (names: readonly string[]): readonly (readonly [string, JsonValue])[] =>
      names.flatMap(name => (values[name] === undefined ? [] : [[name, values[name]] as const]))
    const built = segments.map(s => ('text' in s ? s.text : encodeComponent(toText(values[s.name] ?? '')))).join('')
    // Two harmless pieces can make a harmful one: "/.{x}" with ".".
    if (built.split('/').some(part => part === '.' || part === '..'))
      return { ok: false, reason: 'The arguments would change the path of the request.' }
    const pairs = [
      ...(fixedQuery === '' ? [] : [fixedQuery]),
      ...given(queryNames).flatMap(([name, value]) => toQuery(name, value)),
    ]
    const body = given(bodyNames)
    const sendsBody = body.length > 0 && method !== 'GET' && method !== 'HEAD'
    const own = given(headerNames).map(([name, value]) => [name, toHeader(value)] as const)
    const type = sendsBody ? [['content-type', 'application/json'] as const] : []
    const request = {
      method,
      url: `${base}${built}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`,
      headers: lowerNames([['accept', 'application/json'], ...Object.entries(headers), ...own, ...type]),
    }
    return { ok: true, request: sendsBody ? { ...request, body: JSON.stringify(Object.fromEntries(body)) } : request }
  }
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
