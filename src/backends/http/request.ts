// One request out of its templates (ToolClad spec, HTTP hardening; ruling ToolClad 27). Secrets and values are put into pieces
// that were parted at load, each encoded for its place, so that none of them is ever read as a template, or as more than itself.
import type { Refusal } from '../../core/outcome.ts'
import type { Values } from '../../core/tool.ts'
import { DOT_SEGMENT } from '../../lib/dot-segment.ts'
import { encodeComponent } from '../../lib/encode-component.ts'
import { badHeaderCharacter } from '../../lib/http-header.ts'
import type { HttpBinding, Part } from './binding.ts'

/** A request as it goes out. */
export interface BuiltRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Filling {
  readonly values: Values
  readonly scanId: string
  /** A secret, encoded for its place. */
  readonly secret: (name: string, encode: Encode) => string
}

type Encode = (text: string) => string

/** The request; values that cannot stand in it were refused before. */
export function buildRequest({ method, url, headers, body }: HttpBinding, filling: Filling): BuiltRequest {
  const text = body === undefined ? undefined : fill(body, filling, jsonEscaped)
  const own = headers.map(({ name, value }) => [name, fill(value, filling, asItIs)] as const)
  const typed = text === undefined || own.some(([name]) => name === 'content-type')
  return {
    method,
    url: [
      fill(url.origin, filling, asHost),
      fill(url.path, filling, encodeComponent),
      fill(url.query, filling, encodeComponent),
    ].join(''),
    headers: Object.fromEntries(
      typed ? own : [...own, ['content-type', isJson(text) ? 'application/json' : 'text/plain']],
    ),
    ...(text === undefined ? {} : { body: text }),
  }
}

/** Values that would make another request than the author's: one refusal an argument, in no order. */
export function judgeValues({ url, headers }: HttpBinding, filling: Filling): readonly Refusal[] {
  const refusals: Refusal[] = []
  const host = url.host === undefined ? undefined : filling.values[url.host]
  if (url.host !== undefined && typeof host === 'string' && host.includes('/'))
    refusals.push(refuse(url.host, 'format', 'must be one host here, not a range'))
  for (const segment of segmentsOf(url.path)) {
    const name = segment.find(part => 'value' in part)?.value
    if (name !== undefined && DOT_SEGMENT.test(fill(segment, filling, encodeComponent)))
      refusals.push(refuse(name, 'traversal', 'must not make its part of the path "." or ".."'))
  }
  for (const part of headers.flatMap(({ value }) => value)) {
    const value = 'value' in part ? filling.values[part.value] : undefined
    const bad = typeof value === 'string' ? badHeaderCharacter(value) : undefined
    if (bad === undefined || !('value' in part)) continue
    const control = /[\u0000-\u001f\u007f-\u009f]/.test(bad)
    const what = control ? 'a control character' : JSON.stringify(bad)
    refusals.push(refuse(part.value, control ? 'control' : 'non_ascii', `cannot stand in a header with ${what} in it`))
  }
  return refusals
}

function refuse(argument: string, fence: Refusal['fence'], message: string): Refusal {
  return { argument, fence, message: `${argument}: ${message}` }
}

/** The pieces between the slashes of the template; a value's own slashes are encoded. */
function segmentsOf(path: readonly Part[]): readonly (readonly Part[])[] {
  const segments: Part[][] = [[]]
  for (const part of path) {
    if (!('literal' in part)) {
      segments.at(-1)?.push(part)
      continue
    }
    for (const [index, literal] of part.literal.split('/').entries()) {
      if (index > 0) segments.push([])
      segments.at(-1)?.push({ literal })
    }
  }
  return segments
}

function fill(parts: readonly Part[], { values, scanId, secret }: Filling, encode: Encode): string {
  return parts
    .map(part => {
      if ('literal' in part) return part.literal
      if ('secret' in part) return secret(part.secret, encode)
      if ('injected' in part) return encode(scanId)
      const value = Object.hasOwn(values, part.value) ? values[part.value] : undefined
      return typeof value === 'string' ? encode(value) : ''
    })
    .join('')
}

function asItIs(text: string): string {
  return text
}

/** An IPv6 address stands in brackets. All else that gets here was judged: listed values, ports and hosts. */
function asHost(text: string): string {
  return text.split(':').length > 2 ? `[${text}]` : text
}

/** For a place inside the quotes of a JSON text. */
function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // what was asked
  }
}
