export type Severity = 'error' | 'warning'

/**
 * One problem in a text a person wrote (a manifest, a configuration). Lines and columns are 1-based; `path` is a JSON
 * Pointer into the document. A file with any `error` is not loaded; all problems of a file are reported at once.
 */
export interface Diagnostic<Code extends string = string> {
  readonly code: Code
  readonly severity: Severity
  readonly message: string
  readonly file?: string
  readonly line: number
  readonly column: number
  readonly path: string
  readonly hint?: string
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(d => d.severity === 'error')
}
