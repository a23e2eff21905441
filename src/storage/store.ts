/** The process that writes a chain of audit rows. A call without an end is running while its writer lives. */
export interface AuditWriter {
  readonly id: string
  readonly pid: number
  /** What tells this process from a later one with the same pid, e.g. its start time in clock ticks since boot. */
  readonly processStart: string
  readonly bootId: string
  /** Unix milliseconds. */
  readonly openedAt: number
}

/**
 * One row of a writer's chain. `hash` covers every field but `payload` and `salt`, which it covers through
 * `payloadDigest`: retention may erase both and the chain still verifies.
 */
export interface AuditRow {
  readonly writer: string
  /** 1, 2, 3 … within the writer, without gaps. */
  readonly seq: number
  readonly kind: 'started' | 'finished'
  readonly callId: string
  readonly parentId: string | null
  /** Unix milliseconds. */
  readonly time: number
  readonly principal: string
  readonly tool: string
  readonly toolHash: string | null
  /** Of a finished row. */
  readonly outcome: string | null
  readonly durationMs: number | null
  /** SHA-256 of salt and payload, hex. */
  readonly payloadDigest: string
  readonly salt: string | null
  /** Canonical JSON: masked arguments, steps, error. */
  readonly payload: string | null
  readonly prevHash: string
  readonly hash: string
}

export interface AuditQuery {
  readonly callId?: string
  readonly writer?: string
  /** Only rows after this position of each writer. */
  readonly afterSeq?: number
}

/**
 * What the gateway keeps, as domain operations rather than transactions, so that a synchronous SQLite and an
 * asynchronous PostgreSQL serve alike. Every method rejects with `GatewayError('store_unavailable')` when the store
 * cannot be reached or written.
 */
export interface Store {
  readonly openAuditWriter: (writer: AuditWriter) => Promise<void>
  /** All rows or none, durable when it resolves. A row whose (writer, seq) exists is refused. */
  readonly appendAudit: (rows: readonly AuditRow[]) => Promise<void>
  readonly auditWriters: () => Promise<readonly AuditWriter[]>
  /** Rows by writer, then seq; reads in pages, so that no size of history fills memory. */
  readonly auditRows: (query?: AuditQuery) => AsyncIterable<AuditRow>
  /** Idempotent. */
  readonly close: () => Promise<void>
}

export const DURABILITIES = ['full', 'normal'] as const
/** `full` survives a power cut; `normal` a killed process. */
export type Durability = (typeof DURABILITIES)[number]
