import * as z from 'zod'

const simple = z.union([
  z.strictObject({ literal: z.string() }),
  /** The argument's value as one entry, none where it is absent; a path is resolved against the root. */
  z.strictObject({
    value: z.string(),
    path: z.literal(true).optional(),
    /** Before the first of these that has a value stands a `--`. */
    afterOptions: z.literal(true).optional(),
  }),
  z.strictObject({ injected: z.enum(['scan_id', 'output_file', 'evidence_dir']) }),
])

const token = z.union([
  simple,
  /** The tokens of the argument's value. */
  z.strictObject({ choose: z.string(), cases: z.record(z.string(), z.array(simple)) }),
  /** The tokens where one of the groups of comparisons holds whole. */
  z.strictObject({
    when: z.array(z.array(z.strictObject({ name: z.string(), equal: z.boolean(), literal: z.string() }))),
    tokens: z.array(simple),
  }),
])

const limit = z.number().int().positive().optional()
const limits = z.strictObject({
  nproc: limit,
  nofile: limit,
  fsize_bytes: limit,
  address_space_bytes: limit,
  cpu_seconds: limit,
})

/** What a format tells this backend: how to build the argv, and what to do with the output. */
export const commandBinding = z.strictObject({
  /** The first entry is the program, as a literal. */
  argv: z.array(token).min(1),
  /** An executor: its arguments as variables of its environment instead of argv entries. */
  variables: z
    .array(z.strictObject({ name: z.string(), value: z.string(), path: z.literal(true).optional() }))
    .optional(),
  limits,
  /** Absolute; path values may not leave it. */
  root: z.string(),
  /** Cap on each of stdout and stderr. */
  maxBytes: z.number().int().positive(),
  allowInterpreter: z.boolean(),
  evidence: z.strictObject({ capture: z.boolean(), outputDir: z.string().optional() }),
  /** Of the evidence file. */
  extension: z.string(),
})

export type CommandBinding = z.infer<typeof commandBinding>
export type Limits = z.infer<typeof limits>
export type Token = z.infer<typeof token>
/** One entry or none. */
export type SimpleToken = z.infer<typeof simple>
