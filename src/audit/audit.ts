import { GatewayError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import type { Clock, Ids, Logger } from '../core/ports.ts'
import { stableJson } from '../lib/stable-json.ts'
import type { Heads, OpenHead } from '../storage/heads.ts'
import type { AuditRow, AuditWriter, Store } from '../storage/store.ts'
import { genesis, link } from './chain.ts'
import type { UnlinkedRow } from './chain.ts'
import { maskArguments } from './mask.ts'
import type { AuditSink, FinishedRecord, StartedRecord } from './record.ts'

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
/** Finished rows kept while the store cannot be written; beyond it the oldest trouble is the operator's. */
const MAX_WAITING = 100_000
const RETRY_MS = 250
const MAX_NAME = 256
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
  const writer: AuditWriter = { id: ids.uuid(), ...deps.process, openedAt: clock.now() }
  let last = { seq: 0, hash: genesis(writer) }
  let head: OpenHead | undefined
  let isKnown = false

  let queue: Waiting[] = []
  let failing: GatewayError | undefined
  let committing: Promise<void> | undefined
  const closed = new AbortController()

  /** A process that records nothing leaves no trace. */
  async function begin(): Promise<OpenHead> {
    head ??= heads.create(writer.id, last)
    if (!isKnown) await store.openAuditWriter(writer)
    isKnown = true
    return head
  }

  async function commit(): Promise<void> {
    const batch = queue
    queue = []
    const rows = chain(batch, last)
    let open
    try {
      open = await begin()
      await store.appendAudit(rows)
    } catch (error) {
      failing = asFault(error)
      logger.error('the audit store cannot be written', { why: failing.message, waiting: batch.length })
      for (const { settle } of batch) settle?.reject(failing)
      queue = [...batch.filter(({ settle }) => settle === undefined), ...queue]
      return
    }
    failing = undefined
    const end = rows.at(-1)
    if (end !== undefined) last = { seq: end.seq, hash: end.hash }
    try {
      open.update(last)
    } catch (error) {
      logger.error('the audit head cannot be written', { why: asFault(error).message })
    }
    for (const { settle } of batch) settle?.resolve()
  }

  async function drain(): Promise<void> {
    // Whatever this turn of the event loop brings goes into one commit.
    await new Promise(resolve => setImmediate(resolve))
    while (queue.length > 0 && !closed.signal.aborted) {
      await commit()
      if (failing !== undefined) await clock.sleep(RETRY_MS, closed.signal)
    }
  }

  function wake(): void {
    committing ??= drain().finally(() => {
      committing = undefined
      if (queue.length > 0 && !closed.signal.aborted) wake()
    })
  }

  function toRow(kind: AuditRow['kind'], record: StartedRecord | FinishedRecord, payload: JsonObject): UnlinkedRow {
    return {
      writer: writer.id,
      kind,
      callId: record.id,
      parentId: record.parent ?? null,
      time: clock.now(),
      principal: record.principal,
      tool: storable(record.tool),
      toolHash: record.toolHash ?? null,
      outcome: 'outcome' in record ? record.outcome : null,
      durationMs: 'durationMs' in record ? record.durationMs : null,
      salt: ids.hex(SALT_BYTES),
      payload: stableJson(payload),
    }
  }

  return {
    started: record => {
      if (closed.signal.aborted) return Promise.reject(new GatewayError('closed'))
      if (failing !== undefined && queue.length > 0) return Promise.reject(failing)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      queue.push({ row: toRow('started', record, { args: maskArguments(record.args) }), settle: { resolve, reject } })
      wake()
      return promise
    },
    finished: record => {
      if (closed.signal.aborted || queue.length >= MAX_WAITING) {
        logger.error('an audit row is lost: the store is closed, or too many rows wait for it', {
          call: record.id,
          outcome: record.outcome,
        })
        return
      }
      queue.push({ row: toRow('finished', record, payloadOf(record)) })
      wake()
    },
    close: async () => {
      if (closed.signal.aborted) return
      closed.abort()
      await committing
      for (let attempt = 0; attempt < LAST_ATTEMPTS && queue.length > 0; attempt++) await commit()
      if (queue.length > 0) logger.error('audit rows are lost: the store could not be written', { rows: queue.length })
      head?.close()
    },
  }
}

/** A name as the store gives it back: a caller may ask for a tool of any name. */
function storable(name: string): string {
  return name
    .slice(0, MAX_NAME)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\u{fffd}')
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

function payloadOf({ args, steps, error }: FinishedRecord): JsonObject {
  return {
    ...(args === undefined ? {} : { args: maskArguments(args) }),
    steps: steps.map(step => ({ ...step })),
    ...(error === undefined ? {} : { error }),
  }
}

function asFault(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : new GatewayError('store_unavailable', String(error), { cause: error })
}
