import type { CallRequest, Progress } from './core/call.ts'
import type { Diagnostic } from './core/diagnostic.ts'
import type { JsonObject } from './core/json.ts'
import type { Outcome, Refusal } from './core/outcome.ts'
import type { Principal } from './core/principal.ts'
import type { Tool, Values } from './core/tool.ts'

/** A tool as it is offered: under the name clients see. */
export interface OfferedTool {
  readonly name: string
  /** SHA-256 of all that decides its behaviour. */
  readonly hash: string
  readonly tool: Tool
}

export interface CallOptions {
  readonly principal: Principal
  readonly signal?: AbortSignal
  readonly progress?: (progress: Progress) => void
  readonly parent?: string
  /** A person at this machine approved this very call. */
  readonly approved?: boolean
}

type Check = 'ok' | 'refused' | 'skipped'

/** What `test` prints (`docs/reference/shapes.md`). */
export interface DryRun {
  readonly tool: string
  readonly preview: JsonObject | undefined
  readonly values: Values
  readonly checks: { readonly scope: Check; readonly dns: Check; readonly gate: Check }
  readonly refusals: readonly Refusal[]
  readonly timeoutSeconds: number
  readonly riskTier: string | undefined
}

/** The door: every call of every caller goes through `call`. */
export interface Gateway {
  /** The tools a principal may see, in a stable order; the same array until something changes. */
  readonly tools: (principal: Principal) => readonly OfferedTool[]
  readonly call: (request: CallRequest, options: CallOptions) => Promise<Outcome>
  /** Judges arguments and shows what would run; nothing is run and nothing audited. */
  readonly test: (
    request: CallRequest,
    options: CallOptions & { readonly lookups?: boolean },
  ) => Promise<DryRun | Outcome>
  /** Called after every swap of the catalogue. Returns the way to stop listening. */
  readonly onChange: (listener: () => void) => () => void
  /** Problems of the files as they are now; a file with an error is served in its last good version, or not at all. */
  readonly problems: () => readonly Diagnostic[]
  /** Idempotent: ends running calls, flushes the audit, closes everything. */
  readonly close: () => Promise<void>
}
