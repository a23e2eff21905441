import type { Diagnostic } from '../core/diagnostic.ts'
import type { Style } from './style.ts'
import { visibleLine } from './visible.ts'

export interface CodeFrameOptions {
  readonly style: Style
  /** The text of the file; without it only the place is named. */
  readonly text?: string | undefined
  /** How the file is called. */
  readonly file?: string | undefined
}

const LINE_WINDOW = 100

/** A problem as a person reads it: the sentence, the place, the line with a caret under the spot, the hint. */
export function codeFrame(diagnostic: Diagnostic, { style, text, file = diagnostic.file }: CodeFrameOptions): string {
  const { severity, code, message, line, column, hint } = diagnostic
  const colour = severity === 'error' ? 'red' : 'yellow'
  const head = `${style(colour, `${severity}[${code}]`)}: ${style('bold', visibleLine(message))}`
  const place = `${style('blue', '-->')} ${visibleLine(file ?? '(no file)')}:${line}:${column}`
  const written = text?.split(/\r\n|\n|\r/)[line - 1]
  const gutter = ' '.repeat(String(line).length)
  const bar = style('blue', '|')
  const frame =
    written === undefined ? [] : [`${gutter} ${bar}`, ...underlined(written, { line, column, gutter, colour, style })]
  const advice = hint === undefined ? [] : [`${gutter} ${style('blue', '=')} write ${visibleLine(hint)}`]
  return [head, `${gutter}${place}`, ...frame, ...advice].join('\n')
}

/** A problem on one line, as compilers and editors know it. */
export function problemLine(diagnostic: Diagnostic, { style, file = diagnostic.file }: CodeFrameOptions): string {
  const { severity, code, message, line, column } = diagnostic
  const label = style(severity === 'error' ? 'red' : 'yellow', `${severity}[${code}]`)
  return `${visibleLine(file ?? '(no file)')}:${line}:${column}: ${label}: ${visibleLine(message)}`
}

interface Spot {
  readonly line: number
  readonly column: number
  readonly gutter: string
  readonly colour: 'red' | 'yellow'
  readonly style: Style
}

function underlined(written: string, { line, column, gutter, colour, style }: Spot): readonly string[] {
  const start = Math.max(0, Math.min(column - 1, written.length))
  const from = start > LINE_WINDOW / 2 ? start - LINE_WINDOW / 2 : 0
  const before = shown(written.slice(from, start))
  const word = /^(?:[\w.-]+|"[^"]*"|'[^']*'|\S)/.exec(written.slice(start, from + LINE_WINDOW))?.[0] ?? ' '
  const code = before + shown(written.slice(start, from + LINE_WINDOW))
  const bar = style('blue', '|')
  return [
    `${style('blue', String(line))} ${bar} ${code}`,
    `${gutter} ${bar} ${' '.repeat(before.length)}${style(colour, '^'.repeat(shown(word).length))}`,
  ]
}

function shown(text: string): string {
  return visibleLine(text.replaceAll('\t', '  '))
}
