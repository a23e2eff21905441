/** `dns_error` to `protocol_error` are the transport codes of DADL spec 4.6; the others are our own refusals. */
export type EgressCode =
  | 'dns_error'
  | 'tls_error'
  | 'connection_refused'
  | 'timeout'
  | 'protocol_error'
  | 'blocked'
  | 'bad_url'
  | 'bad_request'
  | 'redirect_refused'
  | 'response_too_large'
  | 'cancelled'

/** What had come of an answer before it broke off. */
export interface PartialAnswer {
  readonly status: number
  readonly body: Uint8Array
}

/** Why an exchange has no answer. The message names hosts at most, never a path, a query, a header or a body. */
export class EgressError extends Error {
  readonly code: EgressCode
  /** Only of a request that lets its body be cut. */
  readonly partial: PartialAnswer | undefined

  constructor(code: EgressCode, message: string, options?: ErrorOptions & { readonly partial?: PartialAnswer }) {
    super(message, options)
    this.name = 'EgressError'
    this.code = code
    this.partial = options?.partial
  }
}

/** By the codes of Node, OpenSSL and undici; their own messages may quote what was sent, so they stay in `cause`. */
export function toEgressError(error: unknown): EgressError {
  if (error instanceof EgressError) return error
  const inner = causeOf(error)
  if (inner instanceof EgressError) return inner
  const code = codeOf(error) ?? codeOf(inner) ?? ''
  const wrap = (kind: EgressCode, message: string): EgressError => new EgressError(kind, message, { cause: error })
  if (/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/.test(code)) return wrap('dns_error', 'the name could not be resolved')
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)/.test(code))
    return wrap('connection_refused', 'nothing answers at that address')
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return wrap('timeout', 'the server took too long')
  if (
    /CERT|^ERR_(TLS|SSL)|^UNABLE_TO_|^CRL_|^INVALID_(CA|PURPOSE)|^(HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED|EPROTO)$/.test(
      code,
    )
  )
    return wrap('tls_error', 'the TLS connection could not be trusted')
  if (code === 'UND_ERR_INVALID_ARG') return wrap('bad_request', 'the method or a header is not valid HTTP')
  return wrap('protocol_error', 'the connection broke, or the answer was not valid HTTP')
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
