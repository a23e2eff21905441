// YAML 1.2, core schema, one document: `no` is text, `0o17` is fifteen, `2020-01-01` is text. The values come straight
// from the events of js-yaml; the walk that knows every place runs only when somebody asks, or when the text holds
// aliases, merge keys or a mistake, which one pass over the events tells.
import { constructFromEvents, CORE_SCHEMA, EVENT_ID, mergeTag, parseEvents, YAMLException } from 'js-yaml'
import type { Event } from 'js-yaml'
import type { Position } from '../core/tool.ts'
import { fromPointer } from './pointer.ts'
import { isMergeKey, isPlain, losesPrecision, outlineOf } from './yaml-outline.ts'
import type { Outline } from './yaml-outline.ts'

export interface YamlProblem {
  /** `merge_key` alone leaves a value, with the merge done: whether that is allowed is the format's decision. */
  readonly code: 'syntax' | 'duplicate_key' | 'alias_bomb' | 'merge_key'
  readonly message: string
  readonly position: Position
  /** JSON Pointer. */
  readonly path: string
}

export interface ParsedYaml {
  /** JSON data, null for an empty document; absent where a problem leaves none. What aliases share is shared. */
  readonly value?: unknown
  readonly problems: readonly YamlProblem[]
  /** The place of a JSON Pointer, or of its nearest ancestor; a member stands where its key does. */
  readonly locate: (pointer: string) => Position
}

/** Collections nested deeper than this are refused, so that whoever walks the value may recurse. */
const MAX_DEPTH = 64
/** Nodes that aliases may add; the greatest of the public API descriptions add a few thousand. */
const MAX_EXPANSION = 100_000

const SCHEMA = CORE_SCHEMA.withTags(mergeTag)

/** Reads a text; never throws. */
export function parseYaml(text: string): ParsedYaml {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  const position = positions(source)
  let events: readonly Event[]
  try {
    events = parseEvents(source, { maxDepth: MAX_DEPTH })
  } catch (error) {
    return { problems: [thrown(error)], locate: () => START }
  }
  let known: Outline | undefined
  const outline = (): Outline => (known ??= outlineOf(events, source, { expansion: MAX_EXPANSION, depth: MAX_DEPTH }))
  const locate = (pointer: string): Position => position(offsetOf(outline(), pointer))

  const second = secondDocument(events)
  if (second !== undefined) {
    const message = 'expected one document, found another after "---"'
    return { problems: [{ code: 'syntax', message, position: position(second), path: '' }], locate }
  }
  const problems = isPlainData(events, source) ? [] : findings(outline(), position)
  if (problems.some(({ code }) => code !== 'merge_key')) return { problems, locate }
  try {
    const [value = null] = constructFromEvents([...events], { source, schema: SCHEMA, maxTotalMergeKeys: -1 })
    return { value, problems, locate }
  } catch (error) {
    const found = findings(outline(), position)
    return { problems: found.length > problems.length ? found : [...problems, thrown(error)], locate }
  }
}

const START: Position = { line: 1, column: 1 }

/** No aliases, no merge keys, no numbers that would lose digits: the constructor alone can be trusted with it. */
function isPlainData(events: readonly Event[], source: string): boolean {
  return events.every(event => {
    if (event.type === EVENT_ID.ALIAS) return false
    if (event.type !== EVENT_ID.SCALAR || !isPlain(event)) return true
    if (isMergeKey(event, source)) return false
    const first = source.charCodeAt(event.valueStart)
    const numeric = (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d || first === 0x2e
    return !numeric || !losesPrecision(source.slice(event.valueStart, event.valueEnd))
  })
}

function secondDocument(events: readonly Event[]): number | undefined {
  const at = events.findIndex(({ type }, index) => index > 0 && type === EVENT_ID.DOCUMENT)
  const next = at === -1 ? undefined : events[at + 1]
  if (at === -1) return undefined
  if (next !== undefined && 'valueStart' in next) return Math.max(0, next.valueStart)
  return next !== undefined && 'start' in next ? next.start : 0
}

function findings(outline: Outline, position: (offset: number) => Position): readonly YamlProblem[] {
  return outline.findings.map(({ code, message, offset, path }) => ({
    code,
    message,
    position: position(offset),
    path,
  }))
}

function thrown(error: unknown): YamlProblem {
  if (error instanceof YAMLException) {
    const { line = 0, column = 0 } = error.mark ?? {}
    return { code: 'syntax', message: error.reason, position: { line: line + 1, column: column + 1 }, path: '' }
  }
  if (error instanceof RangeError)
    return { code: 'syntax', message: 'the document is nested too deeply', position: START, path: '' }
  throw error
}

function offsetOf({ root }: Outline, pointer: string): number {
  let place = root
  for (const step of fromPointer(pointer)) {
    const child = place.children?.get(step)
    if (child === undefined) break
    place = child
  }
  return place.offset
}

/** Offsets to lines and columns; the lines are found on first use. */
function positions(source: string): (offset: number) => Position {
  let known: readonly number[] | undefined
  return offset => {
    known ??= [0, ...Array.from(source.matchAll(/\r\n|\n|\r/g), ({ 0: end, index }) => index + end.length)]
    let line = 0
    let end = known.length
    while (line < end) {
      const middle = (line + end) >> 1
      if ((known[middle] ?? 0) > offset) end = middle
      else line = middle + 1
    }
    return { line, column: offset - (known[line - 1] ?? 0) + 1 }
  }
}
