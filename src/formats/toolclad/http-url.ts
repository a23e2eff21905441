// `[http] url`: which part of it each placeholder stands in (ruling 27). Where a request goes is the author's to say: an
// argument fills in a path or a query, and of the host only what the author listed or the host policy judges.
import type { Part, UrlTemplate } from '../../backends/http/binding.ts'
import type { Argument } from './arguments.ts'
import type { TemplateContext } from './http-template.ts'
import { AUTHORITY_TEXT, NOT_IN_URL, URL_PARTS } from './spec.ts'

export interface UrlContext extends TemplateContext {
  readonly at: string
  /** Whether the request uses a secret anywhere. */
  readonly secret: boolean
}

/** Stands for a placeholder while the template is taken apart; no text holds it. */
const MARK = '\uffff'

/** `undefined` where the URL has a problem. */
export function compileUrl(parts: readonly Part[], context: UrlContext): UrlTemplate | undefined {
  const { at, problems } = context
  const errors = problems.errors()
  const literals = parts.flatMap(part => ('literal' in part ? part.literal : []))
  if (literals.some(literal => NOT_IN_URL.test(literal) || literal.includes(MARK)))
    problems.error('wrong_type', at, 'a URL holds no white space, control character or backslash')
  const text = parts.map(part => ('literal' in part ? part.literal : MARK)).join('')
  const { scheme = '', authority = '', path = '', query = '', fragment } = URL_PARTS.exec(text)?.groups ?? {}
  if (!/^https?$/i.test(scheme)) {
    const code = (scheme || text).includes(MARK) && !/^https?:\/\//i.test(text) ? 'authority_argument' : 'wrong_type'
    problems.error(code, at, 'a URL begins with http:// or https://, written out, and a host')
    return undefined
  }
  if (fragment !== undefined) problems.error('wrong_type', at, 'a fragment is never sent: leave out what begins with #')
  const placeholders = parts.filter(part => !('literal' in part)).values()
  const partsOf = (region: string): readonly Part[] =>
    region
      .split(/(\uffff)/)
      .filter(piece => piece !== '')
      .map(piece => (piece === MARK ? (placeholders.next().value ?? { literal: '' }) : { literal: piece }))
  const origin = partsOf(`${scheme}://${authority}`)
  const host = judgeAuthority(origin, authority, context)
  const paths = partsOf(path)
  const queries = partsOf(query)
  if ([paths, queries].some(finishesEscape))
    problems.error(
      'wrong_type',
      at,
      'a placeholder cannot stand directly after a percent sign: it would finish an escape',
    )
  const template = { origin, path: paths, query: queries, ...(host === undefined ? {} : { host }) }
  warnOfGaps(template.path, context)
  if (problems.errors() === errors && URL.parse(text.replaceAll(MARK, '1')) === null)
    problems.error('wrong_type', at, 'the URL is not valid')
  return problems.errors() === errors ? template : undefined
}

/** `%2{x}` with `f` would be a slash to a server. */
function finishesEscape(parts: readonly Part[]): boolean {
  return parts.some((part, index) => 'literal' in part && index < parts.length - 1 && /%[0-9a-f]?$/i.test(part.literal))
}

/** The argument that is the whole host, if there is one. */
function judgeAuthority(origin: readonly Part[], authority: string, context: UrlContext): string | undefined {
  const { args, at, problems } = context
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(authority) ?? []
  if (authority.includes('@'))
    problems.error('wrong_type', at, 'a URL holds no user name or password: use a header with {_secret:NAME}')
  else if (host === '') problems.error('wrong_type', at, 'the URL has no host')
  let whole: string | undefined
  for (const part of origin) {
    if ('literal' in part) continue
    const argument = 'value' in part ? args.find(({ name }) => name === part.value) : undefined
    if ('value' in part && argument === undefined) continue // its own problem was reported
    const wrong =
      argument === undefined
        ? 'a secret or an injected value cannot stand in the host or the port'
        : judgeArgument(argument, { host, port, context })
    if (wrong !== undefined) problems.error('authority_argument', at, wrong)
    else if (argument?.type.name === 'scope_target') whole = argument.name
  }
  return whole
}

interface Authority {
  readonly host: string
  readonly port: string | undefined
  readonly context: UrlContext
}

function judgeArgument(argument: Argument, { host, port, context }: Authority): string | undefined {
  const { name, type, allowed, required, default: fallback } = argument
  if (type.name === 'port' && port === MARK) return undefined
  if (type.name === 'enum') {
    const other = allowed.find(value => !AUTHORITY_TEXT.test(value))
    if (other !== undefined) return `"${other}" of argument '${name}' is no host and no part of one`
  } else if (type.name !== 'scope_target' || host !== MARK)
    return `argument '${name}' cannot stand there: of the host and the port, an argument gives an enum's value, a port after the colon, or, as a scope_target, the whole host`
  if (!required && fallback === undefined)
    return `argument '${name}' is where the request goes: make it required, or give it a default`
  if (type.name === 'scope_target' && context.secret && !argument.scopeCheck)
    return `the request sends a secret to the host that '${name}' names: it must set scope_check = true`
  return undefined
}

/** An absent value leaves an empty segment, and `DELETE /users/{id}` is another request without it. */
function warnOfGaps(path: readonly Part[], { args, at, problems }: UrlContext): void {
  for (const [index, part] of path.entries()) {
    const argument = 'value' in part ? args.find(({ name }) => name === part.value) : undefined
    if (argument === undefined || argument.required || argument.default !== undefined) continue
    if (!endsWithSlash(path[index - 1]) || !beginsWithSlash(path[index + 1])) continue
    problems.warning(
      'optional_gap',
      at,
      `when "${argument.name}" is absent, its part of the path is empty: make it required, or give it a default`,
    )
  }
}

function endsWithSlash(part: Part | undefined): boolean {
  return part !== undefined && 'literal' in part && part.literal.endsWith('/')
}

function beginsWithSlash(part: Part | undefined): boolean {
  return part === undefined || ('literal' in part && part.literal.startsWith('/'))
}
