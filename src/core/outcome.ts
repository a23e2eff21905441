import type { JsonObject, JsonValue } from './json.ts'

/** The rule an argument broke; the closed list of `docs/reference/shapes.md`. */
export const FENCES = [
  'required',
  'unknown_argument',
  'json_type',
  'empty',
  'nul',
  'control',
  'surrogate',
  'bidi',
  'quote',
  'whitespace',
  'leading_dash',
  'metacharacter',
  'pattern',
  'format',
  'range',
  'enum',
  'traversal',
  'absolute',
  'outside_root',
  'not_found',
  'not_file',
  'wildcard',
  'length',
  'non_ascii',
  'punycode',
  'non_canonical_ip',
  'always_blocked',
  'internal',
  'dns',
  'scheme',
  'scheme_dangerous',
  'userinfo',
  'scope',
  'no_scope_file',
  'scope_file',
  'hidden',
  'reserved_file',
] as const

export type Fence = (typeof FENCES)[number]

/** One argument that was refused: its first broken fence and a sentence a model can act on. */
export interface Refusal {
  readonly argument: string
  readonly fence: Fence
  readonly message: string
}

/** What a finished call hands back. */
export interface ToolResult {
  /** What the CLI prints: the envelope of a `.clad.toml` tool, the value of an API tool. */
  readonly value: JsonValue
  /** What MCP clients get instead of `value` as text and, where it is an object, as structured content. */
  readonly mcp?: { readonly text: JsonValue; readonly structured?: JsonObject }
}

export type Denial =
  /** Answers exactly like an unknown tool; only the audit record says `authorization`. */
  | { readonly by: 'authorization'; readonly code: 'unknown_tool' | 'not_authorized'; readonly reason: string }
  | { readonly by: 'argument' | 'scope'; readonly refusals: readonly Refusal[] }
  | { readonly by: 'approval' | 'gate' | 'backend'; readonly code: string; readonly reason: string }

export interface Failure {
  /** A row of `ERRORS`, or the tool's own status (`error`, `timeout`, `schema_error`, …). */
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  /** Exit code of the CLI. */
  readonly exit: number
  /** The evidence envelope, where the tool did run. */
  readonly result?: ToolResult
}

/** How a call ended. Refusals and failures are values; a throw out of the pipeline is a bug. */
export type Outcome =
  | { readonly status: 'ok'; readonly result: ToolResult }
  | ({ readonly status: 'denied' } & Denial)
  | { readonly status: 'pending'; readonly approvalId: string; readonly expiresAt: number }
  | ({ readonly status: 'failed' } & Failure)
