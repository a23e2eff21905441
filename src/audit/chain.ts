// The hash chain of one writer, as pure functions (docs/decisions/0006).
import type { JsonObject } from '../core/json.ts'
import { sha256Hex } from '../lib/digest.ts'
import { stableJson } from '../lib/stable-json.ts'
import type { AuditRow, AuditWriter } from '../storage/store.ts'

/** What the first row of a writer's chain follows: the writer itself. */
export function genesis({ id, pid, processStart, bootId, openedAt }: AuditWriter): string {
  return sha256Hex(stableJson({ id, pid, processStart, bootId, openedAt }))
}

/** A row without the two fields the chain gives it. */
export type UnlinkedRow = Omit<AuditRow, 'prevHash' | 'hash' | 'seq' | 'payloadDigest'> & {
  readonly salt: string
  readonly payload: string
}

export function link(row: UnlinkedRow, seq: number, prevHash: string): AuditRow {
  const linked = { ...row, seq, prevHash, payloadDigest: payloadDigest(row.salt, row.payload) }
  return { ...linked, hash: rowHash(linked) }
}

/** The line break, which stands in no canonical JSON, keeps anything from being moved between salt and payload. */
export function payloadDigest(salt: string, payload: string): string {
  return sha256Hex(`${salt}\n${payload}`)
}

/** Over every field but `payload`, `salt` and the hash itself. */
export function rowHash(row: Omit<AuditRow, 'hash'>): string {
  const { writer, seq, kind, callId, parentId, time, principal, tool, toolHash, outcome, durationMs } = row
  const covered: JsonObject = {
    writer,
    seq,
    kind,
    callId,
    parentId,
    time,
    principal,
    tool,
    toolHash,
    outcome,
    durationMs,
    payloadDigest: row.payloadDigest,
    prevHash: row.prevHash,
  }
  return sha256Hex(stableJson(covered))
}
