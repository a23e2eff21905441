import type { JsonObject } from '../core/json.ts'
import type { Outcome } from '../core/outcome.ts'
import type { Principal } from '../core/principal.ts'
import type { Tool, Values } from '../core/tool.ts'

export interface GateRequest {
  readonly principal: Principal
  readonly name: string
  readonly tool: Tool
  readonly values: Values
}

export type GateDecision =
  | { readonly decision: 'allow' }
  /** The call goes back through `validate` and `scope` with these arguments. */
  | { readonly decision: 'change'; readonly args: JsonObject }
  | { readonly decision: 'deny'; readonly code: string; readonly reason: string }

/** Custom rules around a call. A throw denies. */
export interface Gate {
  readonly name: string
  readonly before?: (request: GateRequest) => GateDecision | Promise<GateDecision>
  /** May replace or withhold the result; the tool did run, and audit says so. */
  readonly after?: (request: GateRequest, outcome: Outcome) => Outcome | Promise<Outcome>
}
