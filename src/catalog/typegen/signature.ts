// One tool as a member of its API's interface.
import type { Api } from '../../core/api.ts'
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Tool } from '../../core/tool.ts'
import { isJsonArray } from '../../lib/json-array.ts'
import { braces, propertiesOf, toType } from './schema-type.ts'
import type { TypeContext } from './schema-type.ts'
import { commentLine, commentLines, docComment, memberName, summary } from './text.ts'

export interface ToolContext extends TypeContext {
  /** Names of the tools that are shown: no others are pointed to. */
  readonly shown: ReadonlySet<string>
}

/** What `health()` gives back (DADL spec 4.6). */
const HEALTH: readonly (readonly [member: string, meaning: string])[] = [
  ['ok: boolean', 'check passed'],
  ['http_status?: number', 'absent when no response was received'],
  ['error_code?: string', 'dns_error, tls_error, connection_refused, timeout or protocol_error'],
  ['latency_ms: number', ''],
  ['checked_at: string', 'ISO 8601'],
  ['auth_expires_at?: string', 'ISO 8601: when the credential expires, if known'],
  ['error?: string', 'present when ok is false'],
]

const HEALTH_SUMMARY = 'Standardized backend health check'

/** Whether the API answers `health()` itself: a tool of that name wins (DADL spec 4.6). */
export function hasHealthCheck(api: Api, shown: ReadonlySet<string>): boolean {
  return api.health && !shown.has('health')
}

/** A tool's name with its summary, of a type that takes anything. */
export function nameLine(tool: Tool, { shown }: Pick<ToolContext, 'shown'>): string {
  const { deprecated } = tool
  const noted =
    deprecated === undefined ? '' : `(${['deprecated', successor(deprecated, shown)].filter(Boolean).join(', ')}) `
  const said = commentLine(noted + summary(tool.description))
  return `${memberName(tool.name)}: Tool;${said === '' ? '' : ` // ${said}`}`
}

export const HEALTH_NAME = `health: Tool; // ${HEALTH_SUMMARY}`

export function healthSignature(documented: boolean): string {
  const members = HEALTH.map(([member, meaning]) =>
    documented && meaning !== '' ? `/** ${meaning} */\n${member}` : member,
  )
  const doc = documented ? docComment([`${HEALTH_SUMMARY}; never rejects.`]) : []
  return [...doc, `health(): Promise<${braces(members, documented)}>;`].join('\n')
}

/** What may be called, with its documentation where that is wanted. */
export function signature(tool: Tool, context: ToolContext): string {
  const name = memberName(tool.name)
  const parameters = parametersOf(tool, context)
  const result = resultOf(tool, context)
  const call =
    tool.paged === true
      ? `${name}: Paged<(${parameters}) => Promise<${result}>${cursorOf(tool, context)}>;`
      : `${name}(${parameters}): Promise<${result}>;`
  if (context.documented) return [...docComment(documentation(tool, context)), call].join('\n')
  if (tool.deprecated === undefined) return call
  return `${call} // ${['deprecated', successor(tool.deprecated, context.shown)].filter(Boolean).join(', ')}`
}

/** The envelope every command-line tool answers with, around results that differ; nothing where no tool says. */
export function envelopeOf(tools: readonly Tool[]): JsonObject | undefined {
  const schemas = tools.flatMap(({ backend, outputSchema }) =>
    backend === undefined && outputSchema !== undefined ? [outputSchema] : [],
  )
  if (schemas.length === 0) return undefined
  const properties = schemas.toReversed().flatMap(schema => Object.entries(propertiesIn(schema)))
  const required = schemas.map(schema => (isJsonArray(schema['required']) ? schema['required'] : []))
  const [first = []] = required
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), results: { $ref: '#/types/Results' } },
    required: first.filter(name => required.every(list => list.includes(name))),
  }
}

function propertiesIn({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {}
}

function parametersOf({ inputSchema, paged }: Tool, context: ToolContext): string {
  const declared = propertiesIn(inputSchema)
  const properties = paged === true ? { _next: { type: 'string' }, ...declared } : declared
  const schema = { ...inputSchema, type: 'object', properties }
  const known = propertiesOf(schema)
  if (known.length === 0 && inputSchema['additionalProperties'] === false) return ''
  return `args${known.every(({ optional }) => optional) ? '?' : ''}: ${toType(schema, context)}`
}

function resultOf({ backend, returns, outputSchema }: Tool, context: ToolContext): string {
  if (returns !== undefined) return toType(returns, context)
  if (outputSchema === undefined) return 'any'
  if (backend !== undefined) return toType(outputSchema, context)
  return `Envelope<${toType(propertiesIn(outputSchema)['results'], { ...context, documented: false })}>`
}

/** The type of what `.page` hands out to continue with, where it is no text. */
function cursorOf({ inputSchema }: Tool, context: ToolContext): string {
  const declared = propertiesIn(inputSchema)
  if (!Object.hasOwn(declared, '_next')) return ''
  const type = toType(declared['_next'], { ...context, documented: false })
  return type === 'string' ? '' : `, ${type}`
}

/** Description, hints, what to call before, and `@deprecated` last: a tag takes all that follows (DADL spec 4.2, 6, 6.7). */
function documentation(tool: Tool, { shown }: ToolContext): readonly string[] {
  const { description, hints = {}, dependsOn = [], deprecated } = tool
  const described = commentLine(description)
  const before = dependsOn.filter(name => shown.has(name)).map(code)
  const said = Object.entries(hints)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([topic, hint]) => commentLine(`- ${topic}: ${hint}`))
    .filter(line => !described.includes(line)) // a loader may have made them part of the description
  return paragraphs([
    commentLines(description),
    said.length === 0 ? [] : ['Hints:', ...said],
    before.length === 0 ? [] : [commentLine(`Call first: ${before.join(', ')}`)],
    deprecated === undefined ? [] : [`@deprecated ${deprecation(deprecated, shown)}`.trimEnd()],
  ])
}

function deprecation(deprecated: NonNullable<Tool['deprecated']>, shown: ReadonlySet<string>): string {
  return [commentLine(deprecated.reason ?? ''), successor(deprecated, shown)].filter(part => part !== '').join('; ')
}

function successor({ replacedBy }: NonNullable<Tool['deprecated']>, shown: ReadonlySet<string>): string {
  return replacedBy === undefined || !shown.has(replacedBy) ? '' : `use ${commentLine(code(replacedBy))} instead`
}

function code(name: string): string {
  return `\`${name}\``
}

/** What an API's description says to those who write code against it (DADL spec 4, 4.1, 4.4). */
export function apiDocumentation({ description, version, coverage = {}, examples = [] }: Api): readonly string[] {
  const { focus, missing } = coverage
  const facts = [
    ...(version === undefined ? [] : [`Version: ${version}`]),
    ...(typeof focus === 'string' ? [`Covers: ${focus}`] : []),
    ...(typeof missing === 'string' ? [`Leaves out: ${missing}`] : []),
  ]
  return paragraphs([
    commentLines(description),
    facts.map(commentLine),
    ...examples.map(example => [
      '@example',
      commentLine(`// ${[example.name, example.description].filter(part => part !== '').join(': ')}`),
      ...commentLines(example.code),
    ]),
  ])
}

function paragraphs(groups: readonly (readonly string[])[]): readonly string[] {
  return groups.filter(group => group.length > 0).flatMap((group, index) => (index === 0 ? group : ['', ...group]))
}

/** The first lines of a list of names. */
export function apiSummary({ description }: Api): string {
  return commentLine(summary(description))
}
