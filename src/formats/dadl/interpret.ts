// From an HTTP answer to the tool's result or its error object (DADL spec 8, 8.2, 9; rulings DADL 20, 22, 23, 25).
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { HttpResult, Interpretation, RawResult } from '../../core/tool.ts'
import { isJsonArray } from '../../lib/json-array.ts'
import type { JsonPath } from '../../lib/json-path.ts'
import { parseJson } from '../../lib/parse-json.ts'
import { MAX_MESSAGE, MAX_NESTING, RETRYABLE, STATUS_CODES } from './spec.ts'

export interface ResponseRules {
  readonly tool: string
  /** A text says why the path cannot be read: then a call that needs it fails (ruling DADL 2). */
  readonly resultPath: JsonPath | string | undefined
  readonly maxItems: number | undefined
  readonly messagePath: JsonPath | undefined
  readonly codePath: JsonPath | undefined
  /** The whole body of an error is its message. */
  readonly textErrors: boolean
  readonly errorCodes: ReadonlyMap<number, string>
}

type Answer = Extract<HttpResult['answer'], { readonly status: number }>

export function compileInterpret(rules: ResponseRules): (raw: RawResult) => Interpretation {
  return raw => {
    if (raw.kind !== 'http') throw new TypeError('an API tool got a result that is no answer')
    const { answer, method } = raw
    if (!('status' in answer)) {
      const { code, errorCode, message, retryable } = answer
      return failure(rules, { code, message, retryable, ...(errorCode === undefined ? {} : { error_code: errorCode }) })
    }
    return answer.status >= 200 && answer.status <= 299 ? success(rules, answer, method) : errorOf(rules, answer)
  }
}

function success(rules: ResponseRules, answer: Answer, method: string): Interpretation {
  const { resultPath, maxItems } = rules
  if (typeof resultPath === 'string') return unusable(rules, resultPath)
  const body = method === 'HEAD' ? NOTHING : bodyOf(answer)
  if (body.kind === 'unreadable') return unusable(rules, body.why)
  const found = resultPath === undefined ? body.value : body.kind === 'json' ? pick(resultPath, body.value) : null
  const value = isJsonArray(found) && maxItems !== undefined ? found.slice(0, maxItems) : found
  return {
    ok: true,
    result: { value, mcp: { text: value, structured: isJsonObject(value) ? value : { result: value } } },
  }
}

function unusable(rules: ResponseRules, message: string): Interpretation {
  return failure(rules, { code: 'response_error', message, retryable: false })
}

/** A path of names and indices yields one value, one with a wildcard a list; nothing there is null (ruling DADL 20). */
function pick(path: JsonPath, body: JsonValue): JsonValue {
  const values = path.values(body)
  return path.singular ? (values[0] ?? null) : values
}

type Body =
  | { readonly kind: 'json' | 'text'; readonly value: JsonValue }
  | { readonly kind: 'nothing'; readonly value: null }
  | { readonly kind: 'unreadable'; readonly why: string }

const NOTHING: Body = { kind: 'nothing', value: null }

/** JSON where it is JSON, else the text (ruling DADL 22). */
function bodyOf({ status, body }: Answer): Body {
  if (status === 204 || body.length === 0) return NOTHING
  let text
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return { kind: 'unreadable', why: 'the answer is not valid text' }
  }
  if (nestsDeeper(text, MAX_NESTING))
    return { kind: 'unreadable', why: `the answer is nested deeper than ${MAX_NESTING} levels` }
  try {
    return { kind: 'json', value: parseJson(text) }
  } catch {
    return { kind: 'text', value: text } // not JSON: that is an answer too
  }
}

/** Read off the text, because whatever walks such a value may be recursive. */
function nestsDeeper(text: string, limit: number): boolean {
  if (text.length <= limit || !/^\s*[[{]/.test(text)) return false
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const c = text[at]
    if (quoted && c === '\\') at++
    else if (c === '"') quoted = !quoted
    else if (!quoted && (c === '[' || c === '{')) depth++
    else if (!quoted && (c === ']' || c === '}')) depth--
    if (depth > limit) return true
  }
  return false
}

function errorOf(rules: ResponseRules, answer: Answer): Interpretation {
  const { status, headers } = answer
  const body = bodyOf(answer)
  const provider = first(rules.codePath, body)
  const retryAfter = headers['retry-after'] ?? ''
  return failure(rules, {
    code: codeOf(rules, status),
    message: messageOf(rules, status, body),
    http_status: status,
    ...(provider === undefined ? {} : { provider_code: provider }),
    retryable: RETRYABLE.has(status),
    ...(/^\d{1,9}$/.test(retryAfter) ? { retry_after: Number(retryAfter) } : {}),
  })
}

/** Never the raw body, unless the document says that the body is the message. */
function messageOf({ messagePath, textErrors }: ResponseRules, status: number, body: Body): string {
  const whole = body.kind === 'unreadable' ? null : body.value
  const found = textErrors ? whole : (first(messagePath, body) ?? null)
  if (found === null || found === '') return `HTTP ${status}`
  return (typeof found === 'string' ? found : JSON.stringify(found)).slice(0, MAX_MESSAGE).toWellFormed()
}

/** An explicit "$" also means a body that is no JSON (ruling DADL 23); any other path leads nowhere in one. */
function first(path: JsonPath | undefined, body: Body): JsonValue | undefined {
  return path === undefined || body.kind === 'unreadable' ? undefined : path.values(body.value)[0]
}

function codeOf({ errorCodes }: ResponseRules, status: number): string {
  const known = errorCodes.get(status) ?? STATUS_CODES.get(status)
  if (known !== undefined) return known
  if (status >= 400 && status <= 499) return 'client_error'
  return status >= 500 && status <= 599 ? 'server_error' : 'unexpected_status'
}

const EXITS: Readonly<Record<string, number>> = {
  response_error: 4,
  credential_missing: 6,
  not_configured: 6,
  cancelled: 130,
}
const EXIT_BACKEND = 3

interface ErrorObject extends JsonObject {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
}

/** The error object is text only over MCP: a client would hold it against the schema of a result. */
function failure({ tool }: ResponseRules, error: ErrorObject): Interpretation {
  const { code, message, retryable } = error
  const value = { error: { ...error, tool } }
  const exit = Object.hasOwn(EXITS, code) ? (EXITS[code] ?? EXIT_BACKEND) : EXIT_BACKEND
  return { ok: false, code, message, retryable, exit, result: { value, mcp: { text: value } } }
}
