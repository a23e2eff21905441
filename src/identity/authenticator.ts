import type { Principal } from '../core/principal.ts'

/** Tells who presents a bearer token; undefined for a token nobody has. Takes the same time for every wrong one. */
export type Authenticator = (token: string) => Principal | undefined
