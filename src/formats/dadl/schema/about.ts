// What a document says for people and models (DADL spec 4.1 to 4.6, 10).
import * as z from 'zod'
import { METHODS, TYPE_NAME } from '../spec.ts'

const text = z.string()
const texts = z.array(text)

/** DADL spec 4.1 */
export const COVERAGE = z
  .strictObject({
    endpoints: z.int().describe('Tools of this document').optional(),
    total_endpoints: z.int().describe('Endpoints of the API').optional(),
    percentage: z.int().min(0).max(100).optional(),
    focus: text.optional(),
    missing: text.optional(),
    last_reviewed: text.describe('YYYY-MM-DD').optional(),
  })
  .meta({ id: 'Coverage', description: 'How much of the API is described' })

/** DADL spec 4.3 */
export const SETUP = z
  .strictObject({
    credential_steps: texts.optional(),
    env_var: text.optional(),
    backends_yaml: text.optional(),
    required_scopes: texts.optional(),
    optional_scopes: texts.optional(),
    docs_url: text.optional(),
    notes: text.optional(),
  })
  .meta({ id: 'Setup', description: 'How an operator gets it going' })

/** DADL spec 4.4 */
export const EXAMPLE = z
  .strictObject({ name: text, description: text, code: text })
  .meta({ id: 'Example', description: 'A few lines over several tools' })

/** DADL spec 4.2: by tool, then by topic. */
export const HINTS = z
  .record(z.string(), z.record(z.string(), z.union([text, z.number(), z.boolean()])))
  .meta({ id: 'Hints', description: 'What to know of single tools' })

const check = {
  expect_status: z.int().describe('Default: any 2xx').optional(),
  expect_path: text.describe('JSONPath that must lead somewhere').optional(),
  auth_expires_path: text.describe('JSONPath to when the credential expires').optional(),
  timeout: text.describe('Default 5s').optional(),
  expose: z.boolean().describe('Offer it as health(); default true').optional(),
}

/** DADL spec 4.6: a declared tool, or an endpoint of its own. */
export const HEALTH = z
  .union([
    z.strictObject({ tool: text.describe('A tool without required parameters'), ...check }),
    z.strictObject({
      path: text.regex(/^[^{}]+$/, 'a path without {placeholders}').describe('Below base_url, without placeholders'),
      method: z.enum(METHODS).describe('Default GET').optional(),
      ...check,
    }),
  ])
  .meta({ id: 'Health', description: 'The cheapest call that shows that the API and the credential work' })

/** DADL spec 10. Schemas are checked by the rules, which know the shorthand of bare names. */
export const TYPES = z
  .record(z.string().regex(TYPE_NAME, 'a name of letters, digits and "_" that begins with no digit'), z.looseObject({}))
  .meta({ id: 'Types', description: 'JSON Schemas by name' })
