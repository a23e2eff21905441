// What every store promises. A new member of the table is a new row of OPENERS, and nothing else here.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { STORES } from './index.ts'
import type { AuditRow, AuditWriter, Store } from './store.ts'

interface Opener {
  /** Opens the same data again, as another process would. */
  readonly open: () => Promise<Store>
  readonly dispose: () => Promise<void>
}

/** How each member is opened over fresh data. */
const OPENERS: Readonly<Record<keyof typeof STORES, () => Promise<Opener>>> = {
  sqlite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'store-test-'))
    return {
      open: async () => STORES.sqlite.open({ file: join(folder, 'test.db'), durability: 'full' }),
      dispose: async () => rmSync(folder, { recursive: true }),
    }
  },
}

function writer(id: string): AuditWriter {
  return { id, pid: 42, processStart: '1', bootId: 'boot', openedAt: 1_800_000_000_000 }
}

function row(of: string, seq: number, more: Partial<AuditRow> = {}): AuditRow {
  return {
    writer: of,
    seq,
    kind: 'started',
    callId: `${of}-${seq}`,
    parentId: null,
    time: 1_800_000_000_000 + seq,
    principal: 'local',
    tool: 'greet',
    toolHash: null,
    outcome: null,
    durationMs: null,
    payloadDigest: 'd',
    salt: 's',
    payload: '{"args":{"x":"é🚪"}}',
    prevHash: 'p',
    hash: 'h',
    ...more,
  }
}

async function all(rows: AsyncIterable<AuditRow>): Promise<readonly AuditRow[]> {
  const found = []
  for await (const one of rows) found.push(one)
  return found
}

for (const { kind } of Object.values(STORES))
  describe(kind, () => {
    let opener: Opener
    let store: Store
    beforeEach(async () => {
      opener = await OPENERS[kind]()
      store = await opener.open()
      await store.openAuditWriter(writer('a'))
      await store.openAuditWriter(writer('b'))
    })
    afterEach(async () => {
      await store.close()
      await store.close()
      await opener.dispose()
    })

    test('gives back what was written, in every field, also to another process', async () => {
      const written = [
        row('a', 1),
        row('a', 2, {
          kind: 'finished',
          parentId: 'x',
          toolHash: 't',
          outcome: 'ok',
          durationMs: 7,
          salt: null,
          payload: null,
        }),
      ]
      await store.appendAudit(written)
      const other = await opener.open()
      assert.deepEqual(await all(other.auditRows()), written)
      assert.deepEqual(await other.auditWriters(), [writer('a'), writer('b')])
      await other.close()
    })

    test('orders rows by writer, then place, over more than a page', async () => {
      const rows = (of: string): readonly AuditRow[] => Array.from({ length: 1200 }, (_, n) => row(of, n + 1))
      await store.appendAudit(rows('b'))
      await store.appendAudit(rows('a'))
      const found = await all(store.auditRows())
      assert.deepEqual(
        found.map(r => [r.writer, r.seq]),
        ['a', 'b'].flatMap(of => rows(of).map(r => [of, r.seq])),
      )
    })

    test('finds the rows of a call, of a writer, and after a place', async () => {
      await store.appendAudit([row('a', 1, { callId: 'c' }), row('a', 2), row('b', 1, { callId: 'c' }), row('b', 2)])
      const places = async (query: Parameters<Store['auditRows']>[0]) =>
        (await all(store.auditRows(query))).map(r => `${r.writer}${r.seq}`)
      assert.deepEqual(await places({ callId: 'c' }), ['a1', 'b1'])
      assert.deepEqual(await places({ writer: 'b' }), ['b1', 'b2'])
      assert.deepEqual(await places({ afterSeq: 1 }), ['a2', 'b2'])
      assert.deepEqual(await places({ writer: 'a', callId: 'c' }), ['a1'])
      assert.deepEqual(await places({ callId: "' OR 1=1 --" }), [])
    })

    test('writes a batch whole or not at all, and never a place twice', async () => {
      await store.appendAudit([row('a', 1)])
      await assert.rejects(store.appendAudit([row('a', 2), row('a', 1), row('a', 3)]), { code: 'store_unavailable' })
      assert.deepEqual(
        (await all(store.auditRows())).map(r => r.seq),
        [1],
      )
      await store.appendAudit([row('a', 2)])
    })

    test('knows a writer before its rows, and once', async () => {
      await assert.rejects(store.appendAudit([row('nobody', 1)]), { code: 'store_unavailable' })
      await assert.rejects(store.openAuditWriter(writer('a')), { code: 'store_unavailable' })
    })

    test('can be read while another process writes', async () => {
      const other = await opener.open()
      await store.appendAudit(Array.from({ length: 600 }, (_, n) => row('a', n + 1)))
      let seen = 0
      for await (const one of other.auditRows({ writer: 'a' })) {
        seen += 1
        if (one.seq === 1) await store.appendAudit([row('a', 601)])
      }
      assert.equal(seen, 601)
      await other.close()
    })

    test('says that it cannot be used once it is closed', async () => {
      await store.close()
      await assert.rejects(store.appendAudit([row('a', 1)]), { code: 'store_unavailable' })
      await assert.rejects(all(store.auditRows()), { code: 'store_unavailable' })
    })
  })
