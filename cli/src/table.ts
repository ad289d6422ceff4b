import stringWidth from 'string-width'
import { oneLine } from './untrusted-text.ts'

/** Columns as wide as their widest cell, two spaces apart. A row is one line: line feeds in cells are escaped. */
export function table(rows: string[][]): string {
  const cells = rows.map(row => row.map(oneLine))
  const widths: number[] = []
  for (const row of cells)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, stringWidth(cell))
  return cells
    .map(row =>
      row
        .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - stringWidth(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A table with a header, or another text if there are no rows. */
export const listText = (head: string[], rows: string[][], empty: string): string =>
  rows.length > 0 ? table([head, ...rows]) : empty
