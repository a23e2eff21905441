import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { makeAudit } from '../../test/helpers/audit.ts'
import type { TestAudit } from '../../test/helpers/audit.ts'
import { rowHash } from './chain.ts'
import { verifyAudit } from './verify.ts'

const ROWS = 12
const CALL = { principal: 'p', tool: 't', args: {}, steps: [], outcome: 'ok', durationMs: 1 } as const

interface Chain extends TestAudit {
  readonly writer: string
  readonly db: DatabaseSync
  readonly problems: () => Promise<readonly (readonly [number, string])[]>
}

/** A chain of twelve rows of one writer, and a second writer that nobody touches. */
async function withChain(use: (chain: Chain) => Promise<void>): Promise<void> {
  const made = makeAudit()
  // As whoever edits a database would open it.
  const db = new DatabaseSync(made.database, { enableForeignKeyConstraints: false })
  try {
    for (const rows of [ROWS, 3]) {
      const audit = await made.open()
      for (let n = 0; n < rows; n++) audit.finished({ id: `${rows}-${n}`, ...CALL, args: { n } })
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
    withChain(async ({ db, folder, writer, heads, problems }) => {
      const hash = String(db.prepare('SELECT hash FROM audit_rows WHERE writer = ? AND seq = 5').get(writer)?.['hash'])
      rmSync(join(folder, 'heads', `${writer}.head`))
      heads.create(writer, { seq: 5, hash }).close()
      assert.deepEqual(await problems(), [])
      db.prepare('DELETE FROM audit_rows WHERE writer = ? AND seq = 5').run(writer)
      assert.deepEqual(await problems(), [[5, 'missing']])
    }))

  test('a chain written anew from any row on is found by its head (property)', () =>
    withChain(async ({ db, writer, store, problems }) => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: ROWS }), async from => {
          let prevHash: string | undefined
          const rows = await all(store.auditRows({ writer, afterSeq: from - 1 }))
          for (const row of rows) {
            const forged = { ...row, tool: 'forged', prevHash: prevHash ?? row.prevHash }
            prevHash = rowHash(forged)
            db.prepare('UPDATE audit_rows SET tool = ?, prev_hash = ?, hash = ? WHERE writer = ? AND seq = ?').run(
              forged.tool,
              forged.prevHash,
              prevHash,
              writer,
              row.seq,
            )
          }
          const found = await problems()
          restore(db)
          assert.deepEqual(found, [[ROWS, 'edited']])
        }),
        { numRuns: ROWS },
      )
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

  test('a payload that retention erased is no problem, half an erasure is', () =>
    withChain(async ({ db, writer, reader, calls, problems }) => {
      db.exec('UPDATE audit_rows SET payload = NULL, salt = NULL WHERE seq < 5')
      assert.equal((await reader.verify()).ok, true)
      assert.equal((await calls()).length, 15)
      db.prepare('UPDATE audit_rows SET payload = NULL WHERE writer = ? AND seq = 7').run(writer)
      db.prepare('UPDATE audit_rows SET salt = NULL WHERE writer = ? AND seq = 9').run(writer)
      db.prepare("UPDATE audit_rows SET payload = '{}' WHERE writer = ? AND seq = 2").run(writer)
      assert.deepEqual(await problems(), [
        [2, 'edited'],
        [7, 'edited'],
        [9, 'edited'],
      ])
    }))

  test('a payload that was hidden by moving its beginning into the salt', () =>
    withChain(async ({ db, writer, problems }) => {
      db.prepare(
        `UPDATE audit_rows SET salt = salt || substr(payload, 1, 3), payload = substr(payload, 4)
         WHERE writer = ? AND seq = 6`,
      ).run(writer)
      assert.deepEqual(await problems(), [[6, 'edited']])
    }))

  test('numbers beyond all that Sallyport writes are edits like any other', () =>
    withChain(async ({ db, writer, problems }) => {
      const edit = db.prepare('UPDATE audit_rows SET time = ?, duration_ms = ? WHERE writer = ? AND seq = 3')
      for (const value of [2n ** 62n, -(2n ** 63n), 2n ** 53n]) {
        edit.run(value, value, writer)
        assert.deepEqual(await problems(), [[3, 'edited']])
      }
    }))

  test('a writer that vanished with all its rows', () =>
    withChain(async ({ db, writer, problems }) => {
      db.prepare('DELETE FROM audit_rows WHERE writer = ?').run(writer)
      db.prepare('DELETE FROM audit_writers WHERE id = ?').run(writer)
      assert.deepEqual(await problems(), [[0, 'writer_missing']])
    }))

  test('a writer that was removed while its rows stay', () =>
    withChain(async ({ db, writer, reader, problems }) => {
      db.prepare('DELETE FROM audit_writers WHERE id = ?').run(writer)
      assert.deepEqual(await problems(), [[0, 'writer_missing']])
      assert.deepEqual([(await reader.verify()).writers, (await reader.verify()).records], [1, 15])
    }))

  test('rows of a writer that never was, with a chain that fits', () =>
    withChain(async ({ db, folder, writer, reader, problems }) => {
      db.exec(`INSERT INTO audit_rows SELECT 'forged', seq, kind, 'forged' || call_id, parent_id, time, principal, tool,
        tool_hash, outcome, duration_ms, payload_digest, salt, payload, prev_hash, hash FROM audit_rows LIMIT 2`)
      assert.deepEqual((await reader.verify()).problems, [{ writer: 'forged', seq: 0, kind: 'writer_missing' }])
      db.exec("DELETE FROM audit_rows WHERE writer = 'forged'")
      // With its row among the writers it still has no head, though everybody may read its file by its name.
      writeFileSync(join(folder, 'outside'), '')
      db.exec("INSERT INTO audit_writers VALUES ('../outside', 1, '1', 'b', 1)")
      assert.deepEqual((await reader.verify()).problems, [{ writer: '../outside', seq: 0, kind: 'edited' }])
      db.exec("DELETE FROM audit_writers WHERE id = '../outside'")
      assert.deepEqual([writer.length > 0, await problems()], [true, []])
    }))

  test('a row that was given to another writer is missed there, and strange here', () =>
    withChain(async ({ db, writer, reader }) => {
      const other = String(db.prepare('SELECT id FROM audit_writers WHERE id <> ?').get(writer)?.['id'])
      db.prepare('UPDATE audit_rows SET writer = ?, seq = 4 WHERE writer = ? AND seq = 4').run(other, writer)
      const { problems } = await reader.verify()
      assert.deepEqual(
        new Map(problems.map(({ writer: of, seq, kind }) => [of, [seq, kind]])),
        new Map([
          [other, [4, 'edited']],
          [writer, [4, 'missing']],
        ]),
      )
    }))

  test('a writer whose identity was edited', () =>
    withChain(async ({ db, writer, problems }) => {
      db.prepare('UPDATE audit_writers SET pid = 1 WHERE id = ?').run(writer)
      assert.deepEqual(await problems(), [[1, 'edited']])
    }))

  for (const { name, damage } of [
    { name: 'overwritten', damage: (file: string) => writeFileSync(file, 'nonsense') },
    { name: 'emptied', damage: (file: string) => truncateSync(file) },
    { name: 'removed', damage: (file: string) => rmSync(file) },
    { name: 'a folder', damage: (file: string) => (rmSync(file), mkdirSync(file)) },
    {
      name: 'a link',
      damage: (file: string) => (renameSync(file, `${file}.moved`), symlinkSync(`${file}.moved`, file)),
    },
  ])
    test(`a head that is ${name} is named at the last row, and the other chain is still judged`, () =>
      withChain(async ({ folder, writer, problems }) => {
        damage(join(folder, 'heads', `${writer}.head`))
        assert.deepEqual(await problems(), [[ROWS, 'edited']])
      }))

  test('a damaged head of a writer that is gone', () =>
    withChain(async ({ db, folder, writer, problems }) => {
      writeFileSync(join(folder, 'heads', `${writer}.head`), 'nonsense')
      db.prepare('DELETE FROM audit_rows WHERE writer = ?').run(writer)
      db.prepare('DELETE FROM audit_writers WHERE id = ?').run(writer)
      assert.deepEqual(await problems(), [[0, 'writer_missing']])
    }))

  test('a head whose writer never came to write is no problem', () =>
    withChain(async ({ heads, problems }) => {
      heads.create('unused', { seq: 0, hash: '0'.repeat(64) }).close()
      assert.deepEqual(await problems(), [])
    }))

  test('a writer that begins while the chains are walked is no stranger', () =>
    withChain(async made => {
      let asked = 0
      const auditWriters = async () => {
        const writers = await made.store.auditWriters()
        if ((asked += 1) > 1) return writers
        const audit = await made.open()
        audit.finished({ id: 'late', ...CALL })
        await audit.close()
        return writers
      }
      const { ok, writers, problems } = await verifyAudit({ ...made.store, auditWriters }, made.heads)
      assert.deepEqual({ ok, writers, problems }, { ok: true, writers: 2, problems: [] })
    }))

  test('twenty thousand rows, and only so many problems of a chain that is no chain any more', async () => {
    const made = makeAudit()
    try {
      const audit = await made.open()
      for (let n = 0; n < 20_000; n++) audit.finished({ id: `c${n}`, ...CALL })
      await audit.close()
      assert.deepEqual(await made.reader.verify(), { ok: true, writers: 1, records: 20_000, problems: [] })
      const db = new DatabaseSync(made.database)
      db.exec('DELETE FROM audit_rows WHERE seq % 2 = 0')
      db.close()
      const { ok, records, problems } = await made.reader.verify()
      assert.deepEqual([ok, records, problems.length], [false, 10_000, 1000])
    } finally {
      await made.dispose()
    }
  })
})

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found = []
  for await (const item of items) found.push(item)
  return found
}

/** Puts every row back as it was. */
function restore(db: DatabaseSync): void {
  db.exec('INSERT OR REPLACE INTO main.audit_rows SELECT * FROM shadow.audit_rows')
}
