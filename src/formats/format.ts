import type { Api } from '../core/api.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { Tool } from '../core/tool.ts'
import type { IpRange } from '../lib/ip.ts'

/** A format turns the text of one file into tools. It is pure: it reads nothing and runs nothing. */
export interface Format {
  readonly kind: string
  /** One tool a file, or the many of an API. */
  readonly describes: 'tool' | 'api'
  /** File names end in this. */
  readonly extension: string
  /** Globs below the workspace that are served without configuration. */
  readonly defaultGlobs: readonly string[]
  /**
   * All problems of the text at once; tools only where none of them is an error. Never throws for any text. A promise where
   * the format loads its own insides when the first file of it comes.
   */
  readonly load: (text: string, context: LoadContext) => Loaded | Promise<Loaded>
}

/** How strictly a file is judged: as whoever runs it, as whoever writes it, or as a registry (DADL spec 15.2, 15.3). */
export const PROFILES = ['runtime', 'validate', 'publish'] as const
export type Profile = (typeof PROFILES)[number]

export interface LoadContext {
  /** Shown in problems and kept as the tool's `file`. */
  readonly file?: string
  /** Path values are resolved against this absolute folder and may not leave it (ruling ToolClad 19). */
  readonly root: string
  /** Default: the strictest. */
  readonly deployment?: Deployment
  readonly allowUnknownKeys?: boolean
  /** Default `runtime`. Of formats that have profiles. */
  readonly profile?: Profile
  /** What was published before: nothing may be gone from it without a warning (DADL spec 6.7). */
  readonly against?: Against
  /** Reads a file that the document names by its path below the document's folder; absent: there are none. */
  readonly readFile?: (path: string) => FoundFile
  /** `toolclad.toml`, the nearest above the file; absent: there is none (ToolClad spec, Custom Types). */
  readonly customTypes?: Companion
  /** The scope file of the project; absent: there is none (ToolClad spec, Scope Enforcement). */
  readonly scope?: Companion
  /** What the deployment says of the API a file describes. */
  readonly api?: ApiDeployment
}

/** A file that belongs to a description: its text, or why that cannot be had. */
export type Companion = { readonly file?: string } & ({ readonly text: string } | { readonly unreadable: string })

export interface Against extends Pick<LoadContext, 'file' | 'readFile'> {
  readonly text: string
}

/** A file that a document names, or why it is not to be had; `outside` where a link leads out of the document's folder. */
export type FoundFile = Companion | { readonly outside: true }

/** Where a deployment may be less strict than the specification wants by default (`docs/reference/configuration.md`). */
export interface Deployment {
  /** Path values may lead through components that begin with a dot (ruling ToolClad 19). */
  readonly allowHidden: boolean
  /** Internal ranges that `block_internal` lets through (ruling ToolClad 17). */
  readonly allowInternal: readonly IpRange[]
  /** `allow_whitespace` also counts where no argv is declared as `exec` (ruling ToolClad 13). */
  readonly allowWhitespaceBeyondExec: boolean
  /** An XML output may begin with a DOCTYPE that declares nothing (ruling ToolClad 26). */
  readonly allowBareDoctype: boolean
}

export const STRICT: Deployment = {
  allowHidden: false,
  allowInternal: [],
  allowWhitespaceBeyondExec: false,
  allowBareDoctype: false,
}

/** An API as a deployment has it: `apis.NAME` of the configuration. */
export interface ApiDeployment {
  readonly name: string
  /** Absolute. */
  readonly file: string
  /** Replaces the document's address; may be private, for that host alone. */
  readonly url?: string
  /** Private addresses are allowed beyond that host. */
  readonly allowPrivate: boolean
  /** From the names a document uses to the names of the credential store; `none` means that nothing is sent. */
  readonly credentials: Readonly<Record<string, string>>
}

export interface Loaded {
  readonly tools: readonly Tool[]
  /** Of a file that describes an API and has no error. */
  readonly api?: Api
  readonly diagnostics: readonly Diagnostic[]
}
