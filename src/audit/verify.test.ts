import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { makeAudit } from '../../test/helpers/audit.ts'
import type { TestAudit } from '../../test/helpers/audit.ts'
import { rowHash } from './chain.ts'

const ROWS = 12

interface Chain extends TestAudit {
  readonly writer: string
  readonly db: DatabaseSync
  readonly problems: () => Promise<readonly (readonly [number, string])[]>
}

/** A chain of twelve rows of one writer, and a second writer that nobody touches. */
async function withChain(use: (chain: Chain) => Promise<void>): Promise<void> {
  const made = makeAudit()
  const db = new DatabaseSync(made.database)
  try {
    for (const rows of [ROWS, 3]) {
      const audit = await made.open()
      for (let n = 0; n < rows; n++)
        audit.finished({
          id: `${rows}-${n}`,
          principal: 'p',
          tool: 't',
          args: { n },
          steps: [],
          outcome: 'ok',
          durationMs: n,
        })
      await audit.close()
    }
    db.exec("ATTACH ':memory:' AS shadow; CREATE TABLE shadow.audit_rows AS SELECT * FROM main.audit_rows")
    const writer = String(
      db.prepare('SELECT writer FROM audit_rows GROUP BY writer HAVING count(*) = ?').get(ROWS)?.['writer'],
    )
    const problems = async () => {
      const found = await made.reader.verify()
      assert.equal(found.ok, found.problems.length === 0)
      for (const problem of found.problems) assert.equal(problem.writer, writer)
      return found.problems.map(({ seq, kind }) => [seq, kind] as const)
    }
    await use({ ...made, writer, db, problems })
  } finally {
    db.close()
    await made.dispose()
  }
}

