import { Secret } from '../core/secret.ts'
import type { CredentialStore } from './store.ts'

export interface EnvironmentStoreOptions {
  /** Reads one variable of the gateway's own environment. */
  readonly read: (variable: string) => string | undefined
}

/** Credentials from the environment: `CREDENTIAL_` and the name in upper case, every other character `_` (ruling DADL 14). */
export function openEnvironmentStore({ read }: EnvironmentStoreOptions): CredentialStore {
  return {
    kind: 'environment',
    get: async name => {
      const value = read(variableOf(name))
      return value === undefined || value === '' ? undefined : new Secret(value)
    },
    placeOf: variableOf,
    howToSet: name => `set the environment variable ${variableOf(name)}`,
  }
}

function variableOf(name: string): string {
  return `CREDENTIAL_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`
}
