import type { JsonObject } from './json.ts'
import type { Clock } from './ports.ts'
import type { Principal } from './principal.ts'

/** What a caller asks for: a tool by the name it was listed under, and its arguments as they came. */
export interface CallRequest {
  readonly tool: string
  readonly args: JsonObject
}

export interface Progress {
  readonly message: string
  readonly progress: number
  readonly total?: number
}

/** Handed down through every step of one call. */
export interface CallContext {
  /** UUIDv7; the audit record's id. */
  readonly id: string
  /** The call of a script or composite this one was made from. */
  readonly parent?: string
  readonly principal: Principal
  /** Aborts when the caller cancels, leaves, or the gateway closes. */
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly progress: (progress: Progress) => void
  /** A person at this machine said yes to this very call (`run --approve`). Never set for a remote caller. */
  readonly approved: boolean
  /**
   * What a tool that is not offered answers: that there is none (default), why it cannot run, or (a dry run) as any other.
   */
  readonly withheld?: 'unknown' | 'denied' | 'judged'
}
