import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { GatewayError } from '../../core/errors.ts'
import type { AuditQuery, AuditRow, AuditWriter, Store } from '../store.ts'
import { openDatabase, transaction } from './database.ts'
import type { SqliteOptions } from './database.ts'
import { toAuditRow, toWriter } from './rows.ts'
import type { Columns } from './rows.ts'

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
    auditRows: (query = {}) => pages(after => guard(() => toPage(selectRows(query, after)))),
    close: async () =>
      guard(() => {
        if (db.isOpen) db.close()
      }),
  }
}

/** The columns of the last row that was read. As SQLite gave them: a rounded `seq` could lead to the same page again. */
type Cursor = readonly SQLOutputValue[]

/** Below every row: no writer's id is empty. */
const BEGINNING: Cursor = ['', 0]

interface Page {
  readonly rows: readonly AuditRow[]
  readonly next?: Cursor
}

function toPage(found: readonly Columns[]): Page {
  const { writer, seq } = found.at(-1) ?? {}
  const isLast = found.length < PAGE || writer === undefined || seq === undefined
  return { rows: found.map(toAuditRow), ...(isLast ? {} : { next: [writer, seq] }) }
}

async function* pages(read: (after: Cursor) => Page): AsyncGenerator<AuditRow> {
  for (let after: Cursor | undefined = BEGINNING; after !== undefined;) {
    const { rows, next }: Page = read(after)
    yield* rows
    after = next
  }
}

interface Statements {
  readonly insertWriter: StatementSync
  readonly insertRow: StatementSync
  readonly selectWriters: StatementSync
  readonly selectRows: (query: AuditQuery, after: Cursor) => readonly Columns[]
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
    selectWriters: prepareSelect(db, 'SELECT * FROM audit_writers ORDER BY id'),
    selectRows: preparePages(db),
  }
}

/** One statement for each combination of conditions, prepared when first used. */
function preparePages(db: DatabaseSync): Statements['selectRows'] {
  const prepared = new Map<string, StatementSync>()
  return ({ callId, writer, afterSeq }, after) => {
    const conditions = [
      { sql: '(writer, seq) > (?, ?)', values: after },
      ...(callId === undefined ? [] : [{ sql: 'call_id = ?', values: [callId] }]),
      ...(writer === undefined ? [] : [{ sql: 'writer = ?', values: [writer] }]),
      ...(afterSeq === undefined ? [] : [{ sql: 'seq > ?', values: [afterSeq] }]),
    ]
    const where = conditions.map(({ sql }) => sql).join(' AND ')
    const known = prepared.get(where)
    const statement =
      known ?? prepareSelect(db, `SELECT * FROM audit_rows WHERE ${where} ORDER BY writer, seq LIMIT ${PAGE}`)
    if (known === undefined) prepared.set(where, statement)
    return statement.all(...conditions.flatMap(({ values }) => values))
  }
}

function prepareSelect(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql)
  statement.setReadBigInts(true)
  return statement
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
