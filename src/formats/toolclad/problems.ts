import type { Diagnostic, Severity } from '../../core/diagnostic.ts'
import type { Position } from '../../core/tool.ts'

/** The codes of this format (`docs/reference/shapes.md`). */
type Code =
  | 'unknown_key'
  | 'unknown_type'
  | 'missing_key'
  | 'wrong_type'
  | 'bad_dispatch'
  | 'ambiguous_backend'
  | 'no_backend'
  | 'no_output'
  | 'bad_risk_tier'
  | 'zero_timeout'
  | 'enum_without_allowed'
  | 'pattern_missing'
  | 'pattern_invalid'
  | 'default_invalid'
  | 'placeholder_embedded'
  | 'placeholder_quoted'
  | 'placeholder_unknown'
  | 'bad_end_of_options'
  | 'optional_gap'
  | 'egress_block_internal'
  | 'interpreter'
  | 'custom_parser'
  | 'schema_keyword'
  | 'deprecated_template'
  | 'syntax'
  | 'bad_name'
  | 'bad_mode'
  | 'bad_format'
  | 'bad_bounds'
  | 'bad_argv0'
  | 'binary_mismatch'
  | 'exec_and_template'
  | 'exec_and_executor'
  | 'secret_in_command'
  | 'fragment_ambiguous'
  | 'mapping_incomplete'
  | 'mapping_unknown'
  | 'bad_condition'
  | 'fragment_syntax'
  | 'option_before_eoo'
  | 'network_key'
  | 'schema_array'
  | 'output_dir_outside'
  | 'custom_type_network'
  | 'bad_method'
  | 'authority_argument'
  | 'scope_file_missing'
  | 'unused_key'
  | 'unsupported'

interface Problem {
  readonly code: Code
  readonly severity: Severity
  readonly path: string
  readonly message: string
  readonly hint?: string
}

/** Collects every problem of a manifest; places are looked up at the end, and only where there is a problem. */
export interface Problems {
  readonly error: (code: Code, path: string, message: string, hint?: string) => void
  readonly warning: (code: Code, path: string, message: string, hint?: string) => void
  /** How many errors there are so far. */
  readonly errors: () => number
  readonly toDiagnostics: (locate: (path: string) => Position, file: string | undefined) => readonly Diagnostic<Code>[]
}

export function openProblems(): Problems {
  const problems: Problem[] = []
  const add =
    (severity: Severity) =>
    (code: Code, path: string, message: string, hint?: string): void => {
      problems.push({ code, severity, path, message, ...(hint === undefined ? {} : { hint }) })
    }
  return {
    error: add('error'),
    warning: add('warning'),
    errors: () => problems.filter(({ severity }) => severity === 'error').length,
    toDiagnostics: (locate, file) =>
      problems
        .map(problem => ({ ...problem, ...locate(problem.path), ...(file === undefined ? {} : { file }) }))
        .toSorted((a, b) => a.line - b.line || a.column - b.column),
  }
}
