import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { makeAudit } from '../../test/helpers/audit.ts'
import type { TestAudit } from '../../test/helpers/audit.ts'
import { until } from '../../test/helpers/processes.ts'
import { GatewayError } from '../core/errors.ts'
import type { AuditRow, Store } from '../storage/store.ts'
import type { FinishedRecord, StartedRecord } from './record.ts'

let made: TestAudit
describe('audit', () => {
  before(() => {
    made = makeAudit(30)
  })
  after(() => made.dispose())

  let count = 0
  function started(more: Partial<StartedRecord> = {}): StartedRecord {
    count += 1
    return { id: `call-${count}`, principal: 'local', tool: 'greet', toolHash: 'h', args: { who: 'you' }, ...more }
  }

  function finished({ id }: { readonly id: string }, more: Partial<FinishedRecord> = {}): FinishedRecord {
    const steps = [{ step: 'authorize', decision: 'go' }] as const
    return { id, principal: 'local', tool: 'greet', toolHash: 'h', steps, outcome: 'ok', durationMs: 5, ...more }
  }

  /** The real store, and how many rows each commit had. */
  function counting(store: Store): { readonly store: Store; readonly commits: number[] } {
    const commits: number[] = []
    const appendAudit = (rows: readonly AuditRow[]): Promise<void> => {
      commits.push(rows.length)
      return store.appendAudit(rows)
    }
    return { store: { ...store, appendAudit }, commits }
  }

  describe('the writer', () => {
    test('a call is in the store when `started` resolves', async () => {
      const audit = await made.open()
      const record = started()
      await audit.started(record)
      const [call] = (await made.calls()).filter(({ id }) => id === record.id)
      assert.deepEqual([call?.outcome, call?.args, call?.steps], ['running', { who: 'you' }, []])
      audit.finished(finished(record))
      await audit.close()
      const [ended] = (await made.calls()).filter(({ id }) => id === record.id)
      assert.deepEqual([ended?.outcome, ended?.duration_ms, ended?.seq], ['ok', 5, 2])
    })

    test('what comes at one moment is one commit', async () => {
      const { store, commits } = counting(made.store)
      const audit = await made.open({ store })
      const records = Array.from({ length: 100 }, () => started())
      await Promise.all(records.map(record => audit.started(record)))
      for (const record of records) audit.finished(finished(record))
      await audit.close()
      assert.deepEqual(commits, [100, 100])
    })

    test('callers that wait for nothing else leave the event loop to others', async () => {
      const audit = await made.open()
      const others = new AbortController()
      setTimeout(() => others.abort(), 0)
      const caller = async (): Promise<number> => {
        let calls = 0
        for (; !others.signal.aborted && calls < 1000; calls++) {
          const record = started()
          await audit.started(record)
          audit.finished(finished(record))
        }
        return calls
      }
      const calls = await Promise.all([caller(), caller()])
      assert.ok(Math.max(...calls) < 1000, String(calls))
      await audit.close()
    })

    test('a process that records nothing leaves no trace', async () => {
      const writers = (await made.store.auditWriters()).length
      const heads = (await made.heads.list()).size
      const audit = await made.open()
      await audit.close()
      await audit.close()
      assert.deepEqual([(await made.store.auditWriters()).length, (await made.heads.list()).size], [writers, heads])
    })

    test('names no database gives back as they came, and arguments of any size, still verify', async () => {
      const audit = await made.open()
      for (const tool of ['\0', 'a\0b', '\ud800', '\u007f\u001b[31m', 'x'.repeat(1 << 20), ''])
        audit.finished({
          ...finished(started({ tool })),
          tool,
          args: { ['\ud800']: '\udfff\0', big: 'y'.repeat(1 << 20) },
        })
      await audit.close()
      assert.deepEqual(await made.reader.verify().then(({ problems }) => problems), [])
    })

    test('a store that cannot be written: nothing starts, nothing is lost, and it goes on when it can', async () => {
      const audit = await made.open()
      const running = started()
      await audit.started(running)
      const other = new DatabaseSync(made.database)
      other.exec('BEGIN EXCLUSIVE')
      audit.finished(finished(running))
      await assert.rejects(audit.started(started()), { code: 'store_unavailable' })
      await assert.rejects(audit.started(started()), { code: 'store_unavailable' })
      other.exec('ROLLBACK')
      other.close()
      await until('the finished row is written', async () => (await made.reader.show(running.id))?.outcome === 'ok')
      const later = started()
      await audit.started(later)
      audit.finished(finished(later))
      await audit.close()
      assert.equal((await made.reader.show(later.id))?.outcome, 'ok')
      assert.deepEqual((await made.reader.verify()).problems, [])
    })

    test('a commit whose answer was lost is not made twice', async () => {
      const own = makeAudit()
      try {
        let lost = 0
        const appendAudit = async (rows: readonly AuditRow[]): Promise<void> => {
          await own.store.appendAudit(rows)
          // As when the connection to a server breaks after it has committed.
          if ((lost += 1) <= 2) throw new GatewayError('store_unavailable', 'the answer was lost')
        }
        const audit = await own.open({ store: { ...own.store, appendAudit } })
        const [refused, refusedToo, running] = [started(), started(), started()]
        await assert.rejects(audit.started(refused), { code: 'store_unavailable' })
        audit.finished(finished(refused, { outcome: 'failed', args: {} }))
        await until('the row is in the store', async () => (await own.reader.show(refused.id))?.outcome === 'failed')
        await until('it writes again', () =>
          audit.started(refusedToo).then(
            () => true,
            () => false,
          ),
        )
        audit.finished(finished(refusedToo))
        await audit.started(running)
        await audit.close()
        assert.deepEqual(
          (await own.calls()).map(({ id, outcome }) => [id, outcome]),
          [
            [refused.id, 'failed'],
            [refusedToo.id, 'ok'],
            [running.id, 'running'],
          ],
        )
        assert.deepEqual(await own.reader.verify(), { ok: true, writers: 1, records: 5, problems: [] })
      } finally {
        await own.dispose()
      }
    })

    test('nor when the next commit fails as well', async () => {
      const own = makeAudit()
      try {
        let attempt = 0
        const appendAudit = async (rows: readonly AuditRow[]): Promise<void> => {
          attempt += 1
          if (attempt !== 2) await own.store.appendAudit(rows)
          if (attempt <= 2) throw new GatewayError('store_unavailable', 'the connection broke')
        }
        const audit = await own.open({ store: { ...own.store, appendAudit } })
        audit.finished(finished({ id: 'first' }, { args: {} }))
        await until('its answer is lost', () => attempt === 1)
        audit.finished(finished({ id: 'second' }, { args: {} }))
        await until('the next one fails', () => attempt === 2)
        await until('both are written', async () => (await own.reader.show('second')) !== undefined)
        await audit.close()
        assert.deepEqual(
          (await own.calls()).map(({ id }) => id),
          ['first', 'second'],
        )
        assert.deepEqual(await own.reader.verify(), { ok: true, writers: 1, records: 2, problems: [] })
      } finally {
        await own.dispose()
      }
    })

    test('a commit that was made after it had failed takes nothing else with it', async () => {
      const own = makeAudit()
      try {
        let late: readonly AuditRow[] = []
        let attempt = 0
        // As when a server commits what it had received before its connection broke.
        const appendAudit = async (rows: readonly AuditRow[]): Promise<void> => {
          attempt += 1
          if (attempt === 1) {
            late = rows
            throw new GatewayError('store_unavailable', 'the connection broke')
          }
          if (attempt === 2) await own.store.appendAudit(late)
          await own.store.appendAudit(rows)
        }
        const audit = await own.open({ store: { ...own.store, appendAudit } })
        audit.finished(finished({ id: 'first' }, { args: {} }))
        await until('its connection breaks', () => attempt === 1)
        audit.finished(finished({ id: 'second' }, { args: {} }))
        await until('both are written', async () => (await own.reader.show('second')) !== undefined)
        await audit.close()
        assert.deepEqual(
          (await own.calls()).map(({ id, seq }) => [id, seq]),
          [
            ['first', 1],
            ['second', 2],
          ],
        )
        assert.deepEqual(await own.reader.verify(), { ok: true, writers: 1, records: 2, problems: [] })
      } finally {
        await own.dispose()
      }
    })

    test('while the store is away, calls that ran wait for it without a limit, those that ran nothing up to one', async () => {
      const own = makeAudit(0)
      try {
        const audit = await own.open()
        const ran = Array.from({ length: 50 }, () => started())
        await Promise.all(ran.map(record => audit.started(record)))
        const other = new DatabaseSync(own.database)
        other.exec('BEGIN EXCLUSIVE')
        const args = { texts: Array.from({ length: 8 }, () => 'x'.repeat(4096)) }
        const refused = Array.from({ length: 5000 }, () => started())
        for (const record of refused) audit.finished(finished(record, { outcome: 'failed', args }))
        for (const record of ran) audit.finished(finished(record))
        await assert.rejects(audit.started(started()), { code: 'store_unavailable' })
        other.exec('ROLLBACK')
        other.close()
        await audit.close()
        const calls = await own.calls()
        assert.equal(calls.filter(({ outcome }) => outcome === 'ok').length, ran.length)
        const kept = calls.filter(({ outcome }) => outcome === 'failed').length
        assert.ok(kept > 1000 && kept < refused.length, String(kept))
        assert.deepEqual((await own.reader.verify()).problems, [])
      } finally {
        await own.dispose()
      }
    })

    test('everybody who closes it waits until all is written', async () => {
      const audit = await made.open()
      const record = started()
      audit.finished(finished(record, { args: {} }))
      void audit.close()
      await audit.close()
      assert.equal((await made.reader.show(record.id))?.outcome, 'ok')
    })

    test('after it was closed nothing starts', async () => {
      const audit = await made.open()
      await audit.close()
      await assert.rejects(audit.started(started()), { code: 'closed' })
    })
  })
})
