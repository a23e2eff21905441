import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { finishedRow, startedRow } from './unlinked-row.ts'

const placed = { writer: 'w', time: 1_800_000_000_000.25, salt: '00' }
const call = { id: 'c', principal: 'local', tool: 'greet' }

describe('a row before it is linked', () => {
  test('masks arguments, and holds whole numbers whatever the clock gives', () => {
    const row = startedRow({ ...call, args: { token: 'x', n: 1 } }, placed)
    assert.equal(row.payload, '{"args":{"n":1,"token":"[masked]"}}')
    assert.equal(row.time, 1_800_000_000_000)
    const ended = finishedRow({ ...call, steps: [], outcome: 'ok', durationMs: 1.5 }, placed)
    assert.deepEqual([ended.payload, ended.durationMs, ended.outcome], ['{"steps":[]}', 2, 'ok'])
  })

  test('holds only names that every store gives back as they were', () => {
    const { tool, principal, callId, parentId } = startedRow(
      { id: '\0', parent: '\ud800', principal: 'a\u001bb', tool: 'x'.repeat(1000), args: {} },
      placed,
    )
    assert.deepEqual([callId, parentId, principal, tool], ['\ufffd', '\ufffd', 'a\ufffdb', 'x'.repeat(256)])
  })

  test('stays below 64 KiB, whatever the caller sent', () => {
    const text = '\u0001'.repeat(1 << 20)
    const steps = Array.from({ length: 1000 }, () => ({ step: 'validate', decision: 'stop', reason: text }) as const)
    const { payload } = finishedRow(
      {
        ...call,
        args: { [text.slice(0, 500)]: text.slice(0, 500), list: Array.from({ length: 100_000 }, () => 'x') },
        steps,
        outcome: 'denied',
        error: { code: text, message: text },
        durationMs: 0,
      },
      placed,
    )
    assert.ok(Buffer.byteLength(payload) < 64 * 1024, String(Buffer.byteLength(payload)))
    assert.match(payload, /more characters/)
  })
})
