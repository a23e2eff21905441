import { lazyBackend } from '../lazy.ts'
import type { HttpDeps } from './open-http.ts'
import { preview } from './preview.ts'

/** `[http]`: one request per call, redirects never followed (ToolClad spec, HTTP hardening; rulings ToolClad 23 and 27). */
export const http = {
  kind: 'http',
  open: (deps: HttpDeps) => lazyBackend('http', async () => (await import('./open-http.ts')).openHttp(deps)),
  preview,
} as const
