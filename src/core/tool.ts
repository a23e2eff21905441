import type { JsonObject, JsonValue } from './json.ts'
import type { Failure, Refusal, ToolResult } from './outcome.ts'

export const RISK_TIERS = ['info', 'low', 'medium', 'high', 'critical'] as const
export type RiskTier = (typeof RISK_TIERS)[number]

/** One argument as lists, help and documentation show it; the tool's `validate` is what judges values. */
export interface Parameter {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
  readonly default?: JsonValue
}

/** What a backend runs: plain data whose shape belongs to the backend of that kind. */
export interface Binding {
  readonly kind: string
  readonly data: JsonObject
}

/** Validated arguments: canonical, defaults filled in, absent ones left out. */
export type Values = Readonly<Record<string, JsonValue>>

/** What has to be looked up outside before a call runs, for one argument. */
export type LookupRule =
  /** Where the value leads, all addresses of a name (ToolClad spec, Host and IP policy). */
  | {
      readonly kind: 'target'
      readonly argument: string
      /** The network type that says how the value is read. */
      readonly type: string
      readonly blockInternal: boolean
      /** Ranges of the scope that no answer may lie in. */
      readonly blocked: readonly string[]
    }
  /** A regular file below `root` (ToolClad spec, Core Types, `credential_file`). */
  | { readonly kind: 'file'; readonly argument: string; readonly root: string }

export type Validation =
  | { readonly ok: true; readonly values: Values }
  | { readonly ok: false; readonly refusals: readonly Refusal[] }

/** What a backend saw, before the tool's own output rules are applied. */
export type RawResult = ProcessResult | HttpResult | ExchangeResult | DelegationResult | ValuesResult

/** An answer, or the reason why there is none. */
export interface HttpResult {
  readonly kind: 'http'
  readonly method: string
  readonly answer:
    | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array }
    | { readonly code: string; readonly errorCode?: string; readonly message: string; readonly retryable: boolean }
}

/** What another MCP server would have been asked; nothing was. */
export interface DelegationResult {
  readonly kind: 'delegation'
  /** `<unix seconds>-<hex>`. */
  readonly scanId: string
  readonly startedAt: number
  readonly durationMs: number
  readonly server: string
  readonly tool: string
  readonly arguments: JsonObject
}

/** Nothing ran: the program that asked does the rest with the arguments (ToolClad spec, `dispatch = "callback"`). */
export interface ValuesResult {
  readonly kind: 'values'
  readonly values: Values
}

/** A program that ran, or could not. */
export interface ProcessResult {
  readonly kind: 'process'
  /** One id per run, `<unix seconds>-<hex>`; evidence files and the envelope carry the same. */
  readonly scanId: string
  /** What was run, for display: argv joined by spaces, or `METHOD url-as-written`. */
  readonly command: string
  readonly startedAt: number
  readonly durationMs: number
  /** How the run ended; `exited` leaves the judgement to `exitCode`. */
  readonly ended: 'exited' | 'timeout' | 'cancelled' | 'failed'
  /** The program's; −1 for timeout and spawn failure; 128+n for a signal. */
  readonly exitCode: number
  /** Why the run `failed`, or a fault after it. */
  readonly error?: { readonly code: string; readonly message: string }
  readonly stdout: Uint8Array
  /** What the program wrote to the file it was told to; the result instead of stdout. */
  readonly written?: Uint8Array
  readonly stderr: Uint8Array
  /** Either stream went over its cap: capture stopped there. */
  readonly truncated: boolean
  /** Where the captured output was kept. */
  readonly outputFile?: string
}

/** One HTTP exchange of a manifest, or why it did not come about. */
export interface ExchangeResult {
  readonly kind: 'exchange'
  /** As of a `ProcessResult`. */
  readonly scanId: string
  /** `METHOD url-as-written`. */
  readonly command: string
  readonly startedAt: number
  readonly durationMs: number
  /** How it ended; `answered` leaves the judgement to `status`. */
  readonly ended: 'answered' | 'timeout' | 'cancelled' | 'failed'
  /** Absent where no answer began. */
  readonly status?: number
  /** Why it `failed`, or a fault after it. */
  readonly error?: { readonly code: string; readonly message: string }
  /** What was captured, without the secrets of the request. */
  readonly body: Uint8Array
  /** SHA-256 of what was captured, in hex, from before the secrets were taken out. */
  readonly hash: string
  /** The body went over its cap: capture stopped there. */
  readonly truncated: boolean
  readonly redacted: boolean
  /** Where the body was kept. */
  readonly outputFile?: string
  /** Takes the secrets out of text that a parser made of the body: parsing may spell them out. */
  readonly conceal: (text: string) => string
}

export type Interpretation =
  | { readonly ok: true; readonly result: ToolResult }
  | ({ readonly ok: false } & Failure & { readonly result: ToolResult })

/**
 * A described tool, whatever the format it was written in. Plain data, and two pure functions its format compiled:
 * `validate` judges arguments, `interpret` turns what a backend saw into the result. Nothing here runs anything.
 */
export interface Tool {
  /** The author's name; the name a client sees is the catalogue's. */
  readonly name: string
  /** The API it belongs to; command-line tools have none. */
  readonly backend?: string
  /** The manifest it is a command of, where that describes many (`[session]`, `[browser]`). */
  readonly family?: string
  readonly format: string
  readonly description: string
  readonly version?: string
  readonly file?: string
  readonly riskTier?: RiskTier
  readonly access?: string
  /** The default gate denies the call unless a person approved it. */
  readonly needsApproval: boolean
  readonly timeoutMs: number
  readonly parameters: readonly Parameter[]
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  /** JSON Schema of the result, for documentation alone (DADL spec 6.5); references as in `Api.types`. */
  readonly returns?: JsonObject
  /** What its author knows of its use, by topic (DADL spec 4.2). */
  readonly hints?: Readonly<Record<string, string | number | boolean>>
  /** Tools to call before (DADL spec 6). */
  readonly dependsOn?: readonly string[]
  /** It still works, and should no longer be used (DADL spec 6.7). */
  readonly deprecated?: { readonly reason?: string; readonly replacedBy?: string }
  /** Its result comes in pages, which `.page` hands out one by one (ruling DADL 17). */
  readonly paged?: true
  readonly annotations?: JsonObject
  readonly binding: Binding
  /** All that decides the tool's behaviour, as plain data: its hash is what audit and approvals are bound to. */
  readonly definition: JsonObject
  /** Pure and synchronous: shape and type only, nothing is looked up. */
  readonly validate: (args: JsonObject) => Validation
  /** Scope rules over validated values; absent where the tool has none. */
  readonly scope?: (values: Values) => readonly Refusal[]
  /** Judged after approval, before the backend's own resolution. */
  readonly lookups?: readonly LookupRule[]
  /** Changes nothing outside; a promise where what reads the output is loaded first. */
  readonly interpret: (raw: RawResult) => Interpretation | Promise<Interpretation>
  /** Where a JSON Pointer into the tool's document stands, 1-based, for problems found after loading. */
  readonly locate: (path: string) => Position
}

export interface Position {
  readonly line: number
  readonly column: number
}
