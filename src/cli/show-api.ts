import { memberAccess } from '../catalog/typegen/text.ts'
import { isJsonObject } from '../core/json.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import type { OfferedTool } from '../gateway.ts'
import { isJsonArray } from '../lib/json-array.ts'
import type { FoundApi } from './find-api.ts'
import { nameOf } from './find-api.ts'
import { shortName } from './open-workspace.ts'
import type { Printer } from './print.ts'
import { visibleLine } from './visible.ts'

/** As a program gets it: what the file says as it says it, and its tools. */
export function apiJson({ api, tools }: FoundApi) {
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
  readonly print: Pick<Printer, 'style'>
  readonly cwd: string
}

/** As a person gets it. Whatever the file holds, every line is one of ours. */
export function apiText({ api, tools }: FoundApi, { print, cwd }: Shown): string {
  const { version, description, file, credentials = [], coverage, setup, examples = [] } = api
  const head = (title: string): string => print.style('bold', title)
  const facts = [
    ['file', shortName(file, cwd) ?? ''],
    ['credentials', credentials.join(', ')],
    ['health', api.health ? `api${memberAccess(nameOf(api))}.health()` : ''],
    ['contains code', api.containsCode ? 'yes: its composites' : ''],
  ].filter(([, value]) => value !== '')
  const sections: readonly (readonly [string, readonly string[]])[] = [
    [
      [nameOf(api), version].filter(part => part !== undefined).join(' '),
      [...textLines(description), ...facts.map(fact => fact.join(': '))],
    ],
    ['Coverage', coverage === undefined ? [] : lines(coverage)],
    ['Setup', setup === undefined ? [] : lines(setup)],
    [`Tools (${tools.length})`, byAccess(tools)],
    ['Deprecated', tools.flatMap(deprecation)],
    ['Hints', tools.flatMap(hintsOf)],
    ...examples.map(one => [`Example: ${one.name}`, [...textLines(one.description), ...textLines(one.code)]] as const),
  ]
  return sections
    .filter(([, body]) => body.length > 0)
    .map(([title, body]) => [head(visibleLine(title)), ...body.map(line => `  ${visibleLine(line)}`)].join('\n'))
    .join('\n\n')
}

/** A mapping as its author wrote it. */
function lines(section: JsonObject): readonly string[] {
  return Object.entries(section).flatMap(([key, value]) => {
    const items = isJsonArray(value) ? value.map(item => `- ${plain(item)}`) : textLines(plain(value))
    const [only = ''] = items
    return items.length === 1 && !isJsonArray(value)
      ? [`${key}: ${only}`]
      : [`${key}:`, ...items.map(item => `  ${item}`)]
  })
}

/** Text that may have several; any other is one line, whatever it holds. */
function textLines(text: string): readonly string[] {
  return text.trimEnd() === '' ? [] : text.trimEnd().split('\n')
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
