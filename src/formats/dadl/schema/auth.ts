// How requests are authenticated (DADL spec 5): one shape per type, and per flow of OAuth 2.0.
import * as z from 'zod'
import { INJECTIONS, TOKEN_AUTHS } from '../spec.ts'

const text = z.string()
const credential = text.describe('Name of a credential; never the secret itself')

/** Where the credential goes (DADL spec 5.1, 5.5). Every type may say so. */
const place = {
  inject_into: z.enum(INJECTIONS).describe('header (default) or query').optional(),
  header_name: text.describe('Of the header').optional(),
  prefix: text.describe('Stands before the credential').optional(),
  query_param: text.describe('Of the query, with inject_into: query').optional(),
}
const user = { username_credential: credential.optional(), password_credential: credential.optional() }

const bearer = z.strictObject({ type: z.literal('bearer'), credential, ...place, ...user })
const apikey = z.strictObject({ type: z.enum(['apikey', 'api_key']), credential, ...place, ...user })
const basic = z.strictObject({
  type: z.literal('basic'),
  ...place,
  ...user,
  username_credential: credential,
  credential: credential.optional(),
})

const oauth2 = {
  type: z.literal('oauth2'),
  ...place,
  token_url: text.describe('Where tokens are asked for'),
  client_id_credential: credential.optional(),
  client_secret_credential: credential.describe('Absent: a public client').optional(),
  refresh_token_credential: credential.optional(),
  rotates_refresh_token: z.boolean().describe('Every exchange gives a new refresh token').optional(),
  authorize_url: text.describe('Where a person consents').optional(),
  authorization_params: z.record(z.string(), text).describe('Added to the address of consent').optional(),
  redirect_uri: text.describe('As registered; absent: a loopback address').optional(),
  token_auth: z.enum(TOKEN_AUTHS).describe('How the client proves itself: post (default) or basic').optional(),
  service_account_credential: credential.describe('The whole key of a service account').optional(),
  subject: text.describe('Whom the service account acts for').optional(),
  scopes: z.array(text).optional(),
  token_cache_key: text.optional(),
  refresh_before_expiry: text.describe('A duration such as 60s').optional(),
}

/** DADL spec 5.3; `client_credentials` where no flow is named. */
const oauth2Flows = z.discriminatedUnion('flow', [
  z.strictObject({
    ...oauth2,
    flow: z.literal('client_credentials').optional(),
    client_id_credential: credential,
    client_secret_credential: credential,
  }),
  z.strictObject({
    ...oauth2,
    flow: z.literal('refresh_token'),
    client_id_credential: credential,
    refresh_token_credential: credential,
  }),
  z.strictObject({
    ...oauth2,
    flow: z.literal('jwt_bearer'),
    service_account_credential: credential,
    token_url: oauth2.token_url.optional(),
  }),
  z.strictObject({
    ...oauth2,
    flow: z.literal('authorization_code'),
    authorize_url: text,
    client_id_credential: credential,
    refresh_token_credential: credential,
  }),
])

const session = z.strictObject({
  type: z.literal('session'),
  ...place,
  ...user,
  login: z.strictObject({
    method: text,
    path: text,
    body: z.looseObject({}).describe('Credentials by reference, at any depth').optional(),
    extract: z.record(z.string(), text).describe('Names to JSONPaths into the answer').optional(),
  }),
  inject: z.array(z.strictObject({ header: text, value: text.describe('With {{name}} of extract') })),
  refresh: z.strictObject({ trigger: text.optional(), action: text.optional() }).optional(),
})

export const AUTH = z
  .discriminatedUnion('type', [bearer, apikey, basic, oauth2Flows, session])
  .meta({ id: 'Auth', description: 'How requests are authenticated' })
export type Auth = z.infer<typeof AUTH>
