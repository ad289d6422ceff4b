import type { DatabasePool, Sql } from '../store/database.ts'
import { deleteRowsUpTo } from './retention.ts'

/** Over its bound a table loses this part at once, and not some lines with every writing. */
const shareRemoved = 0.01

export interface RowCap {
  /** Told the newest number in the table, null where none was written. Removes the oldest lines in the background. */
  enforce(newest: number | null): void
  close(): Promise<void>
}

/** Keeps a table within so many lines, by their numbers: nothing has to be counted. */
export function createRowCap(
  pool: DatabasePool,
  { table, rowsMax, onError }: { table: Sql; rowsMax: number; onError: (error: unknown) => void },
): RowCap {
  let removedTo = 0
  let removing: Promise<void> | undefined

  return {
    enforce(newest) {
      if (newest === null || removing) return
      // A crash of the database empties the table, and numbers begin again.
      if (newest < removedTo) removedTo = 0
      if (newest - removedTo <= rowsMax) return
      const upTo = newest - Math.floor(rowsMax * (1 - shareRemoved))
      removing = deleteRowsUpTo(pool, table, upTo)
        .then(() => {
          removedTo = upTo
        }, onError)
        .finally(() => {
          removing = undefined
        })
    },
    async close() {
      await removing
    },
  }
}
