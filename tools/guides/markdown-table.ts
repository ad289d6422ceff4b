/** The cells of a table's rows, without its head. */
export const tableRows = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .slice(2)
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    )

const unitSeconds: Record<string, number> = { d: 86_400, h: 3_600, min: 60, s: 1 }

/** Reads `3 d 3 h 35 min 5 s`. */
export function durationSeconds(text: string): number {
  const parts = [...text.matchAll(/(\d+) ([a-z]+)/g)]
  if (parts.map(([part]) => part).join(' ') !== text) throw new Error(`not a duration: ${text}`)
  return parts.reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (unitSeconds[unit] ?? Number.NaN),
    0,
  )
}
