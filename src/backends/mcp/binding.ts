import { bindingReader } from '../binding.ts'

/** What a format tells this backend: the tool of another server, and where each argument goes. Plain data. */
export type McpBinding = {
  readonly server: string
  readonly tool: string
  readonly arguments: readonly { readonly name: string; readonly as: string }[]
}

export const mcpBinding = bindingReader<McpBinding>('mcp', ['server', 'tool', 'arguments'])
