import * as z from 'zod'

/** What a format tells this backend of one endpoint. */
export const restBinding = z.strictObject({
  /** Absent: nobody has said where the API is. */
  baseUrl: z.string().optional(),
  /** The address is the deployment's own: its host may be private. */
  trusted: z.boolean(),
  /** Private addresses are allowed beyond that host. */
  allowPrivate: z.boolean(),
  method: z.string(),
  /** With `{name}` placeholders; may hold a static query. */
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  /** Of a body, where there is one to send. */
  contentType: z.string(),
  parameters: z.array(z.strictObject({ name: z.string(), in: z.enum(['path', 'query', 'header', 'body']) })),
  auth: z.union([
    z.strictObject({ type: z.literal('none') }),
    z.strictObject({
      type: z.literal('secret'),
      credential: z.string(),
      /** The deployment itself gave this credential to this API. */
      mapped: z.boolean(),
      in: z.enum(['header', 'query']),
      name: z.string(),
      prefix: z.string(),
    }),
  ]),
  /** Cap on one decoded answer. */
  maxBytes: z.number().int().positive(),
  /** What the tool needs and this version does not do: every call is denied. */
  unsupported: z.string().optional(),
})

export type RestBinding = z.infer<typeof restBinding>
