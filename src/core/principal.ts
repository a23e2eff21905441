/** Who calls. `id` is what audit records and what sessions, limits and visibility are bound to. */
export interface Principal {
  readonly id: string
  /** `local` is the person at this machine (CLI, stdio); `token` a bearer of the gateway's token. */
  readonly kind: 'local' | 'token'
}

/** The person at the keyboard: the CLI and a stdio client started by them. */
export const LOCAL: Principal = { id: 'local', kind: 'local' }
