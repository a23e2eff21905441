import type { Api } from '../../core/api.ts'
import type { JsonObject } from '../../core/json.ts'
import { isJsonObject } from '../../core/json.ts'
import type { LoadContext } from '../format.ts'
import { authCredentials, credentialOf } from './auth.ts'
import { asJson } from './parameters.ts'
import type { Auth } from './schema/auth.ts'
import type { Document } from './schema/document.ts'
import { NO_CREDENTIAL } from './spec.ts'
import { resolveSchema } from './types.ts'

/** What a document says beside its tools. */
export function toApi({ backend }: Document, { api, file }: LoadContext): Api {
  const { version, types = {}, tools, composites = {}, health, examples } = backend
  const known = new Set(Object.keys(types))
  const coverage = asObject(backend.coverage)
  const setup = asObject(backend.setup)
  const hasOwnHealth = Object.hasOwn(tools, 'health') || Object.hasOwn(composites, 'health')
  return {
    name: api?.name ?? backend.name,
    description: backend.description,
    ...(version === undefined ? {} : { version }),
    ...(file === undefined ? {} : { file }),
    types: Object.fromEntries(
      Object.entries(types).map(([name, schema]) => [name, resolveSchema(schema, known).schema]),
    ),
    // The one a document declares itself wins (DADL spec 4.6).
    health: health !== undefined && health.expose !== false && !hasOwnHealth,
    credentials: credentialsOf(backend.auth, api),
    containsCode: Object.keys(composites).length > 0,
    ...(coverage === undefined ? {} : { coverage }),
    ...(setup === undefined ? {} : { setup }),
    ...(examples === undefined ? {} : { examples }),
  }
}

function asObject(value: unknown): JsonObject | undefined {
  const json = asJson(value)
  return isJsonObject(json) ? json : undefined
}

/** Under the deployment's names. */
function credentialsOf(auth: Auth, api: LoadContext['api']): readonly string[] {
  const names = authCredentials(auth).map(reference => credentialOf(reference, api?.credentials).credential)
  return [...new Set(names)].filter(name => name !== NO_CREDENTIAL)
}
