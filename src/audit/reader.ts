import { isJsonObject } from '../core/json.ts'
import type { JsonObject } from '../core/json.ts'
import { isJsonArray } from '../lib/json-array.ts'
import type { Heads } from '../storage/heads.ts'
import type { AuditQuery, AuditRow, AuditWriter, Store } from '../storage/store.ts'
import type { AuditCall } from './record.ts'
import { verifyAudit } from './verify.ts'
import type { Verification } from './verify.ts'

/** What a Date can hold, in milliseconds. */
const LAST_TIME = 8.64e15

export interface AuditReader {
  /** Every call, by the time it began. */
  readonly list: () => AsyncIterable<AuditCall>
  readonly show: (id: string) => Promise<AuditCall | undefined>
  readonly verify: () => Promise<Verification>
}

export interface AuditReaderDeps {
  readonly store: Store
  readonly heads: Heads
  readonly isAlive: (writer: AuditWriter) => Promise<boolean>
}

export function openAuditReader({ store, heads, isAlive }: AuditReaderDeps): AuditReader {
  return {
    list: () => list(store, isAlive),
    show: id => show(id, store, isAlive),
    verify: () => verifyAudit(store, heads),
  }
}

async function show(id: string, store: Store, isAlive: AuditReaderDeps['isAlive']): Promise<AuditCall | undefined> {
  const [first] = await rowsOf(store, { callId: id })
  if (first === undefined) return undefined
  const writer = (await store.auditWriters()).find(w => w.id === first.writer)
  const alive = writer !== undefined && (await isAlive(writer))
  // Read after the writer was looked at: the call may have ended, and its writer with it, since the first look.
  return toCall(await rowsOf(store, { callId: id, writer: first.writer }), alive)
}

interface Chain {
  readonly calls: AsyncGenerator<AuditCall, undefined>
  next: AuditCall
}

/** Chains are in order by themselves and merged by time; only those that overlap are open at once. */
async function* list(store: Store, isAlive: AuditReaderDeps['isAlive']): AsyncGenerator<AuditCall> {
  const waiting = (await store.auditWriters()).toSorted((a, b) => b.openedAt - a.openedAt)
  const open: Chain[] = []
  for (;;) {
    const earliest = open.toSorted((a, b) => (a.next.time < b.next.time ? -1 : 1)).at(0)
    const writer = waiting.at(-1)
    if (writer !== undefined && (earliest === undefined || writer.openedAt <= Date.parse(earliest.next.time))) {
      waiting.pop()
      const calls = callsOf(store, writer, isAlive)
      const first = await calls.next()
      if (first.done !== true) open.push({ calls, next: first.value })
      continue
    }
    if (earliest === undefined) return
    yield earliest.next
    const { done, value } = await earliest.calls.next()
    if (done === true) open.splice(open.indexOf(earliest), 1)
    else earliest.next = value
  }
}

/** Calls of one writer in the order they began. */
async function* callsOf(
  store: Store,
  writer: AuditWriter,
  isAlive: AuditReaderDeps['isAlive'],
): AsyncGenerator<AuditCall, undefined> {
  const alive = await isAlive(writer)
  const begun = new Set<string>()
  for await (const row of store.auditRows({ writer: writer.id })) {
    if (row.kind === 'finished') {
      // The end of a call that was yielded where it began, or all there is of one that never ran.
      if (!begun.delete(row.callId)) yield toCall([row], alive)
      continue
    }
    begun.add(row.callId)
    yield toCall(await rowsOf(store, { writer: writer.id, callId: row.callId }), alive)
  }
  return undefined
}

async function rowsOf(store: Store, query: AuditQuery): Promise<readonly AuditRow[]> {
  const rows: AuditRow[] = []
  for await (const row of store.auditRows(query)) rows.push(row)
  return rows
}

function toCall(rows: readonly AuditRow[], alive: boolean): AuditCall {
  const [first] = rows
  const last = rows.at(-1)
  if (first === undefined || last === undefined) throw new TypeError('a call without rows')
  const end = last.kind === 'finished' ? last : undefined
  const { args = null } = payloadOf(first)
  const { steps, error } = end === undefined ? {} : payloadOf(end)
  return {
    writer: last.writer,
    seq: last.seq,
    id: last.callId,
    ...(last.parentId === null ? {} : { parent: last.parentId }),
    time: isoTime(first.time),
    principal: last.principal,
    tool: last.tool,
    tool_hash: last.toolHash,
    args,
    steps: isJsonArray(steps) ? steps : [],
    outcome: end?.outcome ?? (alive ? 'running' : 'unknown'),
    ...(error === undefined ? {} : { error }),
    duration_ms: last.durationMs,
    prev_hash: last.prevHash,
    hash: last.hash,
  }
}

/** A time no calendar holds is an edit, which `verify` names: it is shown as the nearest one that is held. */
function isoTime(ms: number): string {
  return new Date(Math.max(-LAST_TIME, Math.min(ms, LAST_TIME))).toISOString()
}

/** Empty where retention erased it. */
function payloadOf({ payload }: AuditRow): JsonObject {
  if (payload === null) return {}
  try {
    const value: unknown = JSON.parse(payload)
    return isJsonObject(value) ? value : {}
  } catch {
    return {} // an edit; `verify` names it
  }
}
