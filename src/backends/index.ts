import { command } from './command/index.ts'
import { composite } from './composite/index.ts'
import { http } from './http/index.ts'
import { mcp } from './mcp/index.ts'
import { rest } from './rest/index.ts'
import { browser, callback, session } from './withheld/index.ts'

/** What can run a binding, by kind. */
export const BACKENDS = { command, http, rest, composite, mcp, session, browser, callback } as const
