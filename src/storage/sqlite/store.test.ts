import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { openSqliteStore } from './store.ts'

const folder = mkdtempSync(join(tmpdir(), 'sqlite-test-'))
describe('store', () => {
  after(() => rmSync(folder, { recursive: true }))
  let count = 0
  const fresh = (): string => join(folder, `${(count += 1)}.db`)
  const writer = { id: 'w', pid: 1, processStart: '1', bootId: 'b', openedAt: 1 }

  test('its files are for their owner alone', async () => {
    const file = fresh()
    const store = openSqliteStore({ file, durability: 'normal' })
    await store.openAuditWriter(writer)
    const files = readdirSync(folder).filter(name => name.startsWith(file.slice(folder.length + 1)))
    assert.equal(files.length, 3)
    for (const name of files) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
    await store.close()
  })

  test('a database of a newer version is left alone', () => {
    const file = fresh()
    const db = new DatabaseSync(file)
    db.exec('PRAGMA user_version = 9999')
    db.close()
    assert.throws(() => openSqliteStore({ file, durability: 'full' }), { code: 'store_newer' })
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
