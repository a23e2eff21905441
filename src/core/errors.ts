/** What kind of trouble an error is, which decides who can do something about it. */
type ErrorCategory = 'bug' | 'caller' | 'operator' | 'environment'

interface ErrorRow {
  readonly category: ErrorCategory
  readonly retryable: boolean
  /** Exit code of the CLI (`docs/reference/cli.md`). */
  readonly exit: number
  readonly message: string
}

/** Every fault has one row here; codes are a closed union, so `switch (error.code)` narrows. */
export const ERRORS = {
  internal: { category: 'bug', retryable: false, exit: 3, message: 'Sallyport made a mistake' },
  cancelled: { category: 'caller', retryable: false, exit: 130, message: 'The call was cancelled' },
  closed: { category: 'environment', retryable: true, exit: 3, message: 'The gateway is shutting down' },
  store_unavailable: {
    category: 'environment',
    retryable: true,
    exit: 3,
    message: 'The audit store cannot be written, so nothing is run',
  },
  store_newer: {
    category: 'operator',
    retryable: false,
    exit: 6,
    message: 'The state directory was written by a newer Sallyport',
  },
  spawn_failed: { category: 'environment', retryable: false, exit: 3, message: 'The program could not be started' },
  program_missing: { category: 'environment', retryable: false, exit: 3, message: 'The program was not found' },
  evidence_unavailable: {
    category: 'environment',
    retryable: false,
    exit: 3,
    message: 'The evidence directory cannot be used, so nothing is run',
  },
  config_invalid: { category: 'operator', retryable: false, exit: 6, message: 'The configuration is not valid' },
  state_unsafe: {
    category: 'operator',
    retryable: false,
    exit: 6,
    message: 'The state directory is not private to its owner',
  },
  listen_failed: { category: 'environment', retryable: false, exit: 3, message: 'The address cannot be listened on' },
  file_unreadable: { category: 'operator', retryable: false, exit: 2, message: 'The file cannot be read' },
} as const satisfies Readonly<Record<string, ErrorRow>>

export type ErrorCode = keyof typeof ERRORS

/** A fault: something outside the caller's arguments went wrong. `detail` completes the table's sentence; it never holds a secret. */
export class GatewayError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, detail = '', options?: ErrorOptions) {
    super(detail === '' ? ERRORS[code].message : `${ERRORS[code].message}: ${detail}`, options)
    this.name = 'GatewayError'
    this.code = code
  }
}
