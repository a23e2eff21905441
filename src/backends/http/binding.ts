import * as z from 'zod'

const part = z.union([
  z.strictObject({ literal: z.string() }),
  /** The argument's value, nothing where it is absent. */
  z.strictObject({ value: z.string() }),
  z.strictObject({ secret: z.string() }),
  z.strictObject({ injected: z.literal('scan_id') }),
])

const template = z.array(part)

/** What a format tells this backend: one request, and what to do with the answer. */
export const httpBinding = z.strictObject({
  method: z.string(),
  /** `METHOD url-as-written`, all that is ever shown of the URL. */
  command: z.string(),
  url: z.strictObject({
    /** Scheme and authority. Of arguments it holds listed values, ports, and the one of `host`. */
    origin: template,
    path: template,
    /** With its `?`. */
    query: template,
    /** The argument that is the whole host; absent: the host is the author's. */
    host: z.string().optional(),
  }),
  /** Names in lower case. */
  headers: z.array(z.strictObject({ name: z.string(), value: template })),
  body: template.optional(),
  /** Cap on the decoded body of the answer. */
  maxBytes: z.number().int().positive(),
  evidence: z.strictObject({ capture: z.boolean(), outputDir: z.string().optional() }),
  /** Of the evidence file. */
  extension: z.string(),
})

export type HttpBinding = z.infer<typeof httpBinding>
export type Part = z.infer<typeof part>
