import type { Callable, Withheld } from '../backends/backend.ts'
import type { Tool } from '../core/tool.ts'

/** A tool as the catalogue holds it: named for clients, hashed, and prepared by its backend. */
export interface Entry {
  /** The name clients see; stable while the tool exists. */
  readonly name: string
  /** SHA-256 over the tool's definition, hex. */
  readonly hash: string
  readonly tool: Tool
  readonly callable: Callable
  /** Not offered to clients, and why. */
  readonly withheld?: Withheld
}
