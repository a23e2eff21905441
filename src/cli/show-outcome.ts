import type { Outcome, Refusal } from '../core/outcome.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import type { Printer } from './print.ts'
import { visibleLine } from './visible.ts'

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

/** The outcome on stdout as JSON, and what went wrong on stderr in words. */
export function showOutcome(outcome: Outcome, tool: string, print: Printer): void {
  print.json(outcomeJson(outcome, tool))
  if (outcome.status === 'failed') print.note(`sallyport: ${visibleLine(outcome.message)}`)
  if (outcome.status === 'pending') print.note('sallyport: a person has to approve this call first')
  if (outcome.status !== 'denied') return
  if ('refusals' in outcome) noteRefusals(outcome.refusals, print)
  else print.note(`sallyport: ${visibleLine(outcome.reason)}`)
}

export function noteRefusals(refusals: readonly Refusal[], print: Printer): void {
  for (const { fence, message } of refusals) print.note(`sallyport: ${visibleLine(message)} [${fence}]`)
}
