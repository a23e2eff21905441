import type { Style } from './style.ts'
import { visibleLine } from './visible.ts'

export interface TableOptions {
  readonly style: Style
  /** Columns of the terminal; the last cell of each row is cut to fit. Absent: nothing is cut. */
  readonly width?: number | undefined
}

/** Rows in columns, the first row being the head. */
export function table(rows: readonly (readonly string[])[], { style, width }: TableOptions): string {
  const cells = rows.map(row => row.map(visibleLine))
  const columns = Math.max(0, ...cells.map(row => row.length))
  const widths = Array.from({ length: columns }, (_, index) => Math.max(...cells.map(row => row[index]?.length ?? 0)))
  return cells
    .map((row, index) => {
      const line = row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      const text = cut(line.join('  '), width).trimEnd()
      return index === 0 ? style('dim', text) : text
    })
    .join('\n')
}

function cut(text: string, width: number | undefined): string {
  return width === undefined || text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}
