import { countIn } from './cells.ts'
import type { Row } from './table.ts'

/** Rows of one table by the number of their battle. */
export interface BattleIndex<C extends string> {
  numbers: ReadonlySet<number>
  /** The row of that battle. Throws a DataError about `asking` when there is none. */
  rowOf(number: number, asking: Row<string>): Row<C>
}

/** `what` names a row in errors. Throws a DataError when a battle has two. */
export function indexByBattle<C extends string>(
  rows: readonly Row<C>[],
  numberColumn: C,
  what: string,
): BattleIndex<C> {
  const byNumber = new Map<number, Row<C>>()
  for (const row of rows) {
    const number = countIn(row, numberColumn)
    if (byNumber.has(number)) throw row.refusal(`battle ${number} has ${what} already`)
    byNumber.set(number, row)
  }
  return {
    numbers: new Set(byNumber.keys()),
    rowOf(number, asking) {
      const row = byNumber.get(number)
      if (!row) throw asking.refusal(`battle ${number} lacks ${what}`)
      return row
    },
  }
}
