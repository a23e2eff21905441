import type { Diagnostic } from '../core/diagnostic.ts'
import type { Tool } from '../core/tool.ts'

/** A format turns the text of one file into tools. It is pure: it reads nothing and runs nothing. */
export interface Format {
  readonly kind: string
  /** File names end in this. */
  readonly extension: string
  /** Globs below the workspace that are served without configuration. */
  readonly defaultGlobs: readonly string[]
  /** All problems of the text at once; tools only where none of them is an error. Never throws for any text. */
  readonly load: (text: string, context: LoadContext) => Loaded
}

export interface LoadContext {
  /** Shown in problems and kept as the tool's `file`. */
  readonly file?: string
  /** Path values are resolved against this absolute folder and may not leave it (ruling ToolClad 19). */
  readonly root: string
  /** Path values may lead through components that begin with a dot. Default false. */
  readonly allowHidden?: boolean
  readonly allowUnknownKeys?: boolean
}

export interface Loaded {
  readonly tools: readonly Tool[]
  readonly diagnostics: readonly Diagnostic[]
}
