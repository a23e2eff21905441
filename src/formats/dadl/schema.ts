// The part of a document this version reads (DADL spec 3 to 9). Keys it does not read are let through: a runtime warns and
// ignores (DADL spec 15.3), and `unsupported.ts` names those a tool cannot do without.
import * as z from 'zod'
import { LOCATIONS, METHODS } from './spec.ts'

const text = z.string()
const anything = z.unknown().optional()

export const PARAM = z.looseObject({
  type: z.enum(['string', 'integer', 'number', 'boolean', 'array', 'object', 'file_url', 'file']),
  in: z.enum(LOCATIONS),
  required: z.boolean().optional(),
  default: anything,
  description: text.optional(),
})
export type Param = z.infer<typeof PARAM>

const RESPONSE = z.looseObject({
  result_path: text.optional(),
  transform: text.optional(),
  max_items: z.number().int().positive().optional(),
  redact: anything,
  type: text.optional(),
  binary: z.boolean().optional(),
  streaming: anything,
})
export type Response = z.infer<typeof RESPONSE>

const ERRORS = z.looseObject({
  format: text.optional(),
  message_path: text.optional(),
  code_path: text.optional(),
  map: z.record(z.string(), text).optional(),
})
export type Errors = z.infer<typeof ERRORS>

export const TOOL = z.looseObject({
  method: text.transform(method => method.toUpperCase()).pipe(z.enum(METHODS)),
  path: text,
  description: text.default(''),
  access: text.optional(),
  params: z.record(z.string(), PARAM).nullish(),
  content_type: text.optional(),
  nest_body_keys: z.boolean().optional(),
  response: RESPONSE.optional(),
  errors: ERRORS.optional(),
  pagination: anything,
})
export type ToolSection = z.infer<typeof TOOL>

const AUTH = z.looseObject({
  type: text,
  credential: text.optional(),
  inject_into: z.enum(['header', 'query']).optional(),
  header_name: text.optional(),
  query_param: text.optional(),
  prefix: text.optional(),
})
export type Auth = z.infer<typeof AUTH>

const DEFAULTS = z.looseObject({
  headers: z.record(z.string(), z.union([text, z.number(), z.boolean()])).optional(),
  content_type: text.optional(),
  nest_body_keys: z.boolean().optional(),
  response: RESPONSE.optional(),
  errors: ERRORS.optional(),
  pagination: anything,
})
export type Defaults = z.infer<typeof DEFAULTS>

export const DOCUMENT = z.looseObject({
  spec: text,
  requires: anything,
  includes: anything,
  backend: z.looseObject({
    name: text,
    type: z.literal('rest'),
    version: z.union([text, z.number()]).optional(),
    base_url: text.optional(),
    description: text.default(''),
    auth: AUTH.optional(),
    defaults: DEFAULTS.default({}),
    tools: z.record(z.string(), TOOL),
    composites: z.record(z.string(), anything).optional(),
  }),
})
export type Document = z.infer<typeof DOCUMENT>
