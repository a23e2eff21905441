// From what a backend saw to the evidence envelope (ToolClad spec, Evidence Envelope; rulings 23 to 26).
import { ERRORS } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { DelegationResult, ExchangeResult, Interpretation, ProcessResult, RawResult } from '../../core/tool.ts'
import { sha256Hex } from '../../lib/digest.ts'
import type { Output } from './output.ts'
import { decodeLossy } from './parsers/decode.ts'
import type { Status } from './spec.ts'

/** The statuses a manifest names (ruling 27). */
export interface NamedStatuses {
  readonly successStatus: readonly number[]
  readonly errorStatus: readonly number[]
}

const NO_STATUSES: NamedStatuses = { successStatus: [], errorStatus: [] }

export function compileInterpret(
  tool: string,
  output: Output,
  statuses: NamedStatuses = NO_STATUSES,
): (raw: RawResult) => Interpretation {
  return raw => {
    if (raw.kind === 'delegation') return success(output, toPreview(tool, raw))
    const run = toRun(raw, statuses)
    const judged = judge(run, output)
    const value = toEnvelope(tool, run, judged)
    if (!('failure' in judged)) return success(output, value)
    // Never retryable: the call may have had effects.
    return { ok: false, ...judged.failure, retryable: false, result: { value } }
  }
}

/** One run of any kind. */
interface Run extends Pick<
  ProcessResult,
  'scanId' | 'command' | 'startedAt' | 'durationMs' | 'exitCode' | 'truncated'
> {
  /** What is parsed, or shown where nothing is. */
  readonly output: Uint8Array
  /** Of the bytes as they came, hex. */
  readonly outputHash: string
  readonly stderr: Uint8Array
  readonly redacted: boolean
  readonly outputFile?: string
  readonly httpStatus?: number
  /** Why it is no success, before its output is looked at. */
  readonly reason?: Reason & { readonly status: FailedStatus }
}

function toRun(raw: Exclude<RawResult, DelegationResult>, statuses: NamedStatuses): Run {
  switch (raw.kind) {
    case 'process':
      return ofProcess(raw)
    case 'exchange':
      return ofExchange(raw, statuses)
    case 'http':
      throw new TypeError('a .clad.toml tool got the answer of an API tool')
  }
}

function ofProcess(raw: ProcessResult): Run {
  const { stdout, outputFile } = raw
  const reason = reasonOfProcess(raw)
  return {
    ...raw,
    output: stdout,
    outputHash: sha256Hex(stdout),
    redacted: false,
    ...(outputFile === undefined ? {} : { outputFile }),
    ...(reason === undefined ? {} : { reason }),
  }
}

function reasonOfProcess({ ended, error, exitCode }: ProcessResult): Run['reason'] {
  if (ended === 'timeout') return { status: 'timeout', message: 'The program ran out of time and was ended' }
  if (ended === 'cancelled') return CANCELLED
  if (ended === 'failed' || error !== undefined)
    return { status: 'error', ...(error ?? { code: 'failed', message: 'The program could not be run' }) }
  if (exitCode === 0) return undefined
  return { status: 'error', message: `The program ended with exit code ${exitCode}` }
}

function ofExchange(raw: ExchangeResult, statuses: NamedStatuses): Run {
  const { body, ended } = raw
  const reason = reasonOfExchange(raw, statuses)
  const exitCode = ended === 'timeout' ? -1 : reason === undefined ? 0 : 1
  return { ...raw, output: body, stderr: new Uint8Array(), exitCode, ...(reason === undefined ? {} : { reason }) }
}

