// A whole document (DADL spec 3, 4). Strict: how unknown keys are taken is decided where it is read.
import * as z from 'zod'
import { ABOUT_SPEC, BACKEND_NAME, DATE, KNOWN_SPEC_URL, VERSION } from '../spec.ts'
import { COVERAGE, EXAMPLE, HEALTH, HINTS, SETUP, TYPES } from './about.ts'
import { AUTH } from './auth.ts'
import { ERRORS, PAGINATION, RESPONSE } from './response.ts'
import { COMPOSITE, TOOL } from './tool.ts'

const text = z.string()

const DEFAULTS = z
  .strictObject({
    headers: z.record(z.string(), text).describe('Sent with every request').optional(),
    content_type: text.describe('Of request bodies').optional(),
    nest_body_keys: z.boolean().describe('Dots in names of body parameters nest').optional(),
    pagination: PAGINATION.optional(),
    errors: ERRORS.optional(),
    response: RESPONSE.optional(),
  })
  .meta({ id: 'Defaults', description: 'For every tool that does not say otherwise' })
export type Defaults = z.infer<typeof DEFAULTS>

const BACKEND = z
  .strictObject({
    name: text.regex(BACKEND_NAME, 'lower case letters, digits and hyphens, such as "my-api"').describe('Unique name'),
    type: z.literal('rest'),
    description: text,
    version: text
      .regex(VERSION, 'a version such as "1.2" or "1.2.1"')
      .describe('Of this document, such as "1.2" or "1.2.1"')
      .optional(),
    base_url: text.describe('Absent: the deployment says where the API is').optional(),
    openapi_source: text.describe('Path or URL of an OpenAPI 3 document').optional(),
    arazzo_source: text.describe('Path or URL of an Arazzo document').optional(),
    auth: AUTH,
    defaults: DEFAULTS.optional(),
    types: TYPES.optional(),
    // That there is one is judged where the document is read: also of one whose tools are all wrong the rest is judged.
    tools: z.record(z.string(), TOOL).meta({ minProperties: 1 }),
    composites: z.record(z.string(), COMPOSITE).optional(),
    examples: z.array(EXAMPLE).optional(),
    coverage: COVERAGE.optional(),
    hints: HINTS.optional(),
    setup: SETUP.optional(),
    health: HEALTH.optional(),
  })
  .meta({ id: 'Backend', description: 'The API' })

/** DADL spec 15.3 */
const REQUIRES = z
  .strictObject({
    toolmesh: text.describe('Range of ToolMesh versions, such as ">=0.9.0, <2.0.0"').optional(),
    features: z.array(text).describe('Features without which the document must not be loaded').optional(),
  })
  .meta({ id: 'Requires', description: 'What whoever loads the document must be able to do' })

/** DADL spec 11.2 */
export const INCLUDE = z
  .strictObject({
    path: text.describe('Of a fragment, below the folder of this document'),
    merge_into: text.describe('Where it goes, such as backend.auth'),
    overrides: z.looseObject({}).describe('Wins over both').optional(),
  })
  .meta({ id: 'Include', description: 'A fragment to merge in' })

export const DOCUMENT = z
  .strictObject({
    // Which addresses are known is a rule: newer ones are loaded with a warning.
    spec: text.meta({ description: 'Address of the specification', pattern: KNOWN_SPEC_URL.source }),
    requires: REQUIRES.optional(),
    credits: z.array(text).min(1).describe('Contributors, maintainers, sponsors').optional(),
    source_name: text.min(1).describe('Of the API').optional(),
    source_url: text
      .regex(/^https?:\/\//, 'an address that begins with http:// or https://')
      .describe('Documentation of the API')
      .optional(),
    date: text.regex(DATE, 'a date as YYYY-MM-DD').describe('YYYY-MM-DD').optional(),
    includes: z.array(INCLUDE).optional(),
    backend: BACKEND,
  })
  // Keys that begin with "_" are ignored, here alone (ruling DADL 3); they are taken out before the rest is read.
  .meta({ title: 'DADL v0.2', description: ABOUT_SPEC, patternProperties: { '^_': {} } })
export type Document = z.infer<typeof DOCUMENT>
