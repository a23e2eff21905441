// The JSON Schemas an MCP client sees (ruling 28): they never refuse what the validators accept or what an envelope holds.
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Parameter, RiskTier } from '../../core/tool.ts'
import { isJsonArray } from '../../lib/json-array.ts'
import { isPortablePattern } from '../../lib/regex.ts'
import type { Argument } from './arguments.ts'
import type { Output } from './output.ts'
import { HIDDEN_KEYWORDS, STATUSES } from './spec.ts'

/** Arguments by `position`, then as declared. */
export function toParameters(args: readonly Argument[]): readonly Parameter[] {
  return byPosition(args).map(argument => ({
    name: argument.name,
    type: argument.typeName,
    required: isRequired(argument),
    description: argument.description,
    ...defaultOf(argument),
  }))
}

export function toInputSchema(args: readonly Argument[]): JsonObject {
  const ordered = byPosition(args)
  const properties = ordered.map((argument): readonly [string, JsonValue] => [
    argument.name,
    {
      ...argument.schema,
      ...(argument.description === '' ? {} : { description: argument.description }),
      ...defaultOf(argument),
    },
  ])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: ordered.filter(isRequired).map(argument => argument.name),
    additionalProperties: false,
  }
}

/** Nothing where `envelope = false`: the shape then depends on the status. `mcp`: results may be a preview. */
export function toOutputSchema(output: Output, mcp: boolean): JsonObject | undefined {
  if (!output.envelope) return undefined
  const text = { type: 'string' }
  return {
    type: 'object',
    properties: {
      status: { type: 'string', enum: STATUSES },
      scan_id: text,
      tool: text,
      command: text,
      duration_ms: { type: 'integer' },
      timestamp: text,
      exit_code: { type: 'integer' },
      stderr: text,
      output_hash: text,
      output_truncated: { type: 'boolean' },
      output_redacted: { type: 'boolean' },
      output_file: text,
      results: toResultsSchema(output, mcp),
    },
    required: [
      'status',
      'scan_id',
      'tool',
      'command',
      'duration_ms',
      'timestamp',
      'exit_code',
      'stderr',
      'output_hash',
      'results',
    ],
  }
}

export function toAnnotations(riskTier: RiskTier, egress: boolean): JsonObject | undefined {
  const destructive = riskTier === 'high' || riskTier === 'critical'
  if (!destructive && !egress) return undefined
  return { ...(destructive ? { destructiveHint: true } : {}), ...(egress ? { openWorldHint: true } : {}) }
}

/** Results of a success, or of any other status. */
function toResultsSchema({ schema }: Output, mcp: boolean): JsonObject {
  const shown = schema === undefined ? undefined : toShown(schema.json)
  if (shown === undefined) return {}
  return { anyOf: [shown, UNPARSED, ...(mcp ? [PREVIEW] : [])] }
}

const UNPARSED = { type: 'object', properties: { raw_output: { type: 'string' } }, required: ['raw_output'] }
/** `delegation_preview` */
const PREVIEW = {
  type: 'object',
  properties: { mcp_server: { type: 'string' }, mcp_tool: { type: 'string' }, mcp_args: { type: 'object' } },
  required: ['mcp_server', 'mcp_tool', 'mcp_args'],
}

/** The author's schema as another validator may read it; `undefined` where one could understand it differently. */
function toShown(schema: JsonValue): JsonValue | undefined {
  if (!isJsonObject(schema)) return schema
  const entries: [string, JsonValue][] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (HIDDEN_KEYWORDS.has(keyword)) continue
    if (keyword === 'pattern' && (typeof value !== 'string' || !isPortablePattern(value))) return undefined
    const shown = SUBSCHEMAS.get(keyword)?.(value) ?? (SUBSCHEMAS.has(keyword) ? undefined : value)
    if (shown === undefined) return undefined
    entries.push([keyword, shown])
  }
  return Object.fromEntries(entries)
}

const SUBSCHEMAS: ReadonlyMap<string, (value: JsonValue) => JsonValue | undefined> = new Map([
  ['properties', eachMember],
  ['items', toShown],
  ['additionalProperties', toShown],
  ['not', toShown],
  ['anyOf', eachItem],
  ['oneOf', eachItem],
  ['allOf', eachItem],
])

function eachMember(value: JsonValue): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined
  const entries = Object.entries(value).map(([name, schema]) => [name, toShown(schema)] as const)
  const known = entries.flatMap(([name, schema]): [string, JsonValue][] =>
    schema === undefined ? [] : [[name, schema]],
  )
  return known.length === entries.length ? Object.fromEntries(known) : undefined
}

function eachItem(value: JsonValue): JsonValue | undefined {
  if (!isJsonArray(value)) return undefined
  const known = value.map(item => toShown(item)).filter(schema => schema !== undefined)
  return known.length === value.length ? known : undefined
}

function byPosition(args: readonly Argument[]): readonly Argument[] {
  return args.toSorted((a, b) => (a.position === b.position ? 0 : a.position < b.position ? -1 : 1))
}

/** A default satisfies `required`. */
function isRequired(argument: Argument): boolean {
  return argument.required && argument.default === undefined
}

/** In the JSON type the argument denotes, where a JSON number holds it exactly. */
function defaultOf(argument: Argument): { readonly default?: JsonValue } {
  const { default: value, type } = argument
  if (value === undefined) return {}
  if (type.json === 'boolean') return { default: value === 'true' }
  if (type.json === 'integer' && Number.isSafeInteger(Number(value))) return { default: Number(value) }
  if (type.json === 'number') return { default: Number(value) }
  return type.json === 'string' ? { default: value } : {}
}
