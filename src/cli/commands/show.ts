import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { OfferedTool } from '../../gateway.ts'
import { isJsonArray } from '../../lib/json-array.ts'
import { defineCommand } from '../command.ts'
import type { FoundApi } from '../find-api.ts'
import { nameOf, withApis } from '../find-api.ts'
import { oneOperand } from '../find-tool.ts'
import { shortName } from '../open-workspace.ts'
import type { Printer } from '../print.ts'
import { visible, visibleLine } from '../visible.ts'

export const show = defineCommand({
  name: 'show',
  summary: 'show what an API file says: coverage, setup, credentials, examples, hints, its tools by access',
  operands: 'BACKEND|FILE',
  flags: {},
  details: 'Credentials are named; their values are never shown.',
  examples: [
    { line: 'sallyport show github', does: 'for people' },
    { line: 'sallyport show github --json', does: 'the same for a program' },
  ],
  run: async (args, cli) => {
    const operand = oneOperand(args.operands, 'BACKEND or FILE')
    return withApis(operand, { args, cli }, apis => {
      const shown = apis.map(toJson)
      const [only] = shown
      if (args.format === 'json') cli.print.json(shown.length === 1 ? only : shown)
      else cli.print.text(apis.map(api => toText(api, cli)).join('\n\n'))
      return Promise.resolve(0)
    })
  },
})

function toJson({ api, tools }: FoundApi) {
  const { name: _own, containsCode, types, ...rest } = api
  return {
    name: nameOf(api),
    ...rest,
    contains_code: containsCode,
    types: Object.keys(types),
    tools: tools.map(({ name, tool: { name: own, access, description, deprecated, dependsOn, hints } }) => ({
      name: own,
      exposed_as: name,
      access,
      description,
      depends_on: dependsOn,
      hints,
      ...(deprecated === undefined
        ? {}
        : { deprecated: deprecated.reason ?? true, replaced_by: deprecated.replacedBy }),
    })),
  }
}

interface Shown {
  readonly print: Printer
  readonly cwd: string
}

function toText({ api, tools }: FoundApi, { print, cwd }: Shown): string {
  const { version, description, file, credentials = [], coverage, setup, examples = [] } = api
  const head = (title: string): string => print.style('bold', title)
  const facts = [
    ['file', shortName(file, cwd) ?? ''],
    ['credentials', credentials.join(', ')],
    ['health', api.health ? `api.${nameOf(api)}.health()` : ''],
    ['contains code', api.containsCode ? 'yes: its composites' : ''],
  ].filter(([, value]) => value !== '')
  const sections: readonly (readonly [string, readonly string[]])[] = [
    [
      [nameOf(api), version].filter(part => part !== undefined).join(' '),
      [description.trimEnd(), ...facts.map(fact => fact.join(': '))],
    ],
    ['Coverage', coverage === undefined ? [] : lines(coverage)],
    ['Setup', setup === undefined ? [] : lines(setup)],
    [`Tools (${tools.length})`, byAccess(tools)],
    ['Deprecated', tools.flatMap(deprecation)],
    ['Hints', tools.flatMap(hintsOf)],
    ...examples.map(one => [`Example: ${one.name}`, [one.description, ...one.code.trimEnd().split('\n')]] as const),
  ]
  return sections
    .filter(([, body]) => body.length > 0)
    .map(([title, body]) => [head(visibleLine(title)), ...body.map(line => `  ${visible(line)}`)].join('\n'))
    .join('\n\n')
}

/** A mapping as its author wrote it. */
function lines(section: JsonObject): readonly string[] {
  return Object.entries(section).flatMap(([key, value]) => {
    const items = isJsonArray(value) ? value.map(item => `- ${plain(item)}`) : plain(value).trimEnd().split('\n')
    const [only = ''] = items
    return items.length === 1 && !isJsonArray(value)
      ? [`${key}: ${only}`]
      : [`${key}:`, ...items.map(item => `  ${item}`)]
  })
}

function plain(value: JsonValue): string {
  return typeof value === 'string'
    ? value
    : isJsonObject(value) || isJsonArray(value)
      ? JSON.stringify(value)
      : String(value)
}

function byAccess(tools: readonly OfferedTool[]): readonly string[] {
  return [...Map.groupBy(tools, ({ tool }) => tool.access)]
    .toSorted(([a], [b]) => Number(a === undefined) - Number(b === undefined) || ((a ?? '') < (b ?? '') ? -1 : 1))
    .map(
      ([access, group]) =>
        `${access ?? 'no access given'} (${group.length}): ${group.map(({ tool }) => tool.name).join(', ')}`,
    )
}

function deprecation({ tool: { name, deprecated } }: OfferedTool): readonly string[] {
  if (deprecated === undefined) return []
  const { reason, replacedBy } = deprecated
  const said = [reason, replacedBy === undefined ? undefined : `use ${replacedBy} instead`].filter(
    part => part !== undefined,
  )
  return [`${name}${said.length === 0 ? '' : `: ${said.join('; ')}`}`]
}

function hintsOf({ tool: { name, hints: own = {} } }: OfferedTool): readonly string[] {
  return Object.entries(own).map(([topic, hint]) => `${name}, ${topic}: ${hint}`)
}
