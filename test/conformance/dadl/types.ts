import assert from 'node:assert/strict'
import * as z from 'zod'
import { DETAILS, generateTypes } from '../../../src/catalog/typegen/index.ts'
import { declareTypes } from '../../../src/catalog/typegen/declared-types.ts'
import { toType } from '../../../src/catalog/typegen/schema-type.ts'
import { describedApi, describedTool } from '../../helpers/described.ts'

const schema = z.record(z.string(), z.json())
const types = z.record(z.string(), schema).default({})

const toolCase = z.strictObject({
  description: z.string().default(''),
  args: schema.default({ type: 'object', additionalProperties: false }),
  returns: schema.optional(),
  hints: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  depends_on: z.array(z.string()).default([]),
  deprecated: z.strictObject({ reason: z.string().default(''), replaced_by: z.string().optional() }).optional(),
  paged: z.boolean().default(false),
})

const typesCase = z.union([
  /** The text of one type. */
  z.strictObject({ schema: z.json(), types, documented: z.boolean().default(false), want_type: z.string() }),
  /** The whole text of one API. */
  z.strictObject({
    api: z
      .strictObject({
        name: z.string().default('shop'),
        description: z.string().default(''),
        version: z.string().optional(),
        types,
        health: z.boolean().default(false),
        coverage: schema.default({}),
        examples: z.array(z.strictObject({ name: z.string(), description: z.string(), code: z.string() })).default([]),
      })
      .prefault({}),
    tools: z.record(z.string(), toolCase),
    detail: z.enum(DETAILS).default('full'),
    max_bytes: z.number().default(Infinity),
    want: z.string(),
  }),
])

/** Exactly the text, character by character. */
export function checkTypes(input: unknown): void {
  const given = typesCase.parse(input)
  if ('schema' in given) {
    const context = { ...declareTypes(given.types), documented: given.documented }
    assert.equal(toType(given.schema, context), given.want_type)
    return
  }
  const { version, ...api } = given.api
  const text = generateTypes(
    describedApi({ ...api, ...(version === undefined ? {} : { version }) }),
    Object.entries(given.tools).map(([name, tool]) => toTool(name, tool)),
    { detail: given.detail, maxBytes: given.max_bytes },
  )
  assert.equal(text, given.want)
}

function toTool(name: string, given: z.infer<typeof toolCase>) {
  const { description, args, returns, hints, depends_on: dependsOn, deprecated, paged } = given
  return describedTool(name, {
    description,
    inputSchema: args,
    hints,
    dependsOn,
    ...(returns === undefined ? {} : { returns }),
    ...(paged ? { paged: true } : {}),
    ...(deprecated === undefined ? {} : { deprecated: deprecatedBy(deprecated) }),
  })
}

function deprecatedBy({ reason, replaced_by: replacedBy }: NonNullable<z.infer<typeof toolCase>['deprecated']>) {
  return { ...(reason === '' ? {} : { reason }), ...(replacedBy === undefined ? {} : { replacedBy }) }
}
