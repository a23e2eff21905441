import type { Head, Heads, KnownHead } from '../storage/heads.ts'
import type { AuditRow, AuditWriter, Store } from '../storage/store.ts'
import { genesis, payloadDigest, rowHash } from './chain.ts'

export interface AuditProblem {
  readonly writer: string
  /** Where it was found; 0 where the whole writer is concerned. */
  readonly seq: number
  readonly kind: 'edited' | 'missing' | 'reordered' | 'truncated' | 'writer_missing'
}

export interface Verification {
  readonly ok: boolean
  readonly writers: number
  readonly records: number
  readonly problems: readonly AuditProblem[]
}

/** Beyond this many a damaged chain is not described any further. */
const MAX_PROBLEMS = 1000
/** Damaged rows of one writer that are tried at each other's places; further ones only count as edited. */
const MAX_SUSPECTS = 100

/** Walks every chain from its first row to its head. Rows of processes that still write are judged as far as they are. */
export async function verifyAudit(store: Store, heads: Heads): Promise<Verification> {
  // Heads first: one that is older than the rows is a commit that was not noted yet, one that is newer a cut-off tail.
  const known = await heads.list()
  const walks = new Map<string, Walk>()
  for (const writer of await store.auditWriters())
    walks.set(writer.id, openWalk(writer, known.get(writer.id) ?? (await heads.read(writer.id))))
  const writers = new Set(walks.keys())
  const unknown = new Set<string>()
  const problems: AuditProblem[] = []
  const end = (walk: Walk | undefined): void => {
    if (walk !== undefined && problems.length < MAX_PROBLEMS) problems.push(...walk.end())
  }

  let records = 0
  let at: string | undefined
  for await (const row of store.auditRows()) {
    records += 1
    // Rows come writer by writer: what a walk holds is let go at its last row.
    if (at !== undefined && at !== row.writer) {
      end(walks.get(at))
      walks.delete(at)
    }
    at = row.writer
    if (writers.has(at)) walks.get(at)?.add(row)
    else if (unknown.size < MAX_PROBLEMS) unknown.add(at)
  }
  for (const walk of walks.values()) end(walk)

  for (const [id, head] of known) if (!writers.has(id) && !isUnused(head)) unknown.add(id)
  // Those that have begun meanwhile are none of this walk.
  const begun = new Set(unknown.size === 0 ? [] : (await store.auditWriters()).map(({ id }) => id))
  for (const id of unknown) if (!begun.has(id)) problems.push({ writer: id, seq: 0, kind: 'writer_missing' })
  return { ok: problems.length === 0, writers: writers.size, records, problems: problems.slice(0, MAX_PROBLEMS) }
}

/** Made, but never written under: the process ended before its first commit. */
function isUnused(head: KnownHead): boolean {
  return head !== 'damaged' && head.seq === 0
}

interface Walk {
  readonly add: (row: AuditRow) => void
  readonly end: () => readonly AuditProblem[]
}

function openWalk(writer: AuditWriter, head: KnownHead | undefined): Walk {
  const problems: AuditProblem[] = []
  const suspects: AuditRow[] = []
  const vacant: number[] = []
  let seq = 0
  let hash = genesis(writer)
  let isSound = true
  let rewritten = isAt(head, seq) && head.hash !== hash
  const report = (at: number, kind: AuditProblem['kind']): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ writer: writer.id, seq: at, kind })
  }
  return {
    add: row => {
      const gap = row.seq !== seq + 1
      if (gap) {
        report(seq + 1, 'missing')
        for (let free = seq + 1; free < row.seq && vacant.length < MAX_SUSPECTS; free++) vacant.push(free)
      }
      const wasSound = isSound
      isSound = rowHash(row) === row.hash && isPayloadSound(row)
      if (!isSound) {
        if (suspects.length < MAX_SUSPECTS) suspects.push({ ...row, salt: null, payload: null })
        else report(row.seq, 'edited')
      }
      // A sound row after a gap or a damaged row cannot be joined to it: that is reported there. After another sound row,
      // it is that one which was written anew.
      else if (!gap && wasSound && row.prevHash !== hash) report(Math.max(1, seq), 'edited')
      seq = row.seq
      hash = row.hash
      if (isAt(head, seq)) rewritten = isSound && head.hash !== hash
    },
    end: () => {
      const places = [...suspects.map(row => row.seq), ...vacant]
      for (const row of suspects) report(row.seq, isMoved(row, places) ? 'reordered' : 'edited')
      if (head === undefined || head === 'damaged') report(seq, 'edited')
      else if (head.seq > seq) report(seq + 1, 'truncated')
      else if (rewritten) report(head.seq, 'edited')
      return problems.toSorted((one, other) => one.seq - other.seq)
    },
  }
}

function isAt(head: KnownHead | undefined, seq: number): head is Head {
  return head !== undefined && head !== 'damaged' && head.seq === seq
}

/** An erased payload is no problem: its digest is still part of the chain. */
function isPayloadSound({ salt, payload, payloadDigest: digest }: AuditRow): boolean {
  if (salt === null && payload === null) return true
  return salt !== null && payload !== null && payloadDigest(salt, payload) === digest
}

/** Whether the row is whole, but stood at another place: one that is free, a neighbour's, or that of another damaged row. */
function isMoved(row: AuditRow, places: readonly number[]): boolean {
  const others = new Set([row.seq - 1, row.seq + 1, ...places])
  others.delete(row.seq)
  return [...others].some(seq => rowHash({ ...row, seq }) === row.hash)
}
