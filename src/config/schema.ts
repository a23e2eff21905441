import { z } from 'zod'
import { STORES } from '../storage/index.ts'
import type { Durability } from '../storage/store.ts'
import { parseRange } from '../lib/ip.ts'
import { LISTEN_EXPECTED, parseListen } from './listen.ts'

const STORE_KINDS = Object.values(STORES).map(({ kind }) => kind)
const DURABILITIES = { full: 'full', normal: 'normal' } as const satisfies { readonly [D in Durability]: D }
const path = z.string().min(1, 'expected a path, found an empty text')

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168 }
/** Milliseconds; at most six digits, which no clock is too small for. */
const duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[hdw]$/, 'expected a number of hours, days or weeks, such as 30d')
  .transform(text => Number(text.slice(0, -1)) * (HOURS[text.slice(-1)] ?? 0) * 3_600_000)

/** An address or a CIDR; the number of every range is kept, not its spelling. */
const range = z.string().transform((text, context) => {
  const found = parseRange(text)
  if (found !== undefined) return found
  context.addIssue({ code: 'custom', message: `found ${JSON.stringify(text)}: expected a range such as 10.0.1.0/24` })
  return z.NEVER
})

/** `sallyport.yaml`, as far as this version goes (`docs/reference/configuration.md`). */
export const CONFIG_SCHEMA = z
  .strictObject({
    tools: z
      .array(path)
      .describe('Globs below the workspace; the files they match are served. Default: tools/**/*.clad.toml.')
      .optional(),
    apis: z
      .record(
        z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'expected a name of lower-case letters, digits and hyphens'),
        z.strictObject({
          file: path.describe('The .dadl file, relative to the workspace.'),
          url: z
            .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
            .refine(url => !/[?#\\]|^[^/]*\/\/[^/]*@/.test(url), 'expected a URL without user name, query and fragment')
            .describe("Replaces the document's address; it may be private.")
            .optional(),
          allow_private: z
            .boolean()
            .describe('Whether private addresses may be reached beyond the host of url. Default: false.')
            .optional(),
          credentials: z
            .record(z.string(), z.string())
            .describe('From names the document uses to names of your credentials; none sends nothing.')
            .optional(),
        }),
      )
      .describe('REST APIs by name. Default: apis/**/*.dadl, each under its own name.')
      .optional(),
    listen: z
      .string()
      .describe('HOST:PORT to listen on. Default: 127.0.0.1:7411.')
      .transform((text, context) => {
        const listen = parseListen(text)
        if (listen !== undefined) return listen
        context.addIssue({ code: 'custom', message: `found ${JSON.stringify(text)}: ${LISTEN_EXPECTED}` })
        return z.NEVER
      })
      .optional(),
    files: z
      .strictObject({
        root: path
          .describe("The folder that path arguments may not leave. Default: for each manifest, its project's.")
          .optional(),
        allow_hidden: z
          .boolean()
          .describe('Whether path arguments may name what begins with a dot. Default: false.')
          .optional(),
      })
      .describe('What path arguments may reach.')
      .optional(),
    network: z
      .strictObject({
        allow_internal: z
          .array(range)
          .describe('Internal ranges that tools may reach all the same, such as 10.0.1.0/24. Default: none.')
          .optional(),
      })
      .describe('What tools may reach.')
      .optional(),
    text: z
      .strictObject({
        allow_whitespace_beyond_exec: z
          .boolean()
          .describe("Whether an argument's allow_whitespace also counts without command.exec. Default: false.")
          .optional(),
      })
      .describe('What argument values may hold.')
      .optional(),
    output: z
      .strictObject({
        allow_bare_doctype: z
          .boolean()
          .describe('Whether XML output may begin with a DOCTYPE that declares nothing. Default: false.')
          .optional(),
      })
      .describe('What output may hold.')
      .optional(),
    storage: z
      .strictObject({
        kind: z.enum(STORE_KINDS).describe('Where the audit is kept. Default: sqlite, in the state folder.').optional(),
        durability: z
          .enum(DURABILITIES)
          .describe('full survives a power cut, normal a killed process. Default: full.')
          .optional(),
      })
      .describe('Where the gateway keeps its records.')
      .optional(),
    evidence: z
      .strictObject({
        dir: path.describe('Where evidence is kept. Default: toolclad-evidence in the temporary folder.').optional(),
        retention: duration
          .describe('How long evidence is kept, such as 30d (h, d or w). Default: for ever.')
          .optional(),
      })
      .describe('What was captured from each run.')
      .optional(),
  })
  .describe('The configuration of a Sallyport workspace.')

export type Config = z.infer<typeof CONFIG_SCHEMA>

/** Keys the reference names and this version does not have yet, by the section they belong to. */
export const NOT_YET: Readonly<Record<string, readonly string[]>> = {
  '': [
    'mcp',
    'public_url',
    'surface',
    'auth',
    'policy',
    'credentials',
    'blobs',
    'audit',
    'limits',
    'sources',
    'compat',
  ],
  '/files': ['upload_dir', 'fetch'],
}
