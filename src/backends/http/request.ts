// A request of pieces: secrets and values are put in once, each encoded for its place, and never looked at again (ToolClad spec,
// HTTP hardening; ruling ToolClad 27).
import type { Refusal } from '../../core/outcome.ts'
import type { Values } from '../../core/tool.ts'
import { encodeComponent } from '../../lib/encode-component.ts'
import { parseIp } from '../../lib/ip.ts'
import type { HttpBinding, Template } from './binding.ts'

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export type BuiltRequest =
  | { readonly status: 'ready'; readonly request: HttpRequest }
  | { readonly status: 'refused'; readonly refusals: readonly Refusal[] }
  | { readonly status: 'denied'; readonly code: string; readonly reason: string }

/** What stands for a placeholder. */
export interface Fillings {
  readonly values: Values
  readonly scanId: string
  /** A secret's text; `encode` is how it would stand in its place. */
  readonly secret: (name: string, encode: Encode) => string
}

type Encode = (text: string) => string

export function buildRequest(binding: HttpBinding, fillings: Fillings): BuiltRequest {
  const { method, headers: templates, hostArgument } = binding
  const host = hostArgument === undefined ? undefined : textOf(fillings.values, hostArgument.name)
  if (hostArgument !== undefined && host === '')
    return refused(hostArgument.name, 'required', 'must name the host of the request')
  if (hostArgument !== undefined && host?.includes('/') === true)
    return refused(hostArgument.name, 'format', 'must be one host here, not a range')
  const path = fill(binding.path, fillings, encodeComponent)
  // Two harmless pieces can make a harmful one: "/{a}/" with "..", "/%2{x}" with "e".
  if ((/^[^?#]*/.exec(path)?.[0] ?? '').split('/').some(segment => DOT_SEGMENT.test(segment)))
    return { status: 'denied', code: 'path_changed', reason: 'The arguments would change the path of the request.' }
  const filled = templates
    .filter(({ value }) => !isAbsent(value, fillings.values))
    .map(({ name, value }) => ({ name, value: fill(value, fillings, text => text), template: value }))
  const wrong = filled.find(({ value }) => !HEADER_VALUE.test(value))
  if (wrong !== undefined) return refuseHeader(wrong.name, wrong.template, fillings.values)
  const headers = Object.fromEntries(filled.map(({ name, value }) => [name, value]))
  const url = fill(binding.authority, fillings, inAuthority) + path
  if (binding.body === undefined) return { status: 'ready', request: { method, url, headers } }
  const body = fill(binding.body, fillings, inJson)
  const type = Object.hasOwn(headers, 'content-type') ? {} : { 'content-type': typeOf(body) }
  return { status: 'ready', request: { method, url, headers: { ...headers, ...type }, body } }
}

/** As URLs are read: `%2e` is a dot there too. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

function fill(template: Template, { values, scanId, secret }: Fillings, encode: Encode): string {
  return template
    .map(piece => {
      if ('text' in piece) return piece.text
      if ('value' in piece) return encode(textOf(values, piece.value))
      return 'secret' in piece ? secret(piece.secret, encode) : encode(scanId)
    })
    .join('')
}

function textOf(values: Values, name: string): string {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return typeof value === 'string' ? value : ''
}

/** Nothing but one argument that was not given. */
function isAbsent([piece, ...rest]: Template, values: Values): boolean {
  return piece !== undefined && rest.length === 0 && 'value' in piece && !Object.hasOwn(values, piece.value)
}

/** What may stand there was decided when the manifest was loaded; IPv6 needs its brackets. */
function inAuthority(text: string): string {
  return parseIp(text)?.version === 6 ? `[${text}]` : text
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function typeOf(body: string): string {
  try {
    JSON.parse(body)
    return 'application/json'
  } catch {
    return 'text/plain'
  }
}

function refuseHeader(name: string, template: Template, values: Values): BuiltRequest {
  const argument = template.find(piece => 'value' in piece && !HEADER_VALUE.test(textOf(values, piece.value)))
  if (argument !== undefined && 'value' in argument)
    return refused(argument.value, 'format', `must be Latin-1 text on one line, as it stands in the header ${name}`)
  return { status: 'denied', code: 'secret_unusable', reason: `A secret cannot stand in the header ${name}.` }
}

function refused(argument: string, fence: Refusal['fence'], message: string): BuiltRequest {
  return { status: 'refused', refusals: [{ argument, fence, message: `${argument}: ${message}` }] }
}
