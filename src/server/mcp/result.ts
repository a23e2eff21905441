// The one place where outcomes become MCP results (ruling ToolClad 28).
import type { CallToolResult } from '@modelcontextprotocol/server'
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Outcome, ToolResult } from '../../core/outcome.ts'

type Answered = Exclude<Outcome, { readonly by: 'authorization' }>

/**
 * An envelope, whatever its status, is structured content. Refusals, denials, pending approvals and faults are not:
 * a client that validates structured content would throw, and the model would never see the reason.
 */
export function toCallResult(outcome: Answered, tool: string): CallToolResult {
  switch (outcome.status) {
    case 'ok': {
      return content(outcome.result)
    }
    case 'failed': {
      if (outcome.result !== undefined) return { ...content(outcome.result), isError: true }
      const { code, message, retryable } = outcome
      return refused({ error: { code, message, retryable, tool } })
    }
    case 'pending':
      return refused({ pending: { approval_id: outcome.approvalId, expires_at: outcome.expiresAt } })
    case 'denied': {
      if (!('refusals' in outcome))
        return refused({ denied: { by: outcome.by, code: outcome.code, reason: outcome.reason } })
      const refusals = outcome.refusals.map(({ argument, fence, message }) => ({ argument, fence, message }))
      return refused({ refusals })
    }
  }
}

function content({ value, mcp }: ToolResult): CallToolResult {
  const { text, structured } = mcp ?? { text: value, structured: isJsonObject(value) ? value : undefined }
  return {
    content: [{ type: 'text', text: JSON.stringify(text) }],
    ...(structured === undefined ? {} : { structuredContent: { ...structured } }),
  }
}

function refused(value: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], isError: true }
}
