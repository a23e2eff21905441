import * as z from 'zod'

/** What a format tells this backend: the tool of another server, and where each argument goes. */
export const mcpBinding = z.strictObject({
  server: z.string(),
  tool: z.string(),
  arguments: z.array(z.strictObject({ name: z.string(), as: z.string() })),
})

export type McpBinding = z.infer<typeof mcpBinding>
