import { EVENT_ID, getScalarValue, SCALAR_STYLE } from 'js-yaml'
import type { Event, ScalarEvent } from 'js-yaml'
import { toPointer } from './pointer.ts'

/** Where a value stands in the text, and what stands inside it. */
export interface Place {
  readonly offset: number
  readonly children?: ReadonlyMap<string, Place>
}

interface Finding {
  readonly code: 'syntax' | 'duplicate_key' | 'alias_bomb' | 'merge_key'
  readonly message: string
  readonly offset: number
  readonly path: string
}

export interface Outline {
  readonly root: Place
  readonly findings: readonly Finding[]
}

interface OutlineLimits {
  /** Nodes that aliases may add to the document. */
  readonly expansion: number
  /** Collections inside each other, those inside aliases counted. */
  readonly depth: number
}

/** Walks the events once: the place of every node, and what a parser of values accepts or reports one by one. */
export function outlineOf(events: readonly Event[], source: string, limits: OutlineLimits): Outline {
  const root = openFrame('document', 0)
  const walk: Walk = { source, limits, frames: [root], anchors: new Map(), findings: [], added: 0, offset: 0 }
  for (const event of events) {
    if (event.type === EVENT_ID.SCALAR) addScalar(walk, event)
    else if (event.type === EVENT_ID.ALIAS) addAlias(walk, event)
    else if (event.type === EVENT_ID.POP) closeFrame(walk)
    else if (event.type !== EVENT_ID.DOCUMENT) {
      walk.offset = startOf(event, event.start)
      const frame = openFrame(event.type === EVENT_ID.MAPPING ? 'mapping' : 'sequence', walk.offset)
      if (event.anchorStart !== NONE) frame.anchor = source.slice(event.anchorStart, event.anchorEnd)
      if (frame.anchor !== undefined) walk.anchors.set(frame.anchor, 'open')
      walk.frames.push(frame)
    }
  }
  return { root: root.children.get('') ?? { offset: 0 }, findings: walk.findings }
}

/** True where a plain scalar is written as a number that neither JSON nor a double holds. */
export function losesPrecision(text: string): boolean {
  if (INTEGER.test(text)) return !Number.isSafeInteger(Number(text))
  return SPECIAL.test(text) || (FLOAT.test(text) && !Number.isFinite(Number(text)))
}

export function isMergeKey(event: ScalarEvent, source: string): boolean {
  return isPlain(event) && event.valueEnd - event.valueStart === 2 && source.startsWith('<<', event.valueStart)
}

export function isPlain({ style, tagStart }: ScalarEvent): boolean {
  return style === SCALAR_STYLE.PLAIN && tagStart === NONE
}

interface Frame {
  readonly kind: 'document' | 'mapping' | 'sequence'
  readonly offset: number
  readonly children: Map<string, Place>
  anchor?: string
  /** Of a mapping, between a key and its value. */
  key?: { readonly name: string; readonly offset: number; readonly merges: boolean } | undefined
  index: number
  nodes: number
  height: number
}

interface Walk {
  readonly source: string
  readonly limits: OutlineLimits
  readonly frames: Frame[]
  readonly anchors: Map<string, 'open' | { readonly nodes: number; readonly height: number }>
  readonly findings: Finding[]
  /** Nodes that aliases have added so far. */
  added: number
  /** The last known offset: empty nodes have none of their own. */
  offset: number
}

interface Item {
  readonly place: Place
  readonly nodes: number
  readonly height: number
  /** Of a scalar, which may be a key. */
  readonly text?: string
  readonly merges?: boolean
}

const NONE = -1
const INTEGER = /^(?:0o[0-7]+|0x[0-9a-fA-F]+|[-+]?[0-9]+)$/
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const SPECIAL = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/

function openFrame(kind: Frame['kind'], offset: number): Frame {
  return { kind, offset, children: new Map(), index: 0, nodes: 1, height: 0 }
}

function closeFrame(walk: Walk): void {
  if (walk.frames.length === 1) return // the end of the document
  const frame = walk.frames.pop()
  if (frame === undefined) return
  const { anchor, offset, children, nodes, height } = frame
  if (anchor !== undefined) walk.anchors.set(anchor, { nodes, height: height + 1 })
  add(walk, { place: { offset, children }, nodes, height: height + 1 })
}

function addScalar(walk: Walk, event: ScalarEvent): void {
  const { source } = walk
  const quoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
  const value = event.valueStart === NONE ? walk.offset : event.valueStart - (quoted ? 1 : 0)
  walk.offset = startOf(event, value)
  const text = getScalarValue(source, event)
  if (event.anchorStart !== NONE)
    walk.anchors.set(source.slice(event.anchorStart, event.anchorEnd), { nodes: 1, height: 0 })
  if (isPlain(event) && losesPrecision(text))
    report(walk, 'syntax', `the number ${text} cannot be held exactly: write it in quotes if text is meant`)
  add(walk, { place: { offset: walk.offset }, nodes: 1, height: 0, text, merges: isMergeKey(event, source) })
}

function addAlias(walk: Walk, event: { readonly anchorStart: number; readonly anchorEnd: number }): void {
  const name = walk.source.slice(event.anchorStart, event.anchorEnd)
  walk.offset = event.anchorStart - 1
  const anchor = walk.anchors.get(name)
  if (anchor === 'open') report(walk, 'alias_bomb', `the alias *${name} stands inside what it stands for`)
  const { nodes, height } = anchor === undefined || anchor === 'open' ? { nodes: 1, height: 0 } : anchor
  const { expansion, depth } = walk.limits
  const tooMany = walk.added <= expansion && walk.added + nodes > expansion
  walk.added += nodes
  if (tooMany) report(walk, 'alias_bomb', `aliases add more than ${expansion} nodes to the document`)
  else if (walk.frames.length - 1 + height > depth)
    report(walk, 'alias_bomb', `the alias *${name} nests collections deeper than ${depth} levels`)
  add(walk, { place: { offset: walk.offset }, nodes, height })
}

function add(walk: Walk, item: Item): void {
  const frame = walk.frames.at(-1)
  if (frame === undefined) return
  frame.nodes += item.nodes
  frame.height = Math.max(frame.height, item.height)
  if (frame.kind === 'document') frame.children.set('', item.place)
  else if (frame.kind === 'sequence') frame.children.set(String(frame.index++), item.place)
  else if (frame.key === undefined)
    frame.key = { name: item.text ?? '', offset: item.place.offset, merges: item.merges ?? false }
  else addPair(walk, frame, item.place)
}

/** A member stands where its key does. */
function addPair(walk: Walk, frame: Frame, value: Place): void {
  const { name = '', offset = value.offset, merges = false } = frame.key ?? {}
  if (merges) report(walk, 'merge_key', 'the merge key << is no part of YAML 1.2', offset)
  else if (frame.children.has(name)) report(walk, 'duplicate_key', `the key "${name}" stands here twice`, offset)
  else frame.children.set(name, value.children === undefined ? { offset } : { offset, children: value.children })
  frame.key = undefined
}

function report(walk: Walk, code: Finding['code'], message: string, offset = walk.offset): void {
  const steps = walk.frames.flatMap(({ kind, key, index }): readonly string[] => {
    if (kind === 'sequence') return [String(index)]
    return key === undefined ? [] : [key.name]
  })
  walk.findings.push({ code, message, offset, path: toPointer(steps) })
}

function startOf(event: { readonly tagStart: number; readonly anchorStart: number }, content: number): number {
  const starts = [content, event.tagStart, event.anchorStart === NONE ? NONE : event.anchorStart - 1]
  return Math.min(...starts.filter(start => start !== NONE))
}
