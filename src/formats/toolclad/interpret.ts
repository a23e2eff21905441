// From what a backend saw to the evidence envelope (ToolClad spec, Evidence Envelope; rulings 23 to 26).
import { ERRORS } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Interpretation, ProcessResult, RawResult } from '../../core/tool.ts'
import { sha256Hex } from '../../lib/digest.ts'
import type { Output } from './output.ts'
import { decodeLossy } from './parsers/decode.ts'
import type { Status } from './spec.ts'

export function compileInterpret(tool: string, output: Output): (raw: RawResult) => Interpretation {
  return raw => {
    if (raw.kind !== 'process') throw new TypeError('a command-line tool got an answer that is none')
    const judged = judge(raw, output)
    const value = toEnvelope(tool, raw, judged)
    if (!('failure' in judged)) {
      const structured = isJsonObject(judged.results) ? judged.results : { results: judged.results }
      return { ok: true, result: output.envelope ? { value } : { value, mcp: { text: structured, structured } } }
    }
    // Never retryable: the program may have had effects.
    return { ok: false, ...judged.failure, retryable: false, result: { value } }
  }
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

function judge(raw: ProcessResult, output: Output): Judged {
  if (raw.ended === 'timeout') return failed(raw, 'timeout', { message: 'The program ran out of time and was ended' })
  if (raw.ended === 'cancelled')
    return failed(raw, 'error', { code: 'cancelled', message: ERRORS.cancelled.message, exit: ERRORS.cancelled.exit })
  if (raw.ended === 'failed' || raw.error !== undefined)
    return failed(raw, 'error', { code: 'failed', message: 'The program could not be run', ...raw.error })
  if (raw.exitCode !== 0) return failed(raw, 'error', { message: `The program ended with exit code ${raw.exitCode}` })
  const parsed = output.parser.parse(raw.stdout, output.schema?.json)
  if (!parsed.ok) return failed(raw, 'error', { code: 'parse', message: parsed.message, exit: EXIT_RESPONSE })
  const violation = output.schema?.check(parsed.value)
  if (violation === undefined) return { status: 'success', results: parsed.value }
  return {
    status: 'schema_error',
    results: { schema_error: violation, raw_output: decodeLossy(raw.stdout) },
    failure: { code: 'schema_error', message: `output schema validation failed: ${violation}`, exit: EXIT_RESPONSE },
  }
}

interface Reason {
  /** Goes into `results.error`; without one the envelope's other fields say it all. */
  readonly code?: string
  readonly message: string
  readonly exit?: number
}

function failed(
  raw: ProcessResult,
  status: 'error' | 'timeout',
  { code, message, exit = EXIT_EXECUTION }: Reason,
): Judged {
  const error = code === undefined ? {} : { error: { code, message } }
  return {
    status,
    results: { raw_output: decodeLossy(raw.stdout), ...error },
    failure: { code: code === undefined || code === 'parse' ? status : code, message, exit },
  }
}

function toEnvelope(tool: string, raw: ProcessResult, { status, results }: Judged): JsonObject {
  return {
    status,
    scan_id: raw.scanId,
    tool,
    command: raw.command,
    duration_ms: Math.round(raw.durationMs),
    timestamp: new Date(raw.startedAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    exit_code: raw.exitCode,
    stderr: decodeLossy(raw.stderr),
    output_hash: `sha256:${sha256Hex(raw.stdout)}`,
    ...(raw.truncated ? { output_truncated: true } : {}),
    ...(raw.outputFile === undefined ? {} : { output_file: raw.outputFile }),
    results,
  }
}
