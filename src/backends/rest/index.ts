import { lazyBackend } from '../lazy.ts'
import type { RestDeps } from './open-rest.ts'

/** Described REST APIs: one request per call. */
export const rest = {
  kind: 'rest',
  open: (deps: RestDeps) => lazyBackend('rest', async () => (await import('./open-rest.ts')).openRest(deps)),
} as const
