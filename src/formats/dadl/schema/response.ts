// What becomes of an answer (DADL spec 7 to 9). A tool's own block replaces the one of `defaults` as a whole.
import * as z from 'zod'
import { BEHAVIORS, ERROR_FORMATS, STRATEGIES, STREAM_HANDLINGS } from '../spec.ts'

const text = z.string()
const path = text.describe('JSONPath of names, indices and wildcards')
const duration = text.describe('A duration such as 30s')

/** DADL spec 6.2.2, 6.3, 9 */
export const RESPONSE = z
  .strictObject({
    result_path: path.describe('JSONPath to the result').optional(),
    metadata_path: path.describe('JSONPath to what describes the page; not part of the result').optional(),
    transform: text.describe('jq filter over what result_path leads to').optional(),
    max_items: z.int().min(1).describe('Longer lists are cut').optional(),
    allow_jq_override: z.boolean().describe('A caller may pass a jq filter of its own').optional(),
    redact: z.array(path).describe('JSONPaths whose values are masked; added to those of defaults').optional(),
    type: text.describe('file_url: the body is kept as a file, and the result is its URL').optional(),
    ttl: duration.describe('How long such a file is kept').optional(),
    binary: z.boolean().describe('The body is no text').optional(),
    content_type: text.describe('Of a binary body').optional(),
    streaming: z.boolean().describe('The body is a stream of events').optional(),
    stream_handling: z.enum(STREAM_HANDLINGS).describe('collect (default) or skip the events').optional(),
    max_duration: duration.describe('How long events are collected').optional(),
  })
  .meta({ id: 'Response', description: 'From the answer to the result' })
export type Response = z.infer<typeof RESPONSE>

/** DADL spec 8 */
export const ERRORS = z
  .strictObject({
    format: z.enum(ERROR_FORMATS).describe('How the bodies of errors are read').optional(),
    message_path: path.describe('JSONPath to the message').optional(),
    code_path: path.describe('JSONPath to the code of the API itself').optional(),
    retry_on: z.array(z.int()).describe('Statuses after which a call is made again').optional(),
    terminal: z.array(z.int()).describe('Statuses after which it never is').optional(),
    retry_strategy: z
      .strictObject({
        max_retries: z.int().describe('Further attempts').optional(),
        backoff: text.describe('exponential').optional(),
        initial_delay: duration.optional(),
      })
      .optional(),
    rate_limit: z
      .strictObject({
        header: text.describe('Response header with the number of requests left').optional(),
        retry_after_header: text.describe('Response header that says when to go on').optional(),
      })
      .optional(),
    map: z
      .record(z.string().regex(/^[45][0-9][0-9]$/, 'a status from 400 to 599'), text)
      .describe('HTTP status (4xx, 5xx) to error code')
      .optional(),
  })
  .meta({ id: 'Errors', description: 'From the answer to the error' })
export type Errors = z.infer<typeof ERRORS>

/** DADL spec 7 */
export const PAGINATION = z
  .strictObject({
    strategy: z.enum(STRATEGIES).describe('How the next page is asked for').optional(),
    request: z
      .strictObject({
        cursor_param: text.optional(),
        page_param: text.optional(),
        offset_param: text.optional(),
        limit_param: text.optional(),
        limit_default: z.int().optional(),
      })
      .describe('Query parameters')
      .optional(),
    response: z
      .strictObject({
        next_cursor: path.optional(),
        has_more: path.optional(),
        total_pages_header: text.optional(),
        total_count_header: text.optional(),
      })
      .describe('Where the answer says what follows')
      .optional(),
    behavior: z.enum(BEHAVIORS).describe('auto: all pages as one result; expose: one page at a time').optional(),
    max_pages: z.int().min(1).describe('The most pages of one call').optional(),
  })
  .meta({ id: 'Pagination', description: 'Results in pages' })
export type Pagination = z.infer<typeof PAGINATION>
