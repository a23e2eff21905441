import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import type { AuditRow, Durability } from '../store.ts'
import { openDatabase } from './database.ts'
import { unprivileged } from '../../../test/helpers/unprivileged.ts'
import { openSqliteStore } from './store.ts'

const folder = mkdtempSync(join(tmpdir(), 'sqlite-test-'))
describe('store', () => {
  after(() => rmSync(folder, { recursive: true }))
  let count = 0
  const fresh = (): string => join(folder, `${(count += 1)}.db`)
  const writer = { id: 'w', pid: 1, processStart: '1', bootId: 'b', openedAt: 1 }
  const row = (seq: number): AuditRow => ({
    writer: 'w',
    seq,
    kind: 'started',
    callId: `c${seq}`,
    parentId: null,
    time: 1,
    principal: 'local',
    tool: 'greet',
    toolHash: null,
    outcome: null,
    durationMs: null,
    payloadDigest: 'd',
    salt: 's',
    payload: '{}',
    prevHash: 'p',
    hash: 'h',
  })

  test('its files are for their owner alone', async () => {
    const file = fresh()
    const store = openSqliteStore({ file, durability: 'normal' })
    await store.openAuditWriter(writer)
    const files = readdirSync(folder).filter(name => name.startsWith(file.slice(folder.length + 1)))
    assert.equal(files.length, 3)
    for (const name of files) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
    await store.close()
  })

  test('files that others could read, as a restored copy has them, are closed to them', async () => {
    const file = fresh()
    const first = openSqliteStore({ file, durability: 'normal' })
    await first.openAuditWriter(writer)
    for (const suffix of ['', '-wal', '-shm']) chmodSync(file + suffix, 0o664)
    const second = openSqliteStore({ file, durability: 'normal' })
    for (const suffix of ['', '-wal', '-shm']) assert.equal(statSync(file + suffix).mode & 0o777, 0o600, suffix)
    await second.close()
    await first.close()
  })

  test('a database of a newer version is left alone', () => {
    const file = fresh()
    const db = new DatabaseSync(file)
    db.exec('CREATE TABLE audit_rows (of_tomorrow TEXT); PRAGMA user_version = 9999')
    db.close()
    const before = readFileSync(file)
    assert.throws(() => openSqliteStore({ file, durability: 'full' }), { code: 'store_newer' })
    assert.deepEqual(readFileSync(file), before)
  })

  test('what is no database, or in no folder, is a clear fault', () => {
    const file = fresh()
    writeFileSync(file, 'this is not a database, but long enough to be looked at as one')
    assert.throws(() => openSqliteStore({ file, durability: 'full' }), { code: 'store_unavailable' })
    assert.throws(() => openSqliteStore({ file: join(folder, 'no', 'x.db'), durability: 'full' }), {
      code: 'store_unavailable',
    })
  })

  test('somebody who holds the lock too long is a fault, not a hang', async () => {
    const file = fresh()
    const store = openSqliteStore({ file, durability: 'normal', busyTimeoutMs: 20 })
    const other = new DatabaseSync(file)
    other.exec('BEGIN EXCLUSIVE')
    await assert.rejects(store.openAuditWriter(writer), { code: 'store_unavailable' })
    other.exec('ROLLBACK')
    other.close()
    await store.openAuditWriter(writer)
    await store.close()
  })

  test('what somebody else may not write is a clear fault to him', async () => {
    const file = fresh()
    await openSqliteStore({ file, durability: 'full' }).close()
    chmodSync(folder, 0o755)
    const script = `import { openSqliteStore } from '${join(import.meta.dirname, 'store.ts')}'
    try { openSqliteStore({ file: '${file}', durability: 'full' }) } catch (error) { console.log(error.code) }`
    assert.equal(unprivileged(script), 'store_unavailable\n')
  })

  test('a reader that stopped between two pages keeps nobody from writing, nor the log from being trimmed', async () => {
    const file = fresh()
    const store = openSqliteStore({ file, durability: 'normal' })
    await store.openAuditWriter(writer)
    await store.appendAudit(Array.from({ length: 1200 }, (_, n) => row(n + 1)))
    const rows = store.auditRows()[Symbol.asyncIterator]()
    assert.equal((await rows.next()).value?.seq, 1)
    const other = new DatabaseSync(file)
    // Needs every other connection to hold neither a lock nor an old snapshot.
    assert.equal(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'], 0)
    assert.equal(statSync(`${file}-wal`).size, 0)
    other.exec('BEGIN EXCLUSIVE; DELETE FROM audit_rows WHERE seq = 600; COMMIT')
    other.close()
    const rest = []
    for (let next = await rows.next(); next.done !== true; next = await rows.next()) rest.push(next.value.seq)
    assert.equal(rest.length, 1198)
    await store.close()
  })

  test('numbers that no number holds, which Sallyport never writes, keep no row from being read', async () => {
    const file = fresh()
    const store = openSqliteStore({ file, durability: 'normal' })
    await store.openAuditWriter(writer)
    await store.appendAudit(Array.from({ length: 600 }, (_, n) => row(n + 1)))
    const other = new DatabaseSync(file)
    // All of these round to one number: a page that was asked for from there would be the same page for ever.
    other.exec('UPDATE audit_rows SET seq = seq + (1 << 62), time = (1 << 62)')
    other.close()
    const found = []
    for await (const { seq, time } of store.auditRows()) found.push({ seq, time })
    assert.deepEqual([found.length, found[0]], [600, { seq: 2 ** 62, time: 2 ** 62 }])
    await store.close()
  })

  test('kill -9 right after a commit: with `full` and `normal` it is there', async () => {
    for (const durability of ['full', 'normal']) {
      const file = fresh()
      const script = `import { openSqliteStore } from '${join(import.meta.dirname, 'store.ts')}'
      const store = openSqliteStore({ file: '${file}', durability: '${durability}' })
      await store.openAuditWriter(${JSON.stringify(writer)})
      await store.appendAudit([${JSON.stringify(row(1))}, ${JSON.stringify(row(2))}])
      process.kill(process.pid, 'SIGKILL')`
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
      assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL'])
      const store = openSqliteStore({ file, durability: 'full' })
      const found = []
      for await (const one of store.auditRows()) found.push(one)
      assert.deepEqual(found, [row(1), row(2)])
      await store.close()
    }
  })

  test('`full` writes through to the disk at every commit, `normal` does not', () => {
    const synchronous = (durability: Durability): unknown => {
      const db = openDatabase({ file: fresh(), durability })
      const found = db.prepare('PRAGMA synchronous').get()?.['synchronous']
      db.close()
      return found
    }
    assert.deepEqual([synchronous('full'), synchronous('normal')], [2, 1])
  })

  test('several processes may make it at once', async () => {
    const file = fresh()
    const script = `import { openSqliteStore } from '${join(import.meta.dirname, 'store.ts')}'
    const store = openSqliteStore({ file: '${file}', durability: 'full' })
    await store.openAuditWriter({ id: String(process.pid), pid: 1, processStart: '1', bootId: 'b', openedAt: 1 })
    await store.close()`
    const ends = Array.from({ length: 4 }, () =>
      once(spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }), 'exit'),
    )
    assert.deepEqual(
      (await Promise.all(ends)).map(([code]) => code),
      [0, 0, 0, 0],
    )
    const store = openSqliteStore({ file, durability: 'full' })
    assert.equal((await store.auditWriters()).length, 4)
    await store.close()
  })
})
