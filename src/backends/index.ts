import { command } from './command/index.ts'
import { rest } from './rest/index.ts'

/** What can run a binding, by kind. */
export const BACKENDS = { command, rest } as const
