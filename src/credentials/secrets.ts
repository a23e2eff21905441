import { Secret } from '../core/secret.ts'
import type { EnvironmentStoreOptions } from './environment.ts'
import type { CredentialStore } from './store.ts'

/**
 * What `{_secret:NAME}` stands for: `TOOLCLAD_SECRET_` and the name in upper case from the gateway's own environment, else the
 * credential of that name (ruling ToolClad 23).
 */
export function openSecrets(credentials: CredentialStore, { read }: EnvironmentStoreOptions): CredentialStore {
  const own = (name: string): string | undefined => read(variableOf(name)) || undefined
  return {
    kind: 'secrets',
    get: async name => {
      const value = own(name)
      return value === undefined ? await credentials.get(name) : new Secret(value)
    },
    placeOf: name => (own(name) === undefined ? credentials.placeOf(name) : variableOf(name)),
    howToSet: name => `set ${variableOf(name)}`,
  }
}

function variableOf(name: string): string {
  return `TOOLCLAD_SECRET_${name.toUpperCase()}`
}
