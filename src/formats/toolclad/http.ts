// `[http]`: one request, its templates taken apart once (ToolClad spec, HTTP backend; ruling 27). Only `{name}` and
// `{_secret:NAME}` are placeholders; every other brace is text, as JSON bodies have them.
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { toPointer } from '../../lib/pointer.ts'
import { isTomlArray, isTomlTable } from '../../lib/toml.ts'
import type { Argument } from './arguments.ts'
import type { Problems } from './problems.ts'
import { HTTP } from './schema.ts'
import { hasKey, pathOf, readString } from './section.ts'
import type { Section } from './section.ts'
import {
  CONNECTION_HEADER,
  HEADER_NAME,
  HEADER_TEXT,
  HTTP_METHODS,
  HTTP_PLACEHOLDER,
  SECRET_NAME,
  SECRET_PREFIX,
  URL_HOST_TEXT,
} from './spec.ts'

/** One piece of a template; plain data for the backend. */
export type Piece =
  | { readonly text: string }
  /** The argument's value; nothing where it is absent. */
  | { readonly value: string }
  | { readonly secret: string }
  | { readonly injected: 'scan_id' }

/** What a request is made of. */
export interface Request {
  readonly method: string
  /** As written: what the envelope shows. */
  readonly writtenUrl: string
  /** Everything up to the path, and the rest. */
  readonly authority: readonly Piece[]
  readonly path: readonly Piece[]
  readonly headers: readonly { readonly name: string; readonly value: readonly Piece[] }[]
  readonly body: readonly Piece[] | undefined
  /** The argument that is the whole host; absent where the author names the host. */
  readonly hostArgument: Argument | undefined
  readonly successStatus: readonly number[]
  readonly errorStatus: readonly number[]
}

export interface HttpContext {
  readonly http: Section<typeof HTTP>
  readonly args: readonly Argument[]
  /** Names of arguments that could not be compiled too. */
  readonly declared: ReadonlySet<string>
  readonly problems: Problems
}

export function readHttp(context: HttpContext): Request | undefined {
  const { http, problems } = context
  const method = readMethod(context)
  const writtenUrl = readString(http, 'url')
  if (writtenUrl === undefined) {
    if (!hasKey(http, 'url')) problems.error('missing_key', http.path, '[http] needs a "url"')
    return undefined
  }
  const url = compileTemplate(writtenUrl, pathOf(http, 'url'), context)
  const { authority, path } = splitAuthority(url)
  const headers = readHeaders(context)
  const written = readString(http, 'body_template')
  const body = written === undefined ? undefined : compileTemplate(written, pathOf(http, 'body_template'), context)
  const usesSecret = [url, ...headers.map(({ value }) => value), body ?? []].some(hasSecret)
  const hostArgument = readAuthority(authority, usesSecret, context)
  return {
    method,
    writtenUrl,
    authority,
    path,
    headers,
    body,
    hostArgument,
    successStatus: readStatuses(context, 'success_status'),
    errorStatus: readStatuses(context, 'error_status'),
  }
}

function hasSecret(pieces: readonly Piece[]): boolean {
  return pieces.some(piece => 'secret' in piece)
}

function readMethod({ http, problems }: HttpContext): string {
  const method = readString(http, 'method')
  if (HTTP_METHODS.includes(method)) return method
  const near = nearest(method.toUpperCase(), HTTP_METHODS)
  const message = `method must be one of ${HTTP_METHODS.join(', ')}, not "${method}"${didYouMean(near)}`
  problems.error('bad_method', pathOf(http, 'method'), message, near)
  return method
}

function compileTemplate(template: string, at: string, { args, declared, problems }: HttpContext): readonly Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const match of template.matchAll(HTTP_PLACEHOLDER)) {
    const [whole, name = ''] = match
    if (match.index > end) pieces.push({ text: template.slice(end, match.index) })
    end = match.index + whole.length
    if (name.startsWith(SECRET_PREFIX)) {
      const secret = name.slice(SECRET_PREFIX.length)
      if (!SECRET_NAME.test(secret))
        problems.error('placeholder_unknown', at, `${whole}: the name of a secret is letters, digits and _`)
      pieces.push({ secret })
    } else if (name === '_scan_id') pieces.push({ injected: 'scan_id' })
    else if (args.some(argument => argument.name === name)) pieces.push({ value: name })
    else if (!declared.has(name)) {
      const near = nearest(name, declared)
      const message = `template variable {${name}} names no argument${didYouMean(near)}`
      problems.error('placeholder_unknown', at, message, near)
    }
  }
  if (end < template.length) pieces.push({ text: template.slice(end) })
  return pieces
}

