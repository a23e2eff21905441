// From an HTTP answer to the tool's result or its error object (DADL spec 8, 8.2, 9; rulings DADL 20, 22, 23, 25).
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { HttpResult, Interpretation, RawResult } from '../../core/tool.ts'
import { isJsonArray } from '../../lib/json-array.ts'
import type { JsonPath } from '../../lib/json-path.ts'
import { parseJson } from '../../lib/parse-json.ts'
import { MAX_MESSAGE, RETRYABLE, STATUS_CODES } from './spec.ts'

export interface ResponseRules {
  readonly tool: string
  readonly resultPath: JsonPath | undefined
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
  const body = method === 'HEAD' ? null : bodyOf(answer)
  if (body === undefined)
    return failure(rules, { code: 'response_error', message: 'the answer is not valid text', retryable: false })
  const found = resultPath === undefined ? body : pick(resultPath, body)
  const value = isJsonArray(found) && maxItems !== undefined ? found.slice(0, maxItems) : found
  return {
    ok: true,
    result: { value, mcp: { text: value, structured: isJsonObject(value) ? value : { result: value } } },
  }
}

/** A path of names and indices yields one value, one with a wildcard a list; nothing there is null (ruling DADL 20). */
function pick(path: JsonPath, body: JsonValue): JsonValue {
  const values = path.values(body)
  return path.singular ? (values[0] ?? null) : values
}

/** JSON where it is JSON, else the text; null where there is none; undefined for bytes that are no text. */
function bodyOf({ status, body }: Answer): JsonValue | undefined {
  if (status === 204 || body.length === 0) return null
  let text
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
  return parse(text) ?? text
}

function parse(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined // not JSON: that is an answer too
  }
}

function errorOf(rules: ResponseRules, answer: Answer): Interpretation {
  const { status, headers } = answer
  const body = bodyOf(answer)
  const provider = first(rules.codePath, body)
  const retryAfter = Number(headers['retry-after'])
  return failure(rules, {
    code: codeOf(rules, status),
    message: messageOf(rules, status, body),
    http_status: status,
    ...(provider === undefined ? {} : { provider_code: provider }),
    retryable: RETRYABLE.has(status),
    ...(headers['retry-after'] !== undefined && Number.isFinite(retryAfter) ? { retry_after: retryAfter } : {}),
  })
}

/** Never the raw body, unless the document says that the body is the message. */
function messageOf({ messagePath, textErrors }: ResponseRules, status: number, body: JsonValue | undefined): string {
  const found = textErrors ? (body ?? undefined) : first(messagePath, body)
  if (found === undefined) return `HTTP ${status}`
  return (typeof found === 'string' ? found : JSON.stringify(found)).slice(0, MAX_MESSAGE).toWellFormed()
}

function first(path: JsonPath | undefined, body: JsonValue | undefined): JsonValue | undefined {
  return path === undefined || body === undefined ? undefined : path.values(body)[0]
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
