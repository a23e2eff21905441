import { command } from './command/index.ts'
import { http } from './http/index.ts'
import { rest } from './rest/index.ts'

/** What can run a binding, by kind. */
export const BACKENDS = { command, http, rest } as const
