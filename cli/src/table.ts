import { oneLine } from './stranger-text.ts'

/** Columns as wide as their widest cell, two spaces apart; a row is a line, whatever its cells hold. */
export function table(rows: string[][]): string {
  const cells = rows.map(row => row.map(oneLine))
  const widths: number[] = []
  for (const row of cells)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length)
  return cells
    .map(row =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
