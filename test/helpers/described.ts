import type { Api } from '../../src/core/api.ts'
import type { Tool } from '../../src/core/tool.ts'

/** An API as a file may describe it. */
export function describedApi(more: Partial<Api> = {}): Api {
  return { name: 'shop', description: 'A shop', types: {}, health: false, containsCode: false, ...more }
}

/** A tool of that API that takes nothing, gives anything and cannot be run. */
export function describedTool(name: string, more: Partial<Tool> = {}): Tool {
  return {
    name,
    backend: 'shop',
    format: 'dadl',
    description: '',
    needsApproval: false,
    timeoutMs: 1000,
    parameters: [],
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    binding: { kind: 'rest', data: {} },
    definition: {},
    validate: values => ({ ok: true, values }),
    interpret: () => ({ ok: true, result: { value: null } }),
    locate: () => ({ line: 1, column: 1 }),
    ...more,
  }
}

/** The same tool of the command line. */
export function describedCommand(name: string, more: Partial<Tool> = {}): Tool {
  const { backend: _none, ...tool } = describedTool(name, { format: 'toolclad', ...more })
  return tool
}
