import type { JsonObject } from '../core/json.ts'
import type { Principal } from '../core/principal.ts'
import type { Tool } from '../core/tool.ts'

export interface DecisionRequest {
  readonly principal: Principal
  /** The name clients see. */
  readonly name: string
  readonly tool: Tool
  readonly args: JsonObject
}

export type Decision = { readonly allow: true } | { readonly allow: false; readonly reason: string }

/** Who may see and call what. A throw or a rejection denies. */
export interface PolicyEngine {
  readonly decide: (request: DecisionRequest) => Decision | Promise<Decision>
  /** The tools a principal may see, in one decision for the whole list. */
  readonly filter: <T extends { readonly name: string; readonly tool: Tool }>(
    principal: Principal,
    tools: readonly T[],
  ) => readonly T[]
}

/** The policy of a gateway with none configured: every authenticated caller may use every tool. */
export const ALLOW_ALL: PolicyEngine = {
  decide: () => ({ allow: true }),
  filter: (_principal, tools) => tools,
}
