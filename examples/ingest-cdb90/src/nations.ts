import { nameIn } from './cells.ts'
import { readTable } from './table.ts'

/** The names of the nations: the distinct actors. */
export function readNations(directory: string): ReadonlySet<string> {
  const rows = readTable(directory, 'battle_actors.csv', ['actor'])
  return new Set(rows.map(row => nameIn(row, 'actor', 100)).sort())
}
