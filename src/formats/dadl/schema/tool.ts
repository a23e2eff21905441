// Endpoints and composites (DADL spec 6, 12).
import * as z from 'zod'
import { GENERATORS, LOCATIONS, METHODS, PARAM_TYPES } from '../spec.ts'
import { ERRORS, PAGINATION, RESPONSE } from './response.ts'

const text = z.string()
const access = text.describe('read, write, admin, dangerous, or a word of your own')
const input = {
  type: z.enum(PARAM_TYPES),
  required: z.boolean().describe('Default false').optional(),
  default: z.unknown().optional(),
  description: text.optional(),
}

/** DADL spec 6.1 */
export const PARAM = z
  .strictObject({ ...input, in: z.enum(LOCATIONS).describe('Where it is sent') })
  .meta({ id: 'Param', description: 'One argument of a tool' })
export type Param = z.infer<typeof PARAM>

/** DADL spec 6 */
export const TOOL = z
  .strictObject({
    method: z.enum(METHODS),
    path: text.describe('Below base_url, with {param} placeholders'),
    description: text,
    access: access.optional(),
    params: z.record(z.string(), PARAM).optional(),
    content_type: text.describe('Of the request; default application/json').optional(),
    nest_body_keys: z.boolean().describe('Dots in names of body parameters nest').optional(),
    max_body_size: text.describe('A size such as 50MB').optional(),
    depends_on: z.array(text).describe('Tools to call before').optional(),
    response: RESPONSE.optional(),
    pagination: z
      .union([z.literal('none'), PAGINATION])
      .describe('none, or what replaces the one of defaults')
      .optional(),
    errors: ERRORS.optional(),
    returns: z
      .union([text, z.looseObject({})])
      .describe('The name of a type, or a schema')
      .optional(),
    idempotency: z
      .strictObject({ header: text, generate: z.enum(GENERATORS).describe('Default uuid_v4').optional() })
      .describe('A key that makes repeated writes safe')
      .optional(),
    retry_unsafe: z.boolean().describe('Repeat the call although it may then run twice').optional(),
    deprecated: z.union([z.boolean(), text]).describe('true, or the reason').optional(),
    replaced_by: text.describe('The tool or composite to use instead').optional(),
  })
  .meta({ id: 'Tool', description: 'One endpoint' })
export type ToolSection = z.infer<typeof TOOL>

/** DADL spec 12.3 */
export const COMPOSITE = z
  .strictObject({
    description: text,
    code: text.describe('Body of a function over api and params'),
    access: access.optional(),
    delegates: z.array(text).describe('Tools to be called in its own right, if the deployment approves').optional(),
    params: z.record(z.string(), z.strictObject(input)).optional(),
    timeout: text.describe('A duration of at most 120s; default 30s').optional(),
    depends_on: z.array(text).describe('Tools it calls').optional(),
  })
  .meta({ id: 'Composite', description: 'Code over the tools of the document' })
export type CompositeSection = z.infer<typeof COMPOSITE>
