// From what a backend saw to the evidence envelope (ToolClad spec, Evidence Envelope; rulings 23 to 27).
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { DelegationResult, ExchangeResult, Interpretation, ProcessResult, RawResult } from '../../core/tool.ts'
import { sha256Hex } from '../../lib/digest.ts'
import type { ExpectedStatuses } from './http.ts'
import { judgeExchange } from './judge-exchange.ts'
import { EXIT_RESPONSE, cancelled, failed, judgeOutput } from './judge-output.ts'
import type { Judged } from './judge-output.ts'
import type { Output } from './output.ts'
import { decodeLossy } from './parsers/decode.ts'

const NO_STATUSES: ExpectedStatuses = { method: '', success: [], error: [] }

export function compileInterpret(
  tool: string,
  output: Output,
  statuses: ExpectedStatuses = NO_STATUSES,
): (raw: RawResult) => Promise<Interpretation> {
  return async raw => {
    if (raw.kind === 'http') throw new TypeError('a tool of a manifest got the answer of an API')
    if (raw.kind === 'values') return { ok: true, result: { value: raw.values } }
    if (raw.kind === 'delegation') return success(output, toPreview(tool, raw))
    const judged = await (raw.kind === 'process' ? judge(raw, output) : judgeExchange(raw, { output, statuses }))
    const value = toEnvelope(tool, raw, judged)
    if (!('failure' in judged)) return success(output, value)
    // Never retryable: the call may have had effects.
    return { ok: false, ...judged.failure, retryable: false, result: { value } }
  }
}

async function judge(raw: ProcessResult, output: Output): Promise<Judged> {
  // The file a program was told to write stands for its stdout (ruling 22).
  const { stdout, written = stdout } = raw
  if (raw.ended === 'timeout')
    return failed(written, 'timeout', { message: 'The program ran out of time and was ended' })
  if (raw.ended === 'cancelled') return cancelled(written)
  if (raw.ended === 'failed' || raw.error !== undefined)
    return failed(written, 'error', { code: 'failed', message: 'The program could not be run', ...raw.error })
  if (raw.exitCode !== 0)
    return failed(written, 'error', { message: `The program ended with exit code ${raw.exitCode}` })
  return judgeOutput(written, output)
}

function success({ envelope }: Output, value: Envelope): Interpretation {
  const structured = isJsonObject(value.results) ? value.results : { results: value.results }
  return { ok: true, result: envelope ? { value } : { value, mcp: { text: structured, structured } } }
}

interface Envelope extends JsonObject {
  readonly results: JsonValue
}

/** What another server would be asked (ruling 23); the arguments are canonical values. */
function toPreview(tool: string, raw: DelegationResult): Envelope {
  const { server, tool: upstream, arguments: args, scanId, startedAt, durationMs } = raw
  const nothing = new Uint8Array()
  return toEnvelope(
    tool,
    {
      kind: 'process',
      scanId,
      command: `mcp://${server}/${upstream}`,
      startedAt,
      durationMs,
      ended: 'exited',
      exitCode: 0,
      stdout: nothing,
      stderr: nothing,
      truncated: false,
    },
    { status: 'delegation_preview', results: { mcp_server: server, mcp_tool: upstream, mcp_args: args } },
  )
}

function toEnvelope(tool: string, raw: ProcessResult | ExchangeResult, judged: Judged): Envelope {
  const { status, results } = judged
  return {
    status,
    scan_id: raw.scanId,
    tool,
    command: raw.command,
    duration_ms: Math.round(raw.durationMs),
    timestamp: new Date(raw.startedAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    ...(raw.kind === 'process' ? outputOf(raw) : answerOf(raw, judged)),
    ...(raw.truncated ? { output_truncated: true } : {}),
    ...(raw.outputFile === undefined ? {} : { output_file: raw.outputFile }),
    results,
  }
}

function outputOf({ exitCode, stderr, stdout, written = stdout }: ProcessResult): JsonObject {
  return { exit_code: exitCode, stderr: decodeLossy(stderr), output_hash: `sha256:${sha256Hex(written)}` }
}

/** As a program: 0 for an answer that is a success, also where its body does not parse or fit, else 1 (ruling 23). */
function answerOf({ status, hash, redacted }: ExchangeResult, judged: Judged): JsonObject {
  const succeeded = !('failure' in judged) || judged.failure.exit === EXIT_RESPONSE
  return {
    exit_code: succeeded ? 0 : 1,
    stderr: '',
    output_hash: `sha256:${hash}`,
    ...(status === undefined ? {} : { http_status: status }),
    ...(redacted ? { output_redacted: true } : {}),
  }
}
