import { Secret } from '../core/secret.ts'
import type { CredentialStore } from './store.ts'

export interface ToolSecrets {
  /** The value of `{_secret:NAME}`; undefined where nobody set it. Looked up for each call. */
  readonly get: (name: string) => Promise<Secret | undefined>
  /** What a person has to do so that there is one. */
  readonly howToSet: (name: string) => string
}

export interface ToolSecretsOptions {
  /** Reads one variable of the gateway's own environment. */
  readonly read: (variable: string) => string | undefined
  /** Asked where no variable is set. */
  readonly store: CredentialStore
}

/** Secrets of `.clad.toml` tools: `TOOLCLAD_SECRET_<NAME>`, else the credential of that name (ruling ToolClad 23). */
export function openToolSecrets({ read, store }: ToolSecretsOptions): ToolSecrets {
  return {
    get: async name => {
      const value = read(variableOf(name))
      return value === undefined || value === '' ? store.get(name) : new Secret(value)
    },
    howToSet: name => `set ${variableOf(name)}`,
  }
}

function variableOf(name: string): string {
  return `TOOLCLAD_SECRET_${name.toUpperCase()}`
}
