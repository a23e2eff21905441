// Outcomes and dry runs as JSON, in the shapes of `docs/reference/shapes.md`.
import type { JsonObject, JsonValue } from '../core/json.ts'
import type { Outcome, Refusal } from '../core/outcome.ts'
import type { DryRun } from './dry-run.ts'

/** The JSON of an outcome, as the shapes of the reference have it. */
export function outcomeJson(outcome: Outcome, tool: string): JsonValue {
  switch (outcome.status) {
    case 'ok':
      return outcome.result.value
    case 'pending':
      return { pending: { approval_id: outcome.approvalId, expires_at: outcome.expiresAt } }
    case 'failed': {
      if (outcome.result !== undefined) return outcome.result.value
      const { code, message, retryable } = outcome
      return { error: { code, message, retryable, tool } }
    }
    case 'denied':
      if ('refusals' in outcome) return refusalsJson(outcome.refusals)
      return { denied: { by: outcome.by, code: outcome.code, reason: outcome.reason } }
  }
}

export function refusalsJson(refusals: readonly Refusal[]): JsonObject {
  return { refusals: refusals.map(({ argument, fence, message }) => ({ argument, fence, message })) }
}

/** What `test` prints. */
export function reportJson(report: DryRun): JsonObject {
  const { tool, preview = {}, values, checks, refusals, timeoutMs, riskTier } = report
  return {
    tool,
    ...shownPreview(preview),
    values,
    checks,
    timeout_seconds: timeoutMs / 1000,
    ...(riskTier === undefined ? {} : { risk_tier: riskTier }),
    ...(refusals.length === 0 ? {} : refusalsJson(refusals)),
  }
}

/** What another server would be asked has a tool of its own. */
export function shownPreview(preview: JsonObject): JsonObject {
  const { kind = '', ...request } = preview
  return kind === 'mcp' ? { kind, request } : preview
}
