import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { makeAudit } from '../../test/helpers/audit.ts'
import type { TestAudit } from '../../test/helpers/audit.ts'
import type { Clock } from '../core/ports.ts'
import { systemClock } from '../io/system.ts'
import type { Audit } from './audit.ts'
import type { FinishedRecord, StartedRecord } from './record.ts'

const BASE = 1_800_000_000_000

describe('reader', () => {
  let made: TestAudit
  let now: number
  beforeEach(() => {
    made = makeAudit()
    now = BASE
  })
  afterEach(() => made.dispose())

  const clock: Clock = { ...systemClock, now: () => now }
  const open = (): Promise<Audit> => made.open({ clock })

  const start = (audit: Audit, id: string, more: Partial<StartedRecord> = {}): Promise<void> =>
    audit.started({ id, principal: 'local', tool: 'greet', toolHash: 'h', args: { who: id }, ...more })

  function end(audit: Audit, id: string, more: Partial<FinishedRecord> = {}): void {
    const steps = [{ step: 'authorize', decision: 'go' }] as const
    audit.finished({
      id,
      principal: 'local',
      tool: 'greet',
      toolHash: 'h',
      steps,
      outcome: 'ok',
      durationMs: 5,
      ...more,
    })
  }

  test('lists calls in the order they began, across writers that overlap', async () => {
    const first = await open()
    await start(first, 'a')
    now += 10
    const second = await open()
    await start(second, 'b')
    now += 10
    await start(first, 'c')
    now += 10
    await start(second, 'd')
    // Ends say nothing about the order.
    end(second, 'd')
    end(first, 'c')
    now += 10
    const third = await open()
    end(third, 'e', { outcome: 'denied', args: {} })
    end(first, 'a')
    end(second, 'b')
    for (const audit of [third, first, second]) await audit.close()
    const expected = ['a', 'b', 'c', 'd', 'e'].map((id, n) => [id, new Date(BASE + 10 * n).toISOString()])
    assert.deepEqual(
      (await made.calls()).map(({ id, time }) => [id, time]),
      expected,
    )
  })

  test('a call that ended has exactly these members', async () => {
    const audit = await open()
    await start(audit, 'outer')
    now += 1500
    end(audit, 'inner', {
      parent: 'outer',
      outcome: 'failed',
      args: { token: 'x', n: [1] },
      steps: [
        { step: 'authorize', decision: 'go' },
        { step: 'validate', decision: 'stop', reason: 'n: range' },
      ],
      error: { code: 'spawn_failed', message: 'no such program' },
      durationMs: 12.6,
    })
    await audit.close()
    const inner = await made.reader.show('inner')
    const outer = await made.reader.show('outer')
    assert.ok(inner !== undefined && outer !== undefined)
    assert.deepEqual(inner, {
      writer: outer.writer,
      seq: 2,
      id: 'inner',
      parent: 'outer',
      time: '2027-01-15T08:00:01.500Z',
      principal: 'local',
      tool: 'greet',
      tool_hash: 'h',
      args: { n: [1], token: '[masked]' },
      steps: [
        { decision: 'go', step: 'authorize' },
        { decision: 'stop', reason: 'n: range', step: 'validate' },
      ],
      outcome: 'failed',
      error: { code: 'spawn_failed', message: 'no such program' },
      duration_ms: 13,
      prev_hash: outer.hash,
      hash: inner.hash,
    })
    assert.match(inner.hash, /^[0-9a-f]{64}$/)
  })

  test('a call without an end has the same members, without those that only an end has', async () => {
    const audit = await open()
    await start(audit, 'running')
    const [call] = await made.calls()
    assert.deepEqual(Object.keys(call ?? {}), [
      'writer',
      'seq',
      'id',
      'time',
      'principal',
      'tool',
      'tool_hash',
      'args',
      'steps',
      'outcome',
      'duration_ms',
      'prev_hash',
      'hash',
    ])
    assert.deepEqual([call?.outcome, call?.steps, call?.duration_ms, call?.tool_hash], ['running', [], null, 'h'])
    await audit.close()
  })

  test('its time is when it began, its place and hash those of its end', async () => {
    const audit = await open()
    await start(audit, 'a')
    const begun = await made.reader.show('a')
    now += 60_000
    end(audit, 'a')
    await audit.close()
    const ended = await made.reader.show('a')
    assert.equal(ended?.time, begun?.time)
    assert.deepEqual([begun?.seq, ended?.seq, ended?.prev_hash], [1, 2, begun?.hash])
    assert.deepEqual([ended?.args, ended?.duration_ms], [{ who: 'a' }, 5])
  })

  test('a call that never ran is listed by its one record, and one of an unknown tool has no hash of it', async () => {
    const audit = await open()
    const steps = [{ step: 'authorize', decision: 'stop' }] as const
    audit.finished({
      id: 'x',
      principal: 'p',
      tool: 'nope',
      steps,
      outcome: 'denied',
      args: { cookie: 1 },
      durationMs: 0,
    })
    await audit.close()
    const [call] = await made.calls()
    assert.deepEqual(
      [call?.outcome, call?.args, call?.tool_hash, call?.seq],
      ['denied', { cookie: '[masked]' }, null, 1],
    )
  })

  test('an unknown id is no call', async () => {
    assert.equal(await made.reader.show('nothing'), undefined)
    assert.deepEqual(await made.calls(), [])
  })

  test('what retention erased is shown as empty', async () => {
    const audit = await open()
    await start(audit, 'a')
    end(audit, 'a', { error: { code: 'x', message: 'secret' } })
    await audit.close()
    edit(made, 'UPDATE audit_rows SET payload = NULL, salt = NULL')
    const call = await made.reader.show('a')
    assert.deepEqual([call?.args, call?.steps, call?.error, call?.outcome], [null, [], undefined, 'ok'])
  })

  for (const { name, sql } of [
    { name: 'a payload that is no JSON', sql: "payload = '{'" },
    { name: 'a payload that is no object', sql: "payload = '[1]'" },
    { name: 'steps that are no list', sql: `payload = '{"steps": 1}'` },
    { name: 'a time beyond every calendar', sql: 'time = (1 << 62)' },
    { name: 'a time before every calendar', sql: 'time = -(1 << 62)' },
  ])
    test(`${name}: the other calls are read all the same`, async () => {
      const audit = await open()
      for (const id of ['a', 'b', 'c']) {
        await start(audit, id)
        end(audit, id)
      }
      await audit.close()
      edit(made, `UPDATE audit_rows SET ${sql} WHERE call_id = 'b'`)
      assert.deepEqual(
        (await made.calls()).map(({ id, outcome }) => [id, outcome]),
        ['a', 'b', 'c'].map(id => [id, 'ok']),
      )
      assert.equal((await made.reader.verify()).ok, false)
    })
})

function edit({ database }: TestAudit, sql: string): void {
  const db = new DatabaseSync(database)
  db.exec(sql)
  db.close()
}
