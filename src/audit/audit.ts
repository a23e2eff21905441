import { GatewayError } from '../core/errors.ts'
import type { Clock, Ids, Logger } from '../core/ports.ts'
import type { Heads, OpenHead } from '../storage/heads.ts'
import type { AuditRow, AuditWriter, Store } from '../storage/store.ts'
import { genesis, link } from './chain.ts'
import type { UnlinkedRow } from './chain.ts'
import type { AuditSink } from './record.ts'
import { finishedRow, startedRow } from './unlinked-row.ts'

export interface AuditDeps {
  readonly store: Store
  readonly heads: Heads
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly process: Pick<AuditWriter, 'pid' | 'processStart' | 'bootId'>
}

export interface Audit extends AuditSink {
  /** Idempotent: writes what is queued. */
  readonly close: () => Promise<void>
}

const SALT_BYTES = 16
/**
 * What may wait while the store cannot be written. Beyond it the rows of calls that ran nothing are lost; those of calls
 * that ran always wait, and no more of them begin.
 */
const MAX_WAITING_BYTES = 64 * 1024 * 1024
/** A row beside its payload. */
const ROW_BYTES = 1024
/** Each attempt may block for the store's own timeout, so the pauses grow. */
const RETRY_MS = 250
const MAX_RETRY_MS = 5000
/** How often `close` tries to write what is left. */
const LAST_ATTEMPTS = 3

interface Waiting {
  readonly row: UnlinkedRow
  /** Of a started row: what its call waits for. */
  readonly settle?: { readonly resolve: () => void; readonly reject: (error: GatewayError) => void }
}

/**
 * Opens this process's chain. Rows that wait at one moment are committed together: one transaction, one head. When a commit
 * fails, the calls that wait for it fail, finished rows stay queued and are tried again, and nothing new starts until
 * they are written.
 */
export function openAudit(deps: AuditDeps): Audit {
  const { store, heads, clock, ids, logger } = deps
  const writer: AuditWriter = { id: ids.uuid(), ...deps.process, openedAt: Math.round(clock.now()) }
  let last = { seq: 0, hash: genesis(writer) }
  let head: OpenHead | undefined
  let isKnown = false

  let queue: Waiting[] = []
  let waitingBytes = 0
  let failing: GatewayError | undefined
  /** A commit failed: where only its answer was lost, its rows are in the store all the same. */
  let isInDoubt = false
  let committing: Promise<void> | undefined
  let closing: Promise<void> | undefined
  const closed = new AbortController()

  /** A process that records nothing leaves no trace. */
  async function begin(): Promise<OpenHead> {
    head ??= heads.create(writer.id, last)
    if (!isKnown) await store.openAuditWriter(writer)
    isKnown = true
    return head
  }

  async function commit(): Promise<void> {
    let batch: readonly Waiting[] = queue
    queue = []
    let open
    try {
      open = await begin()
      batch = await settleDoubt(batch)
      const rows = chain(batch, last)
      isInDoubt = true
      await store.appendAudit(rows)
      isInDoubt = false
      last = rows.at(-1) ?? last
    } catch (error) {
      fail(batch, asFault(error))
      return
    }
    failing = undefined
    waitingBytes -= bytesOf(batch)
    try {
      open.update(last)
    } catch (error) {
      logger.error('the audit head cannot be written', { why: asFault(error).message })
    }
    for (const { settle } of batch) settle?.resolve()
  }

  /** What of a batch is not in the store yet; no two rows have one salt. */
  async function settleDoubt(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    if (!isInDoubt) return batch
    const stored = new Set<string | null>()
    let end: Pick<AuditRow, 'seq' | 'hash'> = last
    for await (const row of store.auditRows({ writer: writer.id, afterSeq: last.seq })) {
      stored.add(row.salt)
      end = row
    }
    last = end
    waitingBytes -= bytesOf(batch.filter(({ row }) => stored.has(row.salt)))
    return batch.filter(({ row }) => !stored.has(row.salt))
  }

  function fail(batch: readonly Waiting[], fault: GatewayError): void {
    failing = fault
    logger.error('the audit store cannot be written', { why: fault.message, waiting: batch.length })
    const [ended, starting] = [batch.filter(hasEnded), batch.filter(waiting => !hasEnded(waiting))]
    waitingBytes -= bytesOf(starting)
    for (const { settle } of starting) settle?.reject(fault)
    queue = [...ended, ...queue]
  }

  async function drain(): Promise<void> {
    let pause = RETRY_MS
    while (queue.length > 0 && !closed.signal.aborted) {
      // Whatever this turn of the event loop brings goes into one commit; and everybody else has their turn.
      await new Promise(resolve => setImmediate(resolve))
      await commit()
      if (failing === undefined) pause = RETRY_MS
      else {
        await clock.sleep(pause, closed.signal)
        pause = Math.min(pause * 2, MAX_RETRY_MS)
      }
    }
  }

  function wake(): void {
    committing ??= drain().finally(() => {
      committing = undefined
      if (queue.length > 0 && !closed.signal.aborted) wake()
    })
  }

  function add(waiting: Waiting): void {
    queue.push(waiting)
    waitingBytes += bytesOf([waiting])
    wake()
  }

  const place = (): Parameters<typeof startedRow>[1] => ({
    writer: writer.id,
    time: clock.now(),
    salt: ids.hex(SALT_BYTES),
  })

  async function close(): Promise<void> {
    closed.abort()
    await committing
    for (let attempt = 0; attempt < LAST_ATTEMPTS && queue.length > 0; attempt++) await commit()
    if (queue.length > 0) logger.error('audit rows are lost: the store could not be written', { rows: queue.length })
    head?.close()
  }

  return {
    started: record => {
      if (closed.signal.aborted) return Promise.reject(new GatewayError('closed'))
      if (failing !== undefined && queue.length > 0) return Promise.reject(failing)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      add({ row: startedRow(record, place()), settle: { resolve, reject } })
      return promise
    },
    finished: record => {
      const ranNothing = record.args !== undefined
      if (closed.signal.aborted || (ranNothing && waitingBytes > MAX_WAITING_BYTES)) {
        logger.error('an audit row is lost: the store is closed, or too many rows wait for it', {
          call: record.id,
          outcome: record.outcome,
        })
        return
      }
      add({ row: finishedRow(record, place()) })
    },
    close: () => (closing ??= close()),
  }
}

function hasEnded({ settle }: Waiting): boolean {
  return settle === undefined
}

function bytesOf(batch: readonly Waiting[]): number {
  return batch.reduce((sum, { row }) => sum + row.payload.length + ROW_BYTES, 0)
}

function chain(batch: readonly Waiting[], last: { readonly seq: number; readonly hash: string }): readonly AuditRow[] {
  const rows: AuditRow[] = []
  let { seq, hash } = last
  for (const { row } of batch) {
    const linked = link(row, (seq += 1), hash)
    hash = linked.hash
    rows.push(linked)
  }
  return rows
}

function asFault(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : new GatewayError('store_unavailable', String(error), { cause: error })
}