function reasonOfExchange(raw: ExchangeResult, { successStatus, errorStatus }: NamedStatuses): Run['reason'] {
  const { ended, error, httpStatus: status } = raw
  if (ended === 'timeout') return { status: 'timeout', message: 'The server did not answer in time' }
  if (ended === 'cancelled') return CANCELLED
  if (ended === 'failed' || error !== undefined || status === undefined)
    return { status: 'error', ...(error ?? { code: 'failed', message: 'The request could not be made' }) }
  const message = `The server answered with status ${status}`
  if (status >= 300 && status < 400) return { status: 'redirect_blocked', message }
  if (successStatus.includes(status)) return undefined
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && successStatus.length === 0 && !errorStatus.includes(status)) return undefined
  return { status: status >= 500 ? 'server_error' : status >= 400 ? 'client_error' : 'error', message }
}

function success({ envelope }: Output, value: Envelope): Interpretation {
  const structured = isJsonObject(value.results) ? value.results : { results: value.results }
  return { ok: true, result: envelope ? { value } : { value, mcp: { text: structured, structured } } }
}

type Judged =
  | { readonly status: Status; readonly results: JsonValue }
  | {
      readonly status: Status
      readonly results: JsonObject
      readonly failure: { readonly code: string; readonly message: string; readonly exit: number }
    }

/** Exit codes of a call (ruling 24). */
const EXIT_EXECUTION = 3
const EXIT_RESPONSE = 4

type FailedStatus = Exclude<Status, 'success' | 'schema_error' | 'delegation_preview'>

interface Reason {
  /** Goes into `results.error`; without one the envelope's other fields say it all. */
  readonly code?: string
  readonly message: string
  readonly exit?: number
}

const CANCELLED = {
  status: 'error',
  code: 'cancelled',
  message: ERRORS.cancelled.message,
  exit: ERRORS.cancelled.exit,
} as const

function judge(run: Run, { parser, schema }: Output): Judged {
  if (run.reason !== undefined) return failed(run, run.reason.status, run.reason)
  const parsed = parser.parse(run.output, schema?.json)
  if (!parsed.ok) return failed(run, 'error', { code: 'parse', message: parsed.message, exit: EXIT_RESPONSE })
  const violation = schema?.check(parsed.value)
  if (violation === undefined) return { status: 'success', results: parsed.value }
  return {
    status: 'schema_error',
    results: { schema_error: violation, raw_output: decodeLossy(run.output) },
    failure: { code: 'schema_error', message: `output schema validation failed: ${violation}`, exit: EXIT_RESPONSE },
  }
}

function failed(run: Run, status: FailedStatus, { code, message, exit = EXIT_EXECUTION }: Reason): Judged {
  const error = code === undefined ? {} : { error: { code, message } }
  return {
    status,
    results: { raw_output: decodeLossy(run.output), ...error },
    failure: { code: code === undefined || code === 'parse' ? status : code, message, exit },
  }
}

interface Envelope extends JsonObject {
  readonly results: JsonValue
}

/** What another server would be asked (ruling 23); the arguments are canonical values. */
function toPreview(tool: string, raw: DelegationResult): Envelope {
  const { server, tool: upstream, arguments: args } = raw
  const nothing = new Uint8Array()
  const run = { ...raw, output: nothing, outputHash: sha256Hex(nothing), stderr: nothing, exitCode: 0 }
  return toEnvelope(
    tool,
    { ...run, truncated: false, redacted: false, command: `mcp://${server}/${upstream}` },
    { status: 'delegation_preview', results: { mcp_server: server, mcp_tool: upstream, mcp_args: args } },
  )
}

function toEnvelope(tool: string, run: Run, { status, results }: Judged): Envelope {
  return {
    status,
    scan_id: run.scanId,
    tool,
    command: run.command,
    duration_ms: Math.round(run.durationMs),
    timestamp: new Date(run.startedAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    exit_code: run.exitCode,
    stderr: decodeLossy(run.stderr),
    output_hash: `sha256:${run.outputHash}`,
    ...(run.httpStatus === undefined ? {} : { http_status: run.httpStatus }),
    ...(run.truncated ? { output_truncated: true } : {}),
    ...(run.redacted ? { output_redacted: true } : {}),
    ...(run.outputFile === undefined ? {} : { output_file: run.outputFile }),
    results,
  }
}
