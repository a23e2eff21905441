import type { CredentialStore } from '../../credentials/store.ts'
import { encodeComponent } from '../../lib/encode-component.ts'
import { badHeaderCharacter } from '../../lib/http-header.ts'
import type { RestBinding } from './binding.ts'

export type Injection =
  | {
      readonly status: 'ready'
      readonly headers: Readonly<Record<string, string>>
      readonly query: string
      readonly secrets: readonly string[]
    }
  | { readonly status: 'missing'; readonly reason: string }

export interface Injector {
  /** What is added for one origin; looked up for each call, so that a rotated credential counts at once. */
  readonly inject: (auth: RestBinding['auth'], origin: string) => Promise<Injection>
}

/**
 * A credential that is used for one origin goes nowhere else while this process lives, unless the deployment gave it to the
 * other API too (ruling DADL 14).
 */
export function openInjector(store: CredentialStore): Injector {
  const origins = new Map<string, string>()
  return {
    inject: async (auth, origin) => {
      if (auth.type === 'none' || auth.credential === 'none')
        return { status: 'ready', headers: {}, query: '', secrets: [] }
      const { credential, mapped, name, prefix } = auth
      const secret = await store.get(credential)
      if (secret === undefined)
        return missing(`The credential "${credential}" is not set: ${store.howToSet(credential)}.`)
      const place = store.placeOf(credential)
      const bound = origins.get(place) ?? origin
      if (bound !== origin && !mapped)
        return missing(
          `The credential "${credential}" is in use for another origin: give it to this API too, or one of its own, with apis.NAME.credentials.`,
        )
      const value = prefix + secret.reveal()
      if (auth.in === 'header' && badHeaderCharacter(value) !== undefined)
        return missing(
          `The credential "${credential}" cannot stand in a header: it holds a line break or another control character.`,
        )
      origins.set(place, bound)
      const secrets = [secret.reveal()]
      // In lower case like every other header of the request: the same name twice would be sent twice.
      if (auth.in === 'header') return { status: 'ready', headers: { [name.toLowerCase()]: value }, query: '', secrets }
      return { status: 'ready', headers: {}, query: `${encodeComponent(name)}=${encodeComponent(value)}`, secrets }
    },
  }
}

function missing(reason: string): Injection {
  return { status: 'missing', reason }
}
