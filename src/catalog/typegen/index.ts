// The interface agents write code against, one text per API: `api.<name>.<tool>(args)` (DADL spec 4 and 14). The same API
// gives the same bytes, in whatever order its description says things. Each text compiles alone and beside all others.
import type { Api } from '../../core/api.ts'
import type { Tool } from '../../core/tool.ts'
import { collectTypes, declareTypes } from './declared-types.ts'
import { codeName, namespaceName } from './names.ts'
import { toDeclaration, toType } from './schema-type.ts'
import {
  apiDocumentation,
  apiSummary,
  envelopeOf,
  HEALTH_NAME,
  hasHealthCheck,
  healthSignature,
  nameLine,
  signature,
} from './signature.ts'
import type { ToolContext } from './signature.ts'
import { commentLine, docComment, indent, memberAccess, memberName } from './text.ts'

/** From the least to the most. */
export const DETAILS = ['names', 'signatures', 'full'] as const
export type Detail = (typeof DETAILS)[number]

export interface TypesOptions {
  /** Default `full`: documentation, arguments and results. `signatures` leaves the documentation out, `names` all but names. */
  readonly detail?: Detail
  /** Bytes of UTF-8. What does not fit is left out as a whole, least needed first, and the last line says so. */
  readonly maxBytes?: number
}

/** What stands for the command-line tools, which belong to no API. */
export const COMMAND_LINE: Api = {
  name: 'cli',
  description: 'Command-line tools of this workspace',
  types: {},
  health: false,
  containsCode: false,
}

/** The tools of one API, or those of `COMMAND_LINE`, as TypeScript declarations. */
export function generateTypes(api: Api, tools: readonly Tool[], options: TypesOptions = {}): string {
  const { detail = 'full', maxBytes = Infinity } = options
  const source = readSource(api, tools)
  const wanted = DETAILS.slice(0, DETAILS.indexOf(detail) + 1).toReversed()
  for (const level of wanted) {
    const text = RENDERERS[level](source) + (level === detail ? '' : leftOut(LEFT_OUT[level], source, maxBytes))
    if (Buffer.byteLength(text) <= maxBytes) return text
  }
  return someNames(source, maxBytes)
}

interface Source {
  readonly api: Api
  /** What the API is called in code. */
  readonly name: string
  readonly namespace: string
  /** By name, none twice. */
  readonly tools: readonly Tool[]
  readonly shown: ReadonlySet<string>
}

function readSource(api: Api, given: readonly Tool[]): Source {
  const tools = [...new Map(given.toReversed().map(tool => [tool.name, tool])).values()].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )
  const commands = tools.some(({ backend }) => backend === undefined)
  const name = commands ? api.name : codeName(api.name)
  return { api, name, namespace: namespaceName(name), tools, shown: new Set(tools.map(tool => tool.name)) }
}

const RENDERERS: Readonly<Record<Detail, (source: Source) => string>> = {
  names: source =>
    namesText(
      source,
      source.tools.map(tool => nameLine(tool, source)),
    ),
  signatures: source => signatures(source, false),
  full: source => signatures(source, true),
}

const LEFT_OUT: Readonly<Record<Detail, string>> = {
  names: 'arguments, results and descriptions',
  signatures: 'descriptions, hints and defaults',
  full: '',
}

function signatures(source: Source, documented: boolean): string {
  const { api, tools, shown } = source
  const context: ToolContext = { ...declareTypes(api.types), documented, shown }
  const members = [
    ...(hasHealthCheck(api, shown) ? [healthSignature(documented)] : []),
    ...tools.map(tool => signature(tool, context)),
  ]
  return declare(
    source,
    [
      ...declaredTypes(tools, context),
      ...envelopeType(tools, context),
      ...(tools.some(({ paged }) => paged === true) ? [pagedType(documented)] : []),
      [...(documented ? docComment(apiDocumentation(api)) : []), block('interface Tools', members)].join('\n'),
    ],
    documented,
  )
}

/** What the tools name, and no other: a description may declare the types of a hundred tools more. */
function declaredTypes(tools: readonly Tool[], context: ToolContext): readonly string[] {
  const used = new Set<string>()
  for (const { inputSchema, returns } of tools) {
    collectTypes(inputSchema, context.types, used)
    collectTypes(returns, context.types, used)
  }
  return [...used].toSorted().map(name => toDeclaration(name, context))
}

function envelopeType(tools: readonly Tool[], context: ToolContext): readonly string[] {
  const schema = envelopeOf(tools)
  if (schema === undefined) return []
  const within = { ...context, ...declareTypes({ Results: {} }) }
  return [`interface Envelope<Results> ${toType(schema, within)}`]
}

function pagedType(documented: boolean): string {
  const doc = documented
    ? [
        'A call gives the value. `.page` gives what comes next with it, for the argument `_next`; at the end there is none.',
      ]
    : []
  return [
    ...docComment(doc),
    'type Paged<Call extends (...args: any[]) => Promise<any>, Next = string> = Call & {',
    '  page(...args: Parameters<Call>): Promise<{ items: Awaited<ReturnType<Call>>; next?: Next }>;',
    '};',
  ].join('\n')
}

function namesText(source: Source, lines: readonly string[]): string {
  const health = hasHealthCheck(source.api, source.shown) ? [HEALTH_NAME] : []
  const members = block('interface Tools', [...health, ...lines])
  return declare(source, ['type Tool = (args?: any) => Promise<any>;', members], false)
}

/** All declarations of one API stand in a namespace of its own; `api` grows with every text beside it. */
function declare({ api, name, namespace }: Source, declarations: readonly string[], documented: boolean): string {
  const said = documented ? '' : apiSummary(api)
  return [
    ...(said === '' ? [] : [`// ${said}`]),
    block(`declare namespace ${namespace}`, [declarations.join(documented ? '\n\n' : '\n')]),
    block('interface Apis', [`${memberName(name)}: ${namespace}.Tools;`]),
    'declare var api: Apis;',
    '',
  ].join('\n')
}

function block(head: string, members: readonly string[]): string {
  return members.length === 0 ? `${head} {}` : `${head} {\n${indent(members.join('\n'))}\n}`
}

/** Names alone, as many as fit; of an API that has no room at all, its number of tools, or nothing. */
function someNames(source: Source, maxBytes: number): string {
  const { tools, name } = source
  const lines = tools.map(tool => `${memberName(tool.name)}: Tool;`)
  const text = (count: number): string => {
    const rest = lines.length - count
    const more = rest === 0 ? [] : [`// and ${rest} more`]
    const what = rest === 0 ? 'all but names' : `${rest} of ${lines.length} tools, and all but the names of others`
    return namesText(source, [...lines.slice(0, count), ...more]) + leftOut(what, source, maxBytes)
  }
  let [least, most] = [0, lines.length + 1]
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2)
    if (Buffer.byteLength(text(middle)) <= maxBytes) least = middle
    else most = middle
  }
  if (least > 0) return text(least)
  const alone = `// api${commentLine(memberAccess(name))}: ${lines.length} tools. ${advice(source)}\n`
  return Buffer.byteLength(alone) <= maxBytes ? alone : ''
}

function leftOut(what: string, source: Source, maxBytes: number): string {
  return `// Left out to stay within ${maxBytes} bytes: ${what}. ${advice(source)}\n`
}

function advice({ name }: Source): string {
  return `All of it: sallyport types ${commentLine(/^[\w-]+$/.test(name) ? name : JSON.stringify(name))}`
}
