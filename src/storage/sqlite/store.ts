import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { GatewayError } from '../../core/errors.ts'
import type { AuditQuery, AuditRow, AuditWriter, Store } from '../store.ts'
import { openDatabase, transaction } from './database.ts'
import type { SqliteOptions } from './database.ts'
import { toAuditRow, toWriter } from './rows.ts'

/** Rows of one read. Between pages no transaction is open, so that a slow reader never keeps the log from being trimmed. */
const PAGE = 500

/**
 * A store in one SQLite file, readable by its owner alone. Several processes may use it at once; a writer waits for
 * another one for `busyTimeoutMs` and blocks its own process meanwhile, so the second process is for the command line,
 * not for load.
 * @throws GatewayError `store_unavailable`; `store_newer` for a file that a newer Sallyport has changed
 */
export function openSqliteStore(options: SqliteOptions): Store {
  const db = guarded(options.file, () => openDatabase(options))
  const guard = <T>(work: () => T): T => guarded(options.file, work)
  const { insertWriter, insertRow, selectWriters, selectRows } = guard(() => prepare(db))

  return {
    openAuditWriter: async ({ id, pid, processStart, bootId, openedAt }) =>
      guard(() => void insertWriter.run(id, pid, processStart, bootId, openedAt)),
    appendAudit: async rows =>
      guard(() =>
        transaction(db, () => {
          for (const row of rows) insert(insertRow, row)
        }),
      ),
    auditWriters: async (): Promise<readonly AuditWriter[]> => guard(() => selectWriters.all().map(toWriter)),
    auditRows: (query = {}) => pages(cursor => guard(() => selectRows(query, cursor).map(toAuditRow))),
    close: async () =>
      guard(() => {
        if (db.isOpen) db.close()
      }),
  }
}

interface Cursor {
  readonly writer: string
  readonly seq: number
}

async function* pages(read: (cursor: Cursor) => readonly AuditRow[]): AsyncGenerator<AuditRow> {
  // Below every row: no writer's id is empty.
  let cursor: Cursor = { writer: '', seq: 0 }
  for (;;) {
    const page = read(cursor)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    cursor = last
  }
}

interface Statements {
  readonly insertWriter: StatementSync
  readonly insertRow: StatementSync
  readonly selectWriters: StatementSync
  readonly selectRows: (query: AuditQuery, cursor: Cursor) => ReturnType<StatementSync['all']>
}

function prepare(db: DatabaseSync): Statements {
  return {
    insertWriter: db.prepare(
      'INSERT INTO audit_writers (id, pid, process_start, boot_id, opened_at) VALUES (?, ?, ?, ?, ?)',
    ),
    insertRow: db.prepare(
      `INSERT INTO audit_rows (writer, seq, kind, call_id, parent_id, time, principal, tool, tool_hash, outcome,
         duration_ms, payload_digest, salt, payload, prev_hash, hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    selectWriters: db.prepare('SELECT * FROM audit_writers ORDER BY id'),
    selectRows: preparePages(db),
  }
}

/** One statement for each combination of conditions, prepared when first used. */
function preparePages(db: DatabaseSync): Statements['selectRows'] {
  const prepared = new Map<string, StatementSync>()
  return ({ callId, writer, afterSeq }, cursor) => {
    const conditions = [
      { sql: '(writer, seq) > (?, ?)', values: [cursor.writer, cursor.seq] },
      ...(callId === undefined ? [] : [{ sql: 'call_id = ?', values: [callId] }]),
      ...(writer === undefined ? [] : [{ sql: 'writer = ?', values: [writer] }]),
      ...(afterSeq === undefined ? [] : [{ sql: 'seq > ?', values: [afterSeq] }]),
    ]
    const where = conditions.map(({ sql }) => sql).join(' AND ')
    const known = prepared.get(where)
    const statement = known ?? db.prepare(`SELECT * FROM audit_rows WHERE ${where} ORDER BY writer, seq LIMIT ${PAGE}`)
    if (known === undefined) prepared.set(where, statement)
    return statement.all(...conditions.flatMap(({ values }) => values))
  }
}

function insert(statement: StatementSync, row: AuditRow): void {
  statement.run(
    row.writer,
    row.seq,
    row.kind,
    row.callId,
    row.parentId,
    row.time,
    row.principal,
    row.tool,
    row.toolHash,
    row.outcome,
    row.durationMs,
    row.payloadDigest,
    row.salt,
    row.payload,
    row.prevHash,
    row.hash,
  )
}

function guarded<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof GatewayError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new GatewayError('store_unavailable', `${file}: ${reason}`, { cause: error })
  }
}
