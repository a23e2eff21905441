import type { Auth } from './schema/auth.ts'
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
export function authOf(auth: Auth): AuthBinding {
  if (auth.type !== 'bearer' && auth.type !== 'apikey' && auth.type !== 'api_key') return { type: 'none' }
  const preset = auth.type === 'bearer' ? AUTH_DEFAULTS.bearer : AUTH_DEFAULTS.apikey
  const { credential, inject_into: location = 'header', query_param: parameter, header_name: header, prefix } = auth
  if (credential === NO_CREDENTIAL) return { type: 'none' }
  if (location === 'query')
    return { type: 'secret', credential, in: 'query', name: parameter ?? '', prefix: prefix ?? '' }
  return { type: 'secret', credential, in: 'header', name: header ?? preset.header, prefix: prefix ?? preset.prefix }
}

/** Headers that authentication sets, whatever its type. */
export function authHeaders(auth: Auth): readonly string[] {
  if (auth.type === 'session') return auth.inject.map(({ header }) => header)
  if (auth.type === 'basic' || auth.type === 'oauth2')
    return auth.inject_into === 'query' ? [] : [auth.header_name ?? AUTH_DEFAULTS.bearer.header]
  const binding = authOf(auth)
  return binding.type === 'secret' && binding.in === 'header' ? [binding.name] : []
}

/** References of all credentials a document names; those in the body of a login stand at any depth of it (ruling DADL 15). */
export function authCredentials(auth: Auth): readonly string[] {
  const named = Object.entries(auth).flatMap(([key, value]) =>
    (key === 'credential' || key.endsWith('_credential')) && typeof value === 'string' ? [value] : [],
  )
  return auth.type === 'session' ? [...named, ...loginCredentials(auth.login.body)] : named
}

function loginCredentials(body: unknown): readonly string[] {
  if (typeof body === 'string') return body.startsWith(CREDENTIAL) ? [body.slice(CREDENTIAL.length)] : []
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([key, value]: [string, unknown]) =>
    key.endsWith('_credential') && typeof value === 'string' ? [value] : loginCredentials(value),
  )
}

const CREDENTIAL = 'credential:'

/** The deployment's name for it, if it has one; `constructor` is a reference like any other. */
export function credentialOf(
  reference: string,
  given: Readonly<Record<string, string>> = {},
): { readonly credential: string; readonly mapped: boolean } {
  const name = Object.hasOwn(given, reference) ? given[reference] : undefined
  return { credential: name ?? reference, mapped: name !== undefined }
}
