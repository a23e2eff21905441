// What can be wrong with a document. `docs/reference/dadl.md` has a line for every code.
import type { Severity } from '../../core/diagnostic.ts'
import type { Position } from '../../core/tool.ts'
import type { Place } from './source.ts'

/** A problem before its place is looked up; `path` is a JSON Pointer into the composed document. */
export interface Problem {
  readonly code: Code
  readonly severity: Severity
  readonly message: string
  readonly path: string
  readonly hint?: string
  /** A place in the text that `path` leads to, 1-based. */
  readonly within?: Within
  /** Where the problem is in no document that was composed: in a fragment that could not be. */
  readonly place?: Place
}

export type Report = (code: Code, path: string, said: string | Said) => void

export interface Said extends Pick<Problem, 'hint' | 'within'> {
  readonly message: string
}

/** `text` is the whole value, by which its lines are found again in the file. */
export interface Within extends Position {
  readonly text: string
}

export type Code =
  // The text, and what is merged into it.
  | 'syntax'
  | 'duplicate_key'
  | 'alias_bomb'
  | 'merge_key'
  | 'include_outside'
  | 'include_depth'
  | 'fragment_marker'
  | 'file_unreadable'
  // The schema.
  | 'unknown_key'
  | 'missing_key'
  | 'wrong_type'
  | 'unknown_value'
  | 'duplicate_name'
  // What the document asks of whoever loads it.
  | 'spec_unknown'
  | 'spec_newer'
  | 'requires_unsatisfied'
  | 'feature_undeclared'
  | 'feature_needs_v02'
  | 'unsupported'
  // Requests.
  | 'base_url_missing'
  | 'base_url_invalid'
  | 'path_invalid'
  | 'path_param_mismatch'
  | 'header_forbidden'
  | 'query_forbidden'
  | 'query_param_missing'
  | 'idempotency_collision'
  // Answers.
  | 'jsonpath_dialect'
  | 'jq_shadowed'
  | 'pagination_incomplete'
  | 'retry_terminal_overlap'
  | 'retry_on_2xx'
  | 'backoff_unknown'
  // Names that lead somewhere.
  | 'replaced_by_unknown'
  | 'delegates_unknown'
  | 'depends_unknown'
  | 'hint_unknown'
  | 'type_unknown'
  | 'health_tool'
  | 'health_method'
  | 'hint_suspicious'
  // Composites.
  | 'composite_timeout'
  | 'composite_syntax'
  | 'composite_unknown_tool'
  | 'composite_calls_composite'
  | 'composite_dynamic'
  | 'composite_forbidden'
  // What a registry asks.
  | 'publish_missing'
  | 'removed_undeprecated'
  | 'version_bump'
