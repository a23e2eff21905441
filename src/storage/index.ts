import { openSqliteStore } from './sqlite/store.ts'
import type { Store } from './store.ts'

interface StoreMember {
  readonly kind: string
  /** Opens the store, making it where it does not exist. Each member has options of its own. */
  readonly open: (options: never) => Store
}

/** Where the gateway keeps what must outlive it. */
export const STORES = {
  sqlite: { kind: 'sqlite', open: openSqliteStore },
} as const satisfies Readonly<Record<string, StoreMember>>
