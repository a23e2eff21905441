import { Secret } from '../core/secret.ts'
import type { CredentialStore } from './store.ts'

/** Secrets that a program hands over by name; those it does not come from `next`. */
export function openGiven(given: Readonly<Record<string, string>>, next: CredentialStore): CredentialStore {
  const has = (name: string): boolean => Object.hasOwn(given, name) && given[name] !== ''
  return {
    kind: 'given',
    get: async name => (has(name) ? new Secret(given[name] ?? '') : await next.get(name)),
    placeOf: name => (has(name) ? name : next.placeOf(name)),
    howToSet: name => `give it in settings.secrets, or ${next.howToSet(name)}`,
  }
}
