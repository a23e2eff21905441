import { createHash, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { GatewayError } from '../core/errors.ts'
import type { Ids } from '../core/ports.ts'
import type { Principal } from '../core/principal.ts'
import { Secret } from '../core/secret.ts'
import { createWhole, kindOf, readText } from '../io/files.ts'
import type { Authenticator } from './authenticator.ts'

/** 256 bits, as hex: nothing that has to be quoted in a shell or a header. */
const TOKEN_BYTES = 32
const TOKEN = /^[0-9a-f]{64}$/
const MAX_BYTES = 1024

const BEARER: Principal = { id: 'token', kind: 'token' }

/** Admits whoever presents this one token. */
export function tokenAuthenticator(token: Secret): Authenticator {
  const wanted = digest(token.reveal())
  return presented => (timingSafeEqual(digest(presented), wanted) ? BEARER : undefined)
}

/**
 * The generated token of a workspace: made once, kept owner-only in the state directory, the same after every restart.
 * @throws GatewayError `state_unsafe` where the file holds something else, `file_unreadable`
 */
export async function openToken({ stateDir, ids }: { readonly stateDir: string; readonly ids: Ids }): Promise<Secret> {
  const file = join(stateDir, 'token')
  if ((await kindOf(file)) === 'missing') {
    const token = ids.hex(TOKEN_BYTES)
    if (await createWhole(file, token)) return new Secret(token)
  }
  const token = (await readText(file, { maxBytes: MAX_BYTES })).trim()
  if (TOKEN.test(token)) return new Secret(token)
  throw new GatewayError('state_unsafe', `${file} holds no token: remove it to get a new one`)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
