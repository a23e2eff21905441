import type { Callable, Withheld } from '../backends/backend.ts'
import type { Api } from '../core/api.ts'
import type { Tool } from '../core/tool.ts'

/** A tool as the catalogue holds it: named for clients, hashed, and prepared by its backend. */
export interface Entry {
  /** The name clients see; stable while the tool exists. */
  readonly name: string
  /** SHA-256 over the tool's definition, hex. */
  readonly hash: string
  readonly tool: Tool
  /** What its file says of the whole API; the same object for all tools of one. Command-line tools have none. */
  readonly api?: Api
  readonly callable: Callable
  /** Not offered to clients, and why. */
  readonly withheld?: Withheld
}
