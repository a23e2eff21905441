import type { JsonObject } from '../core/json.ts'
import type { Tool } from '../core/tool.ts'

/** A tool as MCP clients see it. */
export interface McpTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject & { readonly type: 'object' }
  readonly outputSchema?: JsonObject & { readonly type: 'object' }
  readonly annotations?: JsonObject
}

/** `name` is the one clients see. */
export function toMcpTool({ name, tool }: { readonly name: string; readonly tool: Tool }): McpTool {
  const { description, inputSchema, outputSchema, annotations } = tool
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    ...(outputSchema === undefined ? {} : { outputSchema: { ...outputSchema, type: 'object' } }),
    ...(annotations === undefined ? {} : { annotations }),
  }
}
