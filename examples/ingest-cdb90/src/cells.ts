import type { Row } from './table.ts'

/** A non-empty text of at most `lengthMax` UTF-16 units. */
export function nameIn<C extends string>(row: Row<C>, column: C, lengthMax: number): string {
  const name = row.cell(column)
  if (name === '') throw row.error(`${column} is empty`)
  if (name.length > lengthMax) throw row.error(`${column} is longer than ${lengthMax} characters`)
  return name
}

/** A whole number from 0 to 2^53-1. */
export function countIn<C extends string>(row: Row<C>, column: C): number {
  const count = Number(row.cell(column))
  if (!/^\d+$/.test(row.cell(column)) || !Number.isSafeInteger(count)) throw unexpected(row, column)
  return count
}

/** The meaning of a code of the table's code list. */
export function codeIn<C extends string, V>(row: Row<C>, column: C, meanings: ReadonlyMap<string, V>): V {
  for (const [code, meaning] of meanings) if (code === row.cell(column)) return meaning
  throw unexpected(row, column)
}

/** A local time without zone, written as UTC because facts have no other: `1700-05-01T06:30:00Z`. */
export function timeIn<C extends string>(row: Row<C>, column: C): string {
  const time = `${row.cell(column)}Z`
  if (!isTime(time)) throw unexpected(row, column)
  return time
}

/** The first second of a day in three columns. */
export function dayIn<C extends string>(row: Row<C>, year: C, month: C, day: C): string {
  const date = [
    row.cell(year).padStart(4, '0'),
    row.cell(month).padStart(2, '0'),
    row.cell(day).padStart(2, '0'),
  ]
  const time = `${date.join('-')}T00:00:00Z`
  if (!isTime(time)) throw row.error(`${year}, ${month} and ${day} are not a day: ${date.join('-')}`)
  return time
}

/** Whether the time is valid: `Date` alone would turn 30 February into 1 March. */
function isTime(time: string): boolean {
  const date = new Date(time)
  return !Number.isNaN(date.getTime()) && date.toISOString() === time.replace(/Z$/, '.000Z')
}

const unexpected = <C extends string>(row: Row<C>, column: C) =>
  row.error(`unexpected ${column}: ${JSON.stringify(row.cell(column))}`)
