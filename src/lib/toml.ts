// TOML 1.0 with positions. smol-toml gives the values and toml-eslint-parser the places; smol-toml alone would also accept
// TOML 1.1, so every text it accepts is read by the stricter one too.
import { parse, stringify, TomlDate, TomlError } from 'smol-toml'
import { parseTOML, ParseError } from 'toml-eslint-parser'
import type { AST } from 'toml-eslint-parser'
import type { Position } from '../core/tool.ts'
import { toPointer } from './pointer.ts'

/** Integers are `bigint`, floats are `number`: TOML tells them apart and 64 bits do not fit a `number`. */
export type TomlValue = string | bigint | number | boolean | TomlDate | readonly TomlValue[] | TomlTable
export interface TomlTable {
  readonly [key: string]: TomlValue
}

export type ParsedToml =
  | { readonly ok: true; readonly value: TomlTable; readonly locate: (pointer: string) => Position }
  | { readonly ok: false; readonly message: string; readonly position: Position }

/** Tables and arrays nested deeper than this are refused, so that whoever walks the value may recurse. */
const MAX_DEPTH = 64

/** Reads a text; never throws. `locate` gives the place of a JSON Pointer, or of its nearest ancestor. */
export function parseToml(text: string): ParsedToml {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  try {
    const value: unknown = parse(source, { integersAsBigInt: true, maxDepth: MAX_DEPTH })
    if (!isTomlTable(value) || isTooDeep(value))
      return { ok: false, message: `nested deeper than ${MAX_DEPTH} levels`, position: START }
    const program = parseTOML(source, { tomlVersion: '1.0' })
    let places: ReadonlyMap<string, Position> | undefined
    return { ok: true, value, locate: pointer => nearestPlace((places ??= placesOf(program)), pointer) }
  } catch (error) {
    return { ok: false, ...problemOf(error) }
  }
}

/** A table as text. @throws where a value has no place in TOML, such as null or a function */
export function writeToml(table: object): string {
  return stringify(table)
}

export function isTomlTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

export function isTomlArray(value: TomlValue): value is readonly TomlValue[] {
  return Array.isArray(value)
}

const START: Position = { line: 1, column: 1 }

function problemOf(error: unknown): { readonly message: string; readonly position: Position } {
  if (error instanceof TomlError) {
    const [sentence = ''] = error.message.split('\n')
    const message = sentence.replace(/^Invalid TOML document: /, '')
    return { message, position: { line: error.line, column: error.column } }
  }
  if (error instanceof ParseError)
    return { message: error.message, position: { line: error.lineNumber, column: error.column + 1 } }
  // No text may bring the caller down, not even one that trips a parser.
  return { message: error instanceof Error ? error.message : 'the text cannot be read', position: START }
}

function isTooDeep(root: TomlTable): boolean {
  let level: readonly TomlValue[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap(value => {
      if (isTomlArray(value)) return value
      return isTomlTable(value) ? Object.values(value) : []
    })
  }
  return false
}

function nearestPlace(places: ReadonlyMap<string, Position>, pointer: string): Position {
  for (let path = pointer; path !== ''; path = path.slice(0, path.lastIndexOf('/'))) {
    const found = places.get(path)
    if (found !== undefined) return found
  }
  return START
}

/** Keys stand where they are first written, array elements where they begin. */
function placesOf(program: AST.TOMLProgram): ReadonlyMap<string, Position> {
  const places = new Map<string, Position>()
  for (const node of program.body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      placeKeyValue(places, [], node)
      continue
    }
    placeHeader(places, node)
    for (const entry of node.body) placeKeyValue(places, node.resolvedKey, entry)
  }
  return places
}

type Steps = readonly (string | number)[]

function placeHeader(places: Map<string, Position>, table: AST.TOMLTable): void {
  let written = 0
  for (const [index, step] of table.resolvedKey.entries()) {
    const key = table.key.keys[typeof step === 'number' ? written - 1 : written++]
    if (key !== undefined) place(places, table.resolvedKey.slice(0, index + 1), key)
  }
}

function placeKeyValue(places: Map<string, Position>, base: Steps, entry: AST.TOMLKeyValue): void {
  let path = base
  for (const key of entry.key.keys) {
    path = [...path, key.type === 'TOMLBare' ? key.name : key.value]
    place(places, path, key)
  }
  placeContent(places, path, entry.value)
}

function placeContent(places: Map<string, Position>, path: Steps, content: AST.TOMLContentNode): void {
  if (content.type === 'TOMLInlineTable') for (const entry of content.body) placeKeyValue(places, path, entry)
  if (content.type === 'TOMLArray')
    for (const [index, element] of content.elements.entries()) {
      place(places, [...path, index], element)
      placeContent(places, [...path, index], element)
    }
}

function place(places: Map<string, Position>, path: Steps, node: AST.HasLocs): void {
  const pointer = toPointer(path)
  if (!places.has(pointer)) places.set(pointer, { line: node.loc.start.line, column: node.loc.start.column + 1 })
}
