// From a place in a text of a YAML document, such as the code of a composite, to the place in the file.
import type { Position } from '../../core/tool.ts'
import type { Within } from './problems.ts'

/** A literal block (`code: |`), with its indicators and a comment. */
const LITERAL = /^\s*\|[-+0-9]*[ \t]*(?:#.*)?$/

/**
 * Exact for literal blocks and for texts of one line, as whoever writes code writes it; else, and where the text is written
 * somewhere else (an alias), the place of the key.
 */
export function placeWithin(file: string, key: Position, within: Within): Position {
  const lines = file.split(/\r\n|\n|\r/)
  const value = /^(?:[\w-]+|"[^"]*"|'[^']*')[ \t]*:/.exec((lines[key.line - 1] ?? '').slice(key.column - 1))
  if (value === null) return key
  const start = key.column - 1 + value[0].length
  const rest = (lines[key.line - 1] ?? '').slice(start)
  return LITERAL.test(rest) ? inBlock(lines, key, within) : (inLine(rest, { ...key, column: start + 1 }, within) ?? key)
}

function inBlock(lines: readonly string[], key: Position, { text, line, column }: Within): Position {
  const written = lines[key.line - 1 + line] ?? ''
  const meant = text.split('\n')[line - 1] ?? ''
  return written.endsWith(meant) && /^[ \t]*$/.test(written.slice(0, written.length - meant.length))
    ? { line: key.line + line, column: written.length - meant.length + column }
    : key
}

/** Nothing is escaped where the text stands there as it is. */
function inLine(rest: string, start: Position, { text, column }: Within): Position | undefined {
  const written = /^[ \t]*["']?/.exec(rest)?.[0].length ?? 0
  return !text.includes('\n') && rest.startsWith(text, written)
    ? { line: start.line, column: start.column + written + column - 1 }
    : undefined
}
