import type { Store } from '../src/storage/store.ts'

/** A store that keeps nothing: what the audit costs is the difference. */
export const forgetful: Store = {
  openAuditWriter: async () => {},
  appendAudit: async () => {},
  auditWriters: async () => [],
  auditRows: async function* () {},
  close: async () => {},
}
