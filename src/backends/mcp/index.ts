import type { JsonObject } from '../../core/json.ts'
import type { Clock, Ids } from '../../core/ports.ts'
import type { Tool, Values } from '../../core/tool.ts'
import { makeScanId } from '../scan-id.ts'
import type { Backend, Prepared, Preview } from '../backend.ts'
import { mcpBinding } from './binding.ts'
import type { McpBinding } from './binding.ts'

export interface McpDeps {
  readonly clock: Clock
  readonly ids: Ids
}

/** A call of another server's tool. */
export type McpPreview = {
  readonly kind: 'mcp'
  readonly server: string
  readonly tool: string
  readonly arguments: JsonObject
}

const preview: Preview<McpPreview> = (tool, values) => ({
  kind: 'mcp',
  ...toDelegation(mcpBinding.parse(tool.binding.data), values),
})

/** `[mcp]`: says what another server would be asked, and asks nobody (ToolClad spec, Dispatch Modes). */
export const mcp = {
  kind: 'mcp',
  open: (deps: McpDeps): Backend => ({
    kind: 'mcp',
    prepare: async tool => prepare(tool, deps),
    close: () => Promise.resolve(), // nothing was started
  }),
  preview,
} as const

function toDelegation({ server, tool, arguments: fields }: McpBinding, values: Values) {
  const given = fields.flatMap(({ name, as }) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return value === undefined ? [] : [[as, value] as const]
  })
  return { server, tool, arguments: Object.fromEntries(given) }
}

function prepare(tool: Tool, { clock, ids }: McpDeps): Prepared {
  const binding = mcpBinding.parse(tool.binding.data)
  return {
    diagnostics: [],
    callable: {
      resolve: async values => {
        const delegation = toDelegation(binding, values)
        const run = async () => {
          const startedAt = clock.now()
          const scanId = makeScanId({ clock, ids })
          return { kind: 'delegation', ...delegation, scanId, startedAt, durationMs: 0 } as const
        }
        return { status: 'ready', ready: { preview: { kind: 'mcp', ...delegation }, run } }
      },
    },
  }
}
