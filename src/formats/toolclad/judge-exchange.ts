// What an HTTP answer means (ToolClad spec, HTTP error semantics; ruling 27).
import type { ExchangeResult } from '../../core/tool.ts'
import type { ExpectedStatuses } from './http.ts'
import { cancelled, failed, judgeOutput } from './judge-output.ts'
import type { Judged } from './judge-output.ts'
import type { Output } from './output.ts'
import type { Status } from './spec.ts'

export interface ExchangeRules {
  readonly output: Output
  readonly statuses: ExpectedStatuses
}

export async function judgeExchange(raw: ExchangeResult, { output, statuses }: ExchangeRules): Promise<Judged> {
  const { body, ended, status, error, conceal } = raw
  if (ended === 'timeout') return failed(body, 'timeout', { message: 'There was no complete answer in time' })
  if (ended === 'cancelled') return cancelled(body)
  if (ended === 'failed' || error !== undefined || status === undefined)
    return failed(body, 'error', { code: 'failed', message: 'The request could not be made', ...error })
  const meaning = meaningOf(status, statuses)
  switch (meaning) {
    case 'success':
      return judgeOutput(body, output, { conceal, mayBeEmpty: hasNoContent(status, statuses) })
    case 'error':
      return failed(body, meaning, {
        code: 'unexpected_status',
        message: `The status ${status} is none that is expected`,
      })
    case 'redirect_blocked':
      return failed(body, meaning, { message: `The server redirects (${status}), and redirects are not followed` })
    case 'client_error':
    case 'server_error':
      return failed(body, meaning, { message: `The server answered with the status ${status}` })
  }
}

/** RFC 9110, 9.3.2, 15.3.5 and 15.3.6. */
function hasNoContent(status: number, { method }: ExpectedStatuses): boolean {
  return method === 'HEAD' || status === 204 || status === 205
}

type Meaning = Extract<Status, 'success' | 'error' | 'redirect_blocked' | 'client_error' | 'server_error'>

/** Redirects first; then the author's lists, success before error; then the class of the status. */
function meaningOf(status: number, { success, error }: ExpectedStatuses): Meaning {
  const meaning = classOf(status)
  if (meaning === 'redirect_blocked') return meaning
  if (success.includes(status)) return 'success'
  if (meaning !== 'success') return meaning
  return success.length > 0 || error.includes(status) ? 'error' : 'success'
}

function classOf(status: number): Meaning {
  if (status >= 200 && status < 300) return 'success'
  if (status >= 300 && status < 400) return 'redirect_blocked'
  if (status >= 400 && status < 500) return 'client_error'
  return status >= 500 && status < 600 ? 'server_error' : 'error'
}
