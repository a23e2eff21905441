import type { CallRequest } from '../core/call.ts'
import type { Outcome } from '../core/outcome.ts'
import type { CallOptions, Gateway } from '../gateway.ts'
import type { Cli } from './command.ts'
import { showOutcome } from './show-outcome.ts'

/** One call through the whole pipeline, its progress on stderr and its outcome on stdout. */
export async function makeCall(
  gateway: Gateway,
  request: CallRequest,
  options: Pick<CallOptions, 'principal' | 'approved' | 'explain'>,
  { print, signal }: Cli,
): Promise<Outcome> {
  const label = `Running ${request.tool}`
  const shown = print.progress(label)
  let outcome
  try {
    outcome = await gateway.call(request, {
      ...options,
      signal,
      progress: ({ message }) => shown.update(message === '' ? label : `${label}: ${message}`),
    })
  } finally {
    shown.stop()
  }
  showOutcome(outcome, request.tool, print)
  return outcome
}