describe('verify', () => {
  test('a whole chain is whole', () =>
    withChain(async ({ reader }) => {
      assert.deepEqual(await reader.verify(), { ok: true, writers: 2, records: 15, problems: [] })
    }))

  const COLUMNS = [
    'kind',
    'call_id',
    'parent_id',
    'time',
    'principal',
    'tool',
    'tool_hash',
    'outcome',
    'duration_ms',
    'payload_digest',
    'salt',
    'payload',
    'prev_hash',
    'hash',
  ]

  test('any field of any row that is edited is found there (property)', () =>
    withChain(async ({ db, writer, problems }) => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: ROWS }), fc.constantFrom(...COLUMNS), async (seq, column) => {
          const value =
            column === 'kind' ? 'started' : column === 'time' || column === 'duration_ms' ? 987_654 : 'edited'
          db.prepare(`UPDATE audit_rows SET ${column} = ? WHERE writer = ? AND seq = ?`).run(value, writer, seq)
          const found = await problems()
          db.prepare('DELETE FROM audit_rows WHERE writer = ?').run(writer)
          restore(db)
          assert.ok(
            found.some(([at, kind]) => at === seq && kind === 'edited'),
            `${column} of ${seq}: ${JSON.stringify(found)}`,
          )
        }),
        { numRuns: 60 },
      )
    }))

  test('rows that are removed, anywhere, are missed or cut off (property)', () =>
    withChain(async ({ db, writer, problems }) => {
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(fc.integer({ min: 1, max: ROWS }), { minLength: 1, maxLength: ROWS - 1 }),
          async gone => {
            for (const seq of gone) db.prepare('DELETE FROM audit_rows WHERE writer = ? AND seq = ?').run(writer, seq)
            const found = await problems()
            db.prepare('DELETE FROM audit_rows WHERE writer = ?').run(writer)
            restore(db)
            const kept = Array.from({ length: ROWS }, (_, n) => n + 1).filter(seq => !gone.includes(seq))
            const end = Math.max(...kept)
            const tail = end < ROWS
            assert.equal(
              found.some(([at, kind]) => kind === 'truncated' && at === end + 1),
              tail,
            )
            assert.equal(
              found.some(([, kind]) => kind === 'missing'),
              gone.some(seq => seq < end),
            )
            assert.ok(!found.some(([, kind]) => kind === 'edited' || kind === 'reordered'), JSON.stringify(found))
          },
        ),
        { numRuns: 60 },
      )
    }))

  test('two rows that changed places are named as such (property)', () =>
    withChain(async ({ db, writer, problems }) => {
      const two = fc.uniqueArray(fc.integer({ min: 1, max: ROWS }), { minLength: 2, maxLength: 2 })
      await fc.assert(
        fc.asyncProperty(two, async ([a = 0, b = 0]) => {
          const move = db.prepare('UPDATE audit_rows SET seq = ? WHERE writer = ? AND seq = ?')
          move.run(9999, writer, a)
          move.run(a, writer, b)
          move.run(b, writer, 9999)
          const found = await problems()
          db.prepare('DELETE FROM audit_rows WHERE writer = ?').run(writer)
          restore(db)
          for (const seq of [a, b])
            assert.ok(
              found.some(([at, kind]) => at === seq && kind === 'reordered'),
              JSON.stringify(found),
            )
        }),
        { numRuns: 30 },
      )
    }))

  test('a row that was moved to a free place is named as such', () =>
    withChain(async ({ db, writer, problems }) => {
      db.prepare('UPDATE audit_rows SET seq = 40 WHERE writer = ? AND seq = 4').run(writer)
      assert.deepEqual(await problems(), [
        [4, 'missing'],
        [13, 'missing'],
        [40, 'reordered'],
      ])
    }))

  test('rows that moved up over a removed one are named as such', () =>
    withChain(async ({ db, writer, problems }) => {
      db.prepare('DELETE FROM audit_rows WHERE writer = ? AND seq = 9').run(writer)
      for (const seq of [10, 11, 12])
        db.prepare('UPDATE audit_rows SET seq = ? WHERE writer = ? AND seq = ?').run(seq - 1, writer, seq)
      assert.deepEqual(await problems(), [
        [9, 'reordered'],
        [10, 'reordered'],
        [11, 'reordered'],
        [12, 'truncated'],
      ])
    }))

  test('a head that lags behind, as a kill leaves it, is no problem; its row is missed like any other', () =>
    withChain(async ({ db, folder, writer, problems }) => {
      const hash = String(db.prepare('SELECT hash FROM audit_rows WHERE writer = ? AND seq = 5').get(writer)?.['hash'])
      writeFileSync(join(folder, 'heads', `${writer}.head`), `0000000000000005 ${hash}\n`)
      assert.deepEqual(await problems(), [])
      db.prepare('DELETE FROM audit_rows WHERE writer = ? AND seq = 5').run(writer)
      assert.deepEqual(await problems(), [[5, 'missing']])
    }))

  test('a chain written anew from any row on is found by its head', () =>
    withChain(async ({ db, writer, store, problems }) => {
      let prevHash = ''
      for await (const row of store.auditRows({ writer })) {
        const forged = row.seq < 7 ? row : { ...row, tool: 'forged', prevHash }
        const hash = row.seq < 7 ? row.hash : rowHash(forged)
        db.prepare('UPDATE audit_rows SET tool = ?, prev_hash = ?, hash = ? WHERE writer = ? AND seq = ?').run(
          forged.tool,
          forged.prevHash,
          hash,
          writer,
          row.seq,
        )
        prevHash = hash
      }
      assert.deepEqual(await problems(), [[ROWS, 'edited']])
    }))

  test('one row written anew does not fit the next', () =>
    withChain(async ({ db, writer, store, problems }) => {
      for await (const row of store.auditRows({ writer }))
        if (row.seq === 5) {
          const forged = { ...row, tool: 'forged' }
          db.prepare('UPDATE audit_rows SET tool = ?, hash = ? WHERE writer = ? AND seq = 5').run(
            forged.tool,
            rowHash(forged),
            writer,
          )
        }
      assert.deepEqual(await problems(), [[5, 'edited']])
    }))

  test('a payload that retention erased is no problem', () =>
    withChain(async ({ db, reader, calls }) => {
      db.exec('UPDATE audit_rows SET payload = NULL, salt = NULL WHERE seq < 5')
      assert.equal((await reader.verify()).ok, true)
      assert.equal((await calls()).length, 15)
    }))

  test('a writer that vanished with all its rows', () =>
    withChain(async ({ db, writer, problems }) => {
      db.prepare('DELETE FROM audit_rows WHERE writer = ?').run(writer)
      db.prepare('DELETE FROM audit_writers WHERE id = ?').run(writer)
      assert.deepEqual(await problems(), [[0, 'writer_missing']])
    }))

  test('a writer whose identity was edited', () =>
    withChain(async ({ db, writer, problems }) => {
      db.prepare('UPDATE audit_writers SET pid = 1 WHERE id = ?').run(writer)
      assert.deepEqual(await problems(), [[1, 'edited']])
    }))

  test('a head that is gone or damaged', () =>
    withChain(async ({ folder, writer, heads, problems }) => {
      const file = join(folder, 'heads', `${writer}.head`)
      writeFileSync(file, 'nonsense')
      assert.deepEqual(await problems(), [[ROWS, 'edited']])
      rmSync(file)
      assert.deepEqual(await problems(), [[ROWS, 'edited']])
      assert.equal((await heads.list()).size, 1)
    }))
})

/** Puts every row back as it was. */
function restore(db: DatabaseSync): void {
  db.exec('INSERT OR REPLACE INTO main.audit_rows SELECT * FROM shadow.audit_rows')
}
