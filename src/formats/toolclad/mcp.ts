// `[mcp]`: a tool of another MCP server, behind this manifest's arguments (ToolClad spec, MCP proxy; reference/toolclad.md 1.8).
import type { McpBinding } from '../../backends/mcp/binding.ts'
import type { Binding } from '../../core/tool.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { toPointer } from '../../lib/pointer.ts'
import { isTomlTable } from '../../lib/toml.ts'
import type { Problems } from './problems.ts'
import { MCP } from './schema.ts'
import { hasKey, pathOf, readSection, readString } from './section.ts'
import type { Section } from './section.ts'
import { ANY_CONTROL } from './spec.ts'

/** The binding of `[mcp]`; `declared` are the names of the arguments. */
export function readMcp(manifest: Section, declared: readonly string[], problems: Problems): Binding {
  const mcp = readSection(manifest, 'mcp', MCP)
  for (const key of ['server', 'tool'] as const) {
    if (!hasKey(mcp, key)) problems.error('missing_key', mcp.path, `[mcp] needs a "${key}"`)
    const name = readString(mcp, key)
    if (name === '') problems.error('bad_name', pathOf(mcp, key), `"${key}" must not be empty`)
    if (name !== undefined && ANY_CONTROL.test(name))
      problems.error('bad_name', pathOf(mcp, key), `"${key}" must not contain control characters`)
  }
  const renamed = readFieldMap(mcp, declared, problems)
  return {
    kind: 'mcp',
    data: {
      server: readString(mcp, 'server') ?? '',
      tool: readString(mcp, 'tool') ?? '',
      arguments: declared.map(name => ({ name, as: renamed.get(name) ?? name })),
    } satisfies McpBinding,
  }
}

/** Where each argument goes: no two may meet, and none may be named that is not there. */
function readFieldMap(mcp: Section<typeof MCP>, declared: readonly string[], problems: Problems) {
  const renamed = new Map<string, string>()
  const table = mcp.table['field_map']
  if (table === undefined || !isTomlTable(table)) return renamed
  const at = (name: string): string => mcp.path + toPointer(['field_map', name])
  for (const [name, field] of Object.entries(table)) {
    const near = nearest(name, declared)
    if (!declared.includes(name))
      problems.error('mapping_unknown', at(name), `field_map names unknown argument '${name}'${didYouMean(near)}`, near)
    else if (typeof field === 'string') renamed.set(name, field)
    if (field === '') problems.error('bad_name', at(name), `argument '${name}' needs the name of a field`)
  }
  for (const [field, names] of Map.groupBy(declared, name => renamed.get(name) ?? name)) {
    const meeting = names.find(name => renamed.has(name))
    if (names.length > 1 && meeting !== undefined)
      problems.error('bad_name', at(meeting), `arguments '${names.join("' and '")}' would both become "${field}"`)
  }
  return renamed
}
