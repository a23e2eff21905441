import { command } from './command/index.ts'

/** What can run a binding, by kind. */
export const BACKENDS = { command } as const
