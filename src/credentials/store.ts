import type { Secret } from '../core/secret.ts'

/** Where credentials come from. A store never lists values and never writes them anywhere else. */
export interface CredentialStore {
  readonly kind: string
  /** Undefined where there is none, or only an empty one: then nothing is sent. */
  readonly get: (name: string) => Promise<Secret | undefined>
  /** Where the value is kept: two names of one place are one credential. */
  readonly placeOf: (name: string) => string
  /** What a person has to do so that the store has it. */
  readonly howToSet: (name: string) => string
}
