import { bindingReader } from '../binding.ts'

/** What a format tells this backend: how to build the argv, and what to do with the output. Plain data. */
export type CommandBinding = {
  /** The first entry is the program, as a literal. */
  readonly argv: readonly Token[]
  /** An executor: its arguments as variables of its environment instead of argv entries. */
  readonly variables?: readonly Variable[]
  readonly limits: Limits
  /** Absolute; path values may not leave it. */
  readonly root: string
  /** Cap on each of stdout and stderr. */
  readonly maxBytes: number
  readonly allowInterpreter: boolean
  readonly evidence: { readonly capture: boolean; readonly outputDir?: string }
  /** Of the evidence file. */
  readonly extension: string
}

/** One step of building an argv. */
export type Token =
  | SimpleToken
  /** The tokens of the argument's value; none for an absent one, or one without an entry. */
  | { readonly choose: string; readonly cases: { readonly [value: string]: readonly Token[] } }
  /** The tokens where one of the groups of comparisons holds whole. */
  | { readonly when: readonly (readonly Comparison[])[]; readonly tokens: readonly Token[] }

/** One entry or none. */
export type SimpleToken =
  | { readonly literal: string }
  /** The argument's value as one entry, none where it is absent; a `path` is resolved against the root. Before the first of
   * those that are `afterOptions` stands a `--`. */
  | { readonly value: string; readonly path?: true; readonly afterOptions?: true }
  /** What the gateway fills in: the id of the run, the file the program shall write, the run's evidence folder. */
  | { readonly injected: 'scan_id' | 'output_file' | 'evidence_dir' }

/** Of an argument's canonical text with a literal; an absent one compares as the empty text. */
export type Comparison = { readonly name: string; readonly equal: boolean; readonly literal: string }

/** An argument as a variable of an executor's environment; a path is resolved against the root. */
export type Variable = { readonly name: string; readonly value: string; readonly path?: true }

/** What is not named is not limited. */
export type Limits = {
  readonly nproc?: number
  readonly nofile?: number
  readonly fsize_bytes?: number
  readonly address_space_bytes?: number
  readonly cpu_seconds?: number
}

export const commandBinding = bindingReader<CommandBinding>('command', ['argv', 'root', 'limits', 'evidence'])
