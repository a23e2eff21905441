import type { CallContext } from '../core/call.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { JsonObject } from '../core/json.ts'
import type { Refusal } from '../core/outcome.ts'
import type { Clock, Ids } from '../core/ports.ts'
import type { RawResult, Tool, Values } from '../core/tool.ts'

/**
 * A backend runs the bindings of one kind. Its life: `open(deps)` → `prepare` for every tool of every snapshot →
 * the callables are used → `close`, which is idempotent and ends everything the backend started.
 */
export interface Backend {
  readonly kind: string
  /**
   * Compiles a tool once, at load: nothing that can be known here is done again per call. May look at the disk (is the
   * program there?) and reports what it finds; a tool with an `error` is not served.
   */
  readonly prepare: (tool: Tool) => Promise<Prepared>
  readonly close: () => Promise<void>
}

/**
 * What a call with validated values would run, as `Ready.preview` has it, from the description alone: paths as written, links
 * not followed, nothing looked up. A kind that runs nothing here has none.
 */
export type Preview<Shown extends JsonObject> = (tool: Tool, values: Values, deps: PreviewDeps) => Shown

export interface PreviewDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly evidenceRoot: string
}

export interface Prepared {
  readonly callable: Callable
  readonly diagnostics: readonly Diagnostic[]
  /** The tool is not offered to clients. It can still be asked for by a person: for its schema, and to judge arguments. */
  readonly withheld?: Withheld
}

/** Why a tool is not offered: what a call of it is denied with. */
export interface Withheld {
  readonly code: string
  readonly reason: string
}

export interface Callable {
  /**
   * The last judgement before anything runs: path values against the root, addresses, the program itself. `lookups: false`
   * (a dry run) leaves out DNS and whether files exist.
   */
  readonly resolve: (values: Values, options: ResolveOptions) => Promise<Resolution>
}

export interface ResolveOptions {
  readonly lookups: boolean
  readonly signal: AbortSignal
}

export type Resolution =
  | {
      readonly status: 'ready'
      readonly ready: Ready
      /** Arguments that only an exemption of the deployment lets through (ruling ToolClad 17); absent: none. */
      readonly exempt?: readonly string[]
    }
  | { readonly status: 'refused'; readonly refusals: readonly Refusal[] }
  | {
      readonly status: 'denied'
      readonly code: string
      readonly reason: string
      /** What it would be, where only this gateway cannot run it; a dry run shows it. */
      readonly preview?: JsonObject
    }

/** One call, constructed and judged, not yet run. */
export interface Ready {
  /** What would run, as `test` shows it: `{kind, argv}` for a command. Never holds a secret. */
  readonly preview: JsonObject
  /** Runs it. Ends within the tool's timeout and the grace period; a fault is a `RawResult` with `ended: 'failed'`. */
  readonly run: (ctx: CallContext) => Promise<RawResult>
}
