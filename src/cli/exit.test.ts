import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonValue } from '../core/json.ts'
import type { Outcome } from '../core/outcome.ts'
import { exitOf } from './exit.ts'
import { outcomeJson } from '../pipeline/shapes.ts'

const REFUSALS = [{ argument: 'a', fence: 'nul', message: 'no NUL' }] as const
const ENVELOPE = { status: 'error', results: null }

describe('an outcome has an exit code and a JSON form', () => {
  const cases: readonly {
    readonly name: string
    readonly outcome: Outcome
    readonly run: number
    readonly call: number
    readonly json: JsonValue
  }[] = [
    { name: 'a value', outcome: { status: 'ok', result: { value: [1] } }, run: 0, call: 0, json: [1] },
    {
      name: 'refused arguments',
      outcome: { status: 'denied', by: 'argument', refusals: REFUSALS },
      run: 1,
      call: 1,
      json: { refusals: [...REFUSALS] },
    },
    {
      name: 'out of scope',
      outcome: { status: 'denied', by: 'scope', refusals: REFUSALS },
      run: 1,
      call: 1,
      json: { refusals: [...REFUSALS] },
    },
    {
      name: 'approval needed',
      outcome: { status: 'denied', by: 'approval', code: 'approval_required', reason: 'ask' },
      run: 5,
      call: 5,
      json: { denied: { by: 'approval', code: 'approval_required', reason: 'ask' } },
    },
    {
      name: 'a gate said no',
      outcome: { status: 'denied', by: 'gate', code: 'night', reason: 'closed' },
      run: 5,
      call: 5,
      json: { denied: { by: 'gate', code: 'night', reason: 'closed' } },
    },
    {
      name: 'a backend that does not exist yet',
      outcome: { status: 'denied', by: 'backend', code: 'not_executable', reason: 'no sessions' },
      run: 3,
      call: 3,
      json: { denied: { by: 'backend', code: 'not_executable', reason: 'no sessions' } },
    },
    {
      name: 'a program that may not be run',
      outcome: { status: 'denied', by: 'backend', code: 'interpreter', reason: 'an interpreter' },
      run: 2,
      call: 3,
      json: { denied: { by: 'backend', code: 'interpreter', reason: 'an interpreter' } },
    },
    {
      name: 'a tool that failed, with its envelope',
      outcome: {
        status: 'failed',
        code: 'timeout',
        message: '',
        retryable: false,
        exit: 3,
        result: { value: ENVELOPE },
      },
      run: 3,
      call: 3,
      json: ENVELOPE,
    },
    {
      name: 'a fault before anything ran',
      outcome: { status: 'failed', code: 'store_unavailable', message: 'm', retryable: true, exit: 3 },
      run: 3,
      call: 3,
      json: { error: { code: 'store_unavailable', message: 'm', retryable: true, tool: 't' } },
    },
    {
      name: 'output that does not parse',
      outcome: { status: 'failed', code: 'parse', message: '', retryable: false, exit: 4, result: { value: ENVELOPE } },
      run: 4,
      call: 4,
      json: ENVELOPE,
    },
    {
      name: 'a command that cannot be constructed',
      outcome: { status: 'failed', code: 'file_unreadable', message: 'm', retryable: false, exit: 2 },
      run: 2,
      call: 3,
      json: { error: { code: 'file_unreadable', message: 'm', retryable: false, tool: 't' } },
    },
    {
      name: 'waiting for a person',
      outcome: { status: 'pending', approvalId: 'x', expiresAt: 5 },
      run: 5,
      call: 5,
      json: { pending: { approval_id: 'x', expires_at: 5 } },
    },
  ]
  for (const { name, outcome, run, call, json } of cases)
    test(name, () => {
      assert.deepEqual([exitOf(outcome, 'run'), exitOf(outcome, 'call')], [run, call])
      assert.deepEqual(outcomeJson(outcome, 't'), json)
    })
})
