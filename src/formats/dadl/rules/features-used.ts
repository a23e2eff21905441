// A document says which version it is written in and what it cannot do without (DADL spec 15.2, 15.3; ruling DADL 1).
import type { Document } from '../schema/document.ts'
import { errorBlocksOf, responsesOf } from '../effective.ts'
import { compositeAt, toolAt } from './places.ts'
import type { Rule } from './rule.ts'

interface Use {
  readonly what: string
  readonly at: string
}

/** Features that must not be lost in silence: used means declared. */
export const declared: Rule = ({ document, error }) => {
  const known = new Set(document.requires?.features ?? [])
  for (const [feature, at] of loadBearing(document))
    if (!known.has(feature) && at !== undefined)
      error(
        'feature_undeclared',
        at,
        `requires.features has to name "${feature}": without it the document would be read wrongly`,
      )
}

function loadBearing(document: Document): readonly (readonly [string, string | undefined])[] {
  const { auth, tools } = document.backend
  const redacting = responsesOf(document).find(({ block }) => block.redact !== undefined)
  const keyed = Object.entries(tools).find(([, { idempotency }]) => idempotency !== undefined)
  const rotates = auth.type === 'oauth2' && auth.rotates_refresh_token === true
  return [
    ['redact', redacting === undefined ? undefined : `${redacting.path}/redact`],
    ['idempotency', keyed === undefined ? undefined : `${toolAt(keyed[0])}/idempotency`],
    ['refresh_token_rotation', rotates ? '/backend/auth/rotates_refresh_token' : undefined],
  ]
}

export const secondVersion: Rule = ({ document, isFirst, error }) => {
  if (!isFirst) return
  for (const [what, uses] of Map.groupBy(usesOfSecondVersion(document), use => use.what)) {
    const [first] = uses
    if (first !== undefined)
      error('feature_needs_v02', first.at, `"${what}" came with DADL v0.2: "spec" has to name that version`)
  }
}

const AUTH_KEYS = [
  'refresh_token_credential',
  'rotates_refresh_token',
  'authorize_url',
  'authorization_params',
  'redirect_uri',
  'service_account_credential',
  'subject',
  'token_auth',
] as const
const TOOL_KEYS = ['returns', 'idempotency', 'retry_unsafe', 'deprecated', 'replaced_by'] as const
const COMPOSITE_KEYS = ['access', 'delegates'] as const

function usesOfSecondVersion(document: Document): readonly Use[] {
  const { auth, health, tools, composites = {} } = document.backend
  const top = [
    ...(document.requires === undefined ? [] : [{ what: 'requires', at: '/requires' }]),
    ...(health === undefined ? [] : [{ what: 'health', at: '/backend/health' }]),
  ]
  const newFlow = auth.type === 'oauth2' && auth.flow !== undefined && auth.flow !== 'client_credentials'
  const flow = newFlow ? [{ what: `flow: ${auth.flow}`, at: '/backend/auth/flow' }] : []
  const ofAuth = AUTH_KEYS.filter(key => Object.hasOwn(auth, key)).map(key => ({
    what: key,
    at: `/backend/auth/${key}`,
  }))
  return [
    ...top,
    ...flow,
    ...ofAuth,
    ...usesIn(tools, TOOL_KEYS, toolAt),
    ...usesIn(composites, COMPOSITE_KEYS, compositeAt).map(({ what, at }) => ({ what: `${what} of a composite`, at })),
    ...errorBlocksOf(document).flatMap(({ path, block }) =>
      block.map === undefined ? [] : [{ what: 'errors.map', at: `${path}/map` }],
    ),
    ...responsesOf(document).flatMap(({ path, block }) =>
      block.redact === undefined ? [] : [{ what: 'redact', at: `${path}/redact` }],
    ),
  ]
}

function usesIn(
  sections: Readonly<Record<string, object>>,
  keys: readonly string[],
  at: (name: string) => string,
): readonly Use[] {
  return Object.entries(sections).flatMap(([name, section]) =>
    keys.filter(key => Object.hasOwn(section, key)).map(key => ({ what: key, at: `${at(name)}/${key}` })),
  )
}
