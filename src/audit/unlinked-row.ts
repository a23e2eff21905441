import type { JsonObject } from '../core/json.ts'
import { stableJson } from '../lib/stable-json.ts'
import type { UnlinkedRow } from './chain.ts'
import { excerpt, maskArguments } from './mask.ts'
import type { FinishedRecord, StartedRecord } from './record.ts'

/** Characters of a name, of a step's reason, of an error's message: callers choose how long theirs are. */
const MAX_NAME = 256
const MAX_REASON = 128
const MAX_MESSAGE = 1024
/** Steps of one record; a gate that changes the arguments repeats a few of the eight. */
const MAX_STEPS = 32

interface Placed {
  readonly writer: string
  /** Unix milliseconds; a clock may give fractions. */
  readonly time: number
  readonly salt: string
}

/** The row of a call that is about to run. */
export function startedRow(record: StartedRecord, placed: Placed): UnlinkedRow {
  return { ...toRow(record, placed, { args: maskArguments(record.args) }), kind: 'started' }
}

/** The row of a call that has ended; its payload stays below 64 KiB, whatever the caller sent. */
export function finishedRow(record: FinishedRecord, placed: Placed): UnlinkedRow {
  const { args, steps, error, outcome, durationMs } = record
  const payload = {
    ...(args === undefined ? {} : { args: maskArguments(args) }),
    steps: steps.slice(0, MAX_STEPS).map(({ step, decision, reason }) => ({
      step: excerpt(step, MAX_NAME),
      decision,
      ...(reason === undefined ? {} : { reason: excerpt(reason, MAX_REASON) }),
    })),
    ...(error === undefined
      ? {}
      : { error: { code: excerpt(error.code, MAX_NAME), message: excerpt(error.message, MAX_MESSAGE) } }),
  }
  return { ...toRow(record, placed, payload), kind: 'finished', outcome, durationMs: Math.round(durationMs) }
}

function toRow(
  { id, parent, principal, tool, toolHash }: StartedRecord | FinishedRecord,
  { writer, time, salt }: Placed,
  payload: JsonObject,
): Omit<UnlinkedRow, 'kind'> {
  return {
    writer,
    callId: storable(id),
    parentId: parent === undefined ? null : storable(parent),
    time: Math.round(time),
    principal: storable(principal),
    tool: storable(tool),
    toolHash: toolHash ?? null,
    outcome: null,
    durationMs: null,
    salt,
    payload: stableJson(payload),
  }
}

/** A name as every store gives it back: a caller may ask for a tool of any name, and what is hashed must be what is read. */
function storable(name: string): string {
  return name
    .slice(0, MAX_NAME)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\u{fffd}')
}
