import type { JsonObject, JsonValue } from '../core/json.ts'
import type { Outcome } from '../core/outcome.ts'

/** What one step of the pipeline decided. */
export interface StepRecord {
  readonly step: string
  readonly decision: 'go' | 'stop' | 'again'
  readonly reason?: string
}

interface CallRecord {
  readonly id: string
  readonly parent?: string
  readonly principal: string
  readonly tool: string
  readonly toolHash?: string
}

/** Before a call runs. */
export interface StartedRecord extends CallRecord {
  /** As they came; masked before they are stored. */
  readonly args: JsonObject
}

/** After a call ended, however it did. */
export interface FinishedRecord extends CallRecord {
  /** Only where no started record holds them. */
  readonly args?: JsonObject
  readonly steps: readonly StepRecord[]
  readonly outcome: Outcome['status']
  readonly error?: { readonly code: string; readonly message: string }
  readonly durationMs: number
}

/** Where records go. `started` resolves when the row is durable; `finished` rows are kept until they are written. */
export interface AuditSink {
  /** @throws GatewayError `store_unavailable`: then the call must not run. */
  readonly started: (record: StartedRecord) => Promise<void>
  readonly finished: (record: FinishedRecord) => void
}

/** One call as `audit list` prints it. */
export interface AuditCall {
  readonly writer: string
  readonly seq: number
  readonly id: string
  readonly parent?: string
  /** ISO 8601, UTC. */
  readonly time: string
  readonly principal: string
  readonly tool: string
  readonly tool_hash: string | null
  readonly args: JsonValue
  readonly steps: readonly JsonValue[]
  /** Without an end: `running` while its writer lives, `unknown` after. */
  readonly outcome: string
  readonly error?: JsonValue
  readonly duration_ms: number | null
  readonly prev_hash: string
  readonly hash: string
}
