import type { Auth } from './schema.ts'
import { AUTH_DEFAULTS, NO_CREDENTIAL } from './spec.ts'

export type AuthBinding =
  | { readonly type: 'none' }
  | {
      readonly type: 'secret'
      readonly credential: string
      readonly in: 'header' | 'query'
      readonly name: string
      readonly prefix: string
    }

/** DADL spec 5.1, 5.5. Types this version does not do are denied before this is looked at. */
export function authOf(auth: Auth | undefined): AuthBinding {
  if (auth?.credential === undefined || auth.credential === NO_CREDENTIAL) return { type: 'none' }
  const preset = auth.type === 'bearer' ? AUTH_DEFAULTS.bearer : AUTH_DEFAULTS.apikey
  const { credential, inject_into: location = 'header', query_param: parameter, header_name: header, prefix } = auth
  if (location === 'query')
    return { type: 'secret', credential, in: 'query', name: parameter ?? '', prefix: prefix ?? '' }
  return { type: 'secret', credential, in: 'header', name: header ?? preset.header, prefix: prefix ?? preset.prefix }
}

/** The deployment's name for it, if it has one; `constructor` is a reference like any other. */
export function credentialOf(
  reference: string,
  given: Readonly<Record<string, string>> = {},
): { readonly credential: string; readonly mapped: boolean } {
  const name = Object.hasOwn(given, reference) ? given[reference] : undefined
  return { credential: name ?? reference, mapped: name !== undefined }
}