/** The scheme and the authority end where the first `/`, `?` or `#` of the author stands after `://`. */
function splitAuthority(pieces: readonly Piece[]): Pick<Request, 'authority' | 'path'> {
  const [first] = pieces
  const scheme = first !== undefined && 'text' in first ? (/^[^:/?#]*:\/\//.exec(first.text)?.[0].length ?? 0) : 0
  for (const [index, piece] of pieces.entries()) {
    if (!('text' in piece)) continue
    const from = index === 0 ? scheme : 0
    const found = piece.text.slice(from).search(/[/?#]/)
    if (found === -1) continue
    const [before, after] = [piece.text.slice(0, from + found), piece.text.slice(from + found)]
    return {
      authority: [...pieces.slice(0, index), ...(before === '' ? [] : [{ text: before }])],
      path: [{ text: after }, ...pieces.slice(index + 1)],
    }
  }
  return { authority: pieces, path: [] }
}

/**
 * Who names the host: the author, by a text or an `enum`, or one whole `scope_target`; in the port's place an `enum` or a `port`
 * (ruling 27). Gives the argument that names it.
 */
function readAuthority(pieces: readonly Piece[], usesSecret: boolean, context: HttpContext): Argument | undefined {
  const { http, problems } = context
  const at = pathOf(http, 'url')
  const [first, ...rest] = pieces
  const scheme = first !== undefined && 'text' in first ? /^https?:\/\//i.exec(first.text)?.[0] : undefined
  if (scheme === undefined) {
    problems.error('authority_argument', at, 'the url must begin with http:// or https://, written by the author')
    return undefined
  }
  const text = first !== undefined && 'text' in first ? first.text.slice(scheme.length) : ''
  const places: readonly Piece[] = [...(text === '' ? [] : [{ text }]), ...rest]
  if (places.length === 0) problems.error('authority_argument', at, 'the url must name a host')
  else if (rest.length === 0 && !URL.canParse(`http://${text}`))
    problems.error('authority_argument', at, `"${text}" is no host of a url`)
  let hostArgument: Argument | undefined
  for (const [index, piece] of places.entries()) {
    if ('text' in piece) {
      if (!URL_HOST_TEXT.test(piece.text))
        problems.error('authority_argument', at, `"${piece.text}" cannot stand in the host of a url`)
      continue
    }
    const argument = 'value' in piece ? context.args.find(({ name }) => name === piece.value) : undefined
    if ('value' in piece && argument === undefined) continue
    const before = places[index - 1]
    const inPort = before !== undefined && 'text' in before && before.text.endsWith(':')
    const next = places[index + 1]
    const whole = index === 0 && (next === undefined || ('text' in next && next.text.startsWith(':')))
    if (argument?.type.name === 'scope_target' && whole) hostArgument = argument
    else if (!mayStand(argument, inPort))
      problems.error(
        'authority_argument',
        at,
        `${nameOf(piece)} cannot stand in the host of a url: only an enum, a port in its place, or one scope_target as the whole host`,
      )
    if (hostArgument !== undefined && usesSecret && !hostArgument.scopeCheck)
      problems.error(
        'authority_argument',
        at,
        `{${hostArgument.name}} decides where a secret goes, so the argument must set scope_check = true`,
      )
  }
  return hostArgument
}

/** Members of an enum are the author's, if they are texts a host may hold. */
function mayStand(argument: Argument | undefined, inPort: boolean): boolean {
  if (argument?.type.name === 'port') return inPort
  return argument?.type.name === 'enum' && argument.allowed.every(member => URL_HOST_TEXT.test(member))
}

function nameOf(piece: Piece): string {
  if ('value' in piece) return `{${piece.value}}`
  return 'secret' in piece ? `{${SECRET_PREFIX}${piece.secret}}` : '{_scan_id}'
}

function readHeaders(context: HttpContext): Request['headers'] {
  const { http, problems } = context
  const table = http.table['headers']
  if (table === undefined || !isTomlTable(table)) return []
  const seen = new Set<string>()
  return Object.entries(table).flatMap(([name, value]) => {
    const at = http.path + toPointer(['headers', name])
    const wrong = wrongHeader(name, seen)
    if (wrong !== undefined) problems.error('bad_name', at, wrong)
    seen.add(name.toLowerCase())
    if (typeof value !== 'string') return [] // reported with the keys
    if (!HEADER_TEXT.test(value))
      problems.error('wrong_type', at, `the header "${name}" must be Latin-1 text on one line`)
    return [{ name: name.toLowerCase(), value: compileTemplate(value, at, context) }]
  })
}

function wrongHeader(name: string, seen: ReadonlySet<string>): string | undefined {
  if (!HEADER_NAME.test(name)) return `"${name}" is no header name`
  if (CONNECTION_HEADER.test(name)) return `the header "${name}" belongs to the connection`
  return seen.has(name.toLowerCase()) ? `the header "${name}" is there twice` : undefined
}

function readStatuses({ http, problems }: HttpContext, key: 'success_status' | 'error_status'): readonly number[] {
  const written = http.table[key]
  if (written === undefined || !isTomlArray(written)) return []
  return written.flatMap((status, index) => {
    if (typeof status !== 'bigint') return []
    if (status < 100n || status > 599n)
      problems.error('bad_bounds', pathOf(http, key) + toPointer([index]), `a status is 100 to 599, not ${status}`)
    return [Number(status)]
  })
}
