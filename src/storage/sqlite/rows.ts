import type { SQLOutputValue } from 'node:sqlite'
import type { AuditRow, AuditWriter } from '../store.ts'

export type Columns = Readonly<Record<string, SQLOutputValue>>

/** For statements read with `setReadBigInts(true)`: without, one integer too large would keep every row from being read. */
export function toWriter(row: Columns): AuditWriter {
  return {
    id: text(row, 'id'),
    pid: integer(row, 'pid'),
    processStart: text(row, 'process_start'),
    bootId: text(row, 'boot_id'),
    openedAt: integer(row, 'opened_at'),
  }
}

export function toAuditRow(row: Columns): AuditRow {
  return {
    writer: text(row, 'writer'),
    seq: integer(row, 'seq'),
    kind: kind(row),
    callId: text(row, 'call_id'),
    parentId: textOrNull(row, 'parent_id'),
    time: integer(row, 'time'),
    principal: text(row, 'principal'),
    tool: text(row, 'tool'),
    toolHash: textOrNull(row, 'tool_hash'),
    outcome: textOrNull(row, 'outcome'),
    durationMs: row['duration_ms'] === null ? null : integer(row, 'duration_ms'),
    payloadDigest: text(row, 'payload_digest'),
    salt: textOrNull(row, 'salt'),
    payload: textOrNull(row, 'payload'),
    prevHash: text(row, 'prev_hash'),
    hash: text(row, 'hash'),
  }
}

// The STRICT tables and their checks promise these types; what breaks the promise was not written by Sallyport.

function text(row: Columns, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw new TypeError(`column ${column} holds no text`)
  return value
}

function textOrNull(row: Columns, column: string): string | null {
  return row[column] === null ? null : text(row, column)
}

function integer(row: Columns, column: string): number {
  const value = row[column]
  // One that no number holds is rounded: Sallyport did not write it, and its row's hash shows that.
  if (typeof value !== 'bigint') throw new TypeError(`column ${column} holds no integer`)
  return Number(value)
}

function kind(row: Columns): AuditRow['kind'] {
  const value = text(row, 'kind')
  if (value !== 'started' && value !== 'finished') throw new TypeError(`column kind holds neither started nor finished`)
  return value
}
