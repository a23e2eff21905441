import type { JsonObject } from './json.ts'

/** What an API's description says beside its tools. */
export interface Api {
  /** The deployment's name for it, else the author's. */
  readonly name: string
  readonly description: string
  readonly version?: string
  readonly file?: string
  /** JSON Schemas by name (DADL spec 10); a reference to another is `{$ref: "#/types/NAME"}`. */
  readonly types: Readonly<Record<string, JsonObject>>
  /** It declares a health check, which agents call as `health()` (DADL spec 4.6). */
  readonly health: boolean
  /** Composites bring code with them (DADL spec 12.4). */
  readonly containsCode: boolean
  /** Names of the credentials its calls need, as the deployment calls them; values are nowhere near. */
  readonly credentials?: readonly string[]
  /** As written (DADL spec 4.1, 4.3, 4.4). */
  readonly coverage?: JsonObject
  readonly setup?: JsonObject
  readonly examples?: readonly Example[]
}

/** A few lines of code that show how tools are used together (DADL spec 4.4). */
export interface Example {
  readonly name: string
  readonly description: string
  readonly code: string
}
