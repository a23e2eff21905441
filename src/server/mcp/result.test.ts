import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ToolResult } from '../../core/outcome.ts'
import { toCallResult } from './result.ts'

type Answered = Parameters<typeof toCallResult>[0]

const envelope: ToolResult = { value: { status: 'error', exit_code: 2 } }

// Contract, JSON shapes; ruling ToolClad 28.
const CASES: readonly {
  readonly name: string
  readonly outcome: Answered
  readonly text: unknown
  readonly structured?: object
  readonly isError?: true
}[] = [
  {
    name: 'an object is text and structured content',
    outcome: { status: 'ok', result: { value: { a: 1 } } },
    text: { a: 1 },
    structured: { a: 1 },
  },
  { name: 'a list is text alone', outcome: { status: 'ok', result: { value: [1, 2] } }, text: [1, 2] },
  { name: 'a text is JSON', outcome: { status: 'ok', result: { value: 'plain' } }, text: 'plain' },
  { name: 'nothing is null', outcome: { status: 'ok', result: { value: null } }, text: null },
  {
    name: 'what a tool keeps for MCP clients comes first',
    outcome: { status: 'ok', result: { value: { whole: true }, mcp: { text: [1], structured: { results: [1] } } } },
    text: [1],
    structured: { results: [1] },
  },
  {
    name: 'what a tool keeps without structure has none',
    outcome: { status: 'ok', result: { value: { whole: true }, mcp: { text: { a: 1 } } } },
    text: { a: 1 },
  },
  {
    name: 'the envelope of a run that failed is structured content',
    outcome: { status: 'failed', code: 'error', message: 'm', retryable: false, exit: 3, result: envelope },
    text: envelope.value,
    structured: { status: 'error', exit_code: 2 },
    isError: true,
  },
  {
    name: 'a fault is an error object',
    outcome: { status: 'failed', code: 'spawn_failed', message: 'no', retryable: true, exit: 3 },
    text: { error: { code: 'spawn_failed', message: 'no', retryable: true, tool: 'a_tool' } },
    isError: true,
  },
  {
    name: 'refused arguments',
    outcome: { status: 'denied', by: 'argument', refusals: [{ argument: 'a', fence: 'empty', message: 'is empty' }] },
    text: { refusals: [{ argument: 'a', fence: 'empty', message: 'is empty' }] },
    isError: true,
  },
  {
    name: 'a target out of scope is a refusal',
    outcome: { status: 'denied', by: 'scope', refusals: [{ argument: 'a', fence: 'scope', message: 'not ours' }] },
    text: { refusals: [{ argument: 'a', fence: 'scope', message: 'not ours' }] },
    isError: true,
  },
  {
    name: 'a denial',
    outcome: { status: 'denied', by: 'gate', code: 'quota', reason: 'enough for today' },
    text: { denied: { by: 'gate', code: 'quota', reason: 'enough for today' } },
    isError: true,
  },
  {
    name: 'an approval that is waited for',
    outcome: { status: 'pending', approvalId: 'x1', expiresAt: 7 },
    text: { pending: { approval_id: 'x1', expires_at: 7 } },
    isError: true,
  },
]

for (const { name, outcome, text, structured, isError } of CASES)
  test(`MCP result: ${name}`, () => {
    const { content, ...rest } = toCallResult(outcome, 'a_tool')
    assert.deepEqual(content, [{ type: 'text', text: JSON.stringify(text) }])
    assert.deepEqual(rest, {
      ...(structured === undefined ? {} : { structuredContent: structured }),
      ...(isError === undefined ? {} : { isError }),
    })
  })
