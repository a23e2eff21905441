import type { Outcome, Refusal } from '../core/outcome.ts'
import { outcomeJson } from '../pipeline/shapes.ts'
import type { Printer } from './print.ts'
import { visibleLine } from './visible.ts'

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
