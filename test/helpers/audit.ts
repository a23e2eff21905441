import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAudit } from '../../src/audit/audit.ts'
import type { Audit } from '../../src/audit/audit.ts'
import { openAuditReader } from '../../src/audit/reader.ts'
import type { AuditReader } from '../../src/audit/reader.ts'
import type { AuditCall } from '../../src/audit/record.ts'
import type { Clock } from '../../src/core/ports.ts'
import { isAlive, processIdentity } from '../../src/io/process.ts'
import { systemClock, systemIds } from '../../src/io/system.ts'
import { openHeads } from '../../src/storage/heads.ts'
import type { Heads } from '../../src/storage/heads.ts'
import { STORES } from '../../src/storage/index.ts'
import type { Store } from '../../src/storage/store.ts'
import { SILENT } from './gateway.ts'

export interface TestAudit {
  readonly folder: string
  readonly database: string
  readonly store: Store
  readonly heads: Heads
  readonly reader: AuditReader
  /** A writer of its own. */
  readonly open: (options?: { readonly store?: Store; readonly clock?: Clock }) => Promise<Audit>
  readonly calls: () => Promise<readonly AuditCall[]>
  readonly dispose: () => Promise<void>
}

/** A real store in a temporary folder. */
export function makeAudit(busyTimeoutMs = 5000): TestAudit {
  const folder = mkdtempSync(join(tmpdir(), 'audit-test-'))
  const database = join(folder, 'sallyport.db')
  const store = STORES.sqlite.open({ file: database, durability: 'normal', busyTimeoutMs })
  const heads = openHeads(join(folder, 'heads'))
  const reader = openAuditReader({ store, heads, isAlive })
  return {
    folder,
    database,
    store,
    heads,
    reader,
    open: async options =>
      openAudit({
        store,
        heads,
        clock: systemClock,
        ids: systemIds,
        logger: SILENT,
        process: await processIdentity(),
        ...options,
      }),
    calls: async () => {
      const calls = []
      for await (const call of reader.list()) calls.push(call)
      return calls
    },
    dispose: async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}
