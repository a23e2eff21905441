import type { CredentialStore } from '../../credentials/store.ts'
import { badHeaderCharacter } from '../../lib/http-header.ts'
import type { HttpBinding, Part } from './binding.ts'

export type Revealed =
  | { readonly ok: true; readonly secrets: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } }

/** A shorter one would be found everywhere in an answer, and taken out of it (ruling ToolClad 23). */
const SHORTEST = 8

/** Every secret a request needs, looked up for each call, so that a rotated one counts at once. */
export async function revealSecrets(binding: HttpBinding, store: CredentialStore): Promise<Revealed> {
  const { url, headers, body = [] } = binding
  const inHeaders = new Set(headers.flatMap(({ value }) => value.flatMap(nameOf)))
  const names = new Set([...[...url.path, ...url.query, ...body].flatMap(nameOf), ...inHeaders])
  const secrets = new Map<string, string>()
  for (const name of names) {
    const secret = (await store.get(name))?.reveal()
    if (secret === undefined) return refuse('secret_missing', `Secret '${name}' not found (${store.howToSet(name)})`)
    if (secret.length < SHORTEST)
      return refuse(
        'secret_too_short',
        `Secret '${name}' is too short to be kept out of answers: fewer than ${SHORTEST} characters`,
      )
    if (!secret.isWellFormed() || (inHeaders.has(name) && badHeaderCharacter(secret) !== undefined))
      return refuse(
        'secret_unusable',
        `Secret '${name}' cannot stand in a header: it holds a line break or another character that none takes`,
      )
    secrets.set(name, secret)
  }
  return { ok: true, secrets }
}

function refuse(code: string, message: string): Revealed {
  return { ok: false, error: { code, message } }
}

function nameOf(part: Part): readonly string[] {
  return 'secret' in part ? [part.secret] : []
}
