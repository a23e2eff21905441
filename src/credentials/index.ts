import { openEnvironmentStore } from './environment.ts'

/** Where credentials can be kept, by kind. */
export const CREDENTIAL_STORES = {
  environment: { kind: 'environment', open: openEnvironmentStore },
} as const
