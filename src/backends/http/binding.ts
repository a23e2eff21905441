import * as z from 'zod'

const piece = z.union([
  z.strictObject({ text: z.string() }),
  /** The argument's value; nothing where it is absent. */
  z.strictObject({ value: z.string() }),
  z.strictObject({ secret: z.string() }),
  z.strictObject({ injected: z.literal('scan_id') }),
])
const template = z.array(piece)

/** What a format tells this backend: one request in pieces, and what to do with the answer. */
export const httpBinding = z.strictObject({
  method: z.string(),
  /** As written, for display. */
  writtenUrl: z.string(),
  /** Scheme and authority. */
  authority: template,
  /** The rest of the URL. */
  path: template,
  /** Lower-case names. */
  headers: z.array(z.strictObject({ name: z.string(), value: template })),
  body: template.optional(),
  /** The argument that is the whole host; absent: the author names it, and only what is always blocked applies. */
  hostArgument: z
    .strictObject({ name: z.string(), blockInternal: z.boolean(), blocked: z.array(z.string()) })
    .optional(),
  /** Cap on the body that is kept. */
  maxBytes: z.number().int().positive(),
  evidence: z.strictObject({ capture: z.boolean(), outputDir: z.string().optional() }),
  /** Of the evidence file. */
  extension: z.string(),
})

export type HttpBinding = z.infer<typeof httpBinding>
export type Template = z.infer<typeof template>
