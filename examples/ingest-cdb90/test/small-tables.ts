import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/**
 * Three battles of two conflicts, invented. Battle 3 is the earliest, has no time of its own and no
 * losses of the attacker; battle 2 is fought by two nations on one side, and its victor is unknown.
 */
const smallTables = {
  'battle_actors.csv': `isqno,attacker,n,actor
1,1,1,Northland
1,0,1,Île Verte
2,1,1,Northland
2,0,1,Southland
2,0,2,Île Verte
3,1,1,Île Verte
3,0,1,Northland
`,
  'local_wars.csv': `isqno,name,war4
1,THE FORD,War of the Fords
2,THE FORD,Long War
3,"HILL, LOWER",War of the Fords
`,
  'battle_dyads.csv': `isqno,attacker,defender,dyad,primary
1,Northland,Île Verte,Northland|Île Verte,1
2,Northland,Southland,,1
2,Northland,Île Verte,,0
3,Île Verte,Northland,Northland|Île Verte,1
`,
  'belligerents.csv': `isqno,attacker,cas
1,1,"100"
1,0,250
2,1,0
2,0,40
3,1,
3,0,7
`,
  'battle_durations.csv': `isqno,datetime_min
1,1700-05-01T06:30:00
2,1710-08-09T00:00:00
3,
`,
  'source_CDB90-patched.csv': `ISQNO,NAMA,WINA,ATPBYR1,ATPBMN1,ATPBDA1
1,ARMÉE,-1,1700,5,1
2,ARMÉE,-9,1710,8,9
3,ARMÉE,1,1699,11,30
`,
}

export type Table = keyof typeof smallTables

/** Writes the tables to a new directory that lives as long as the test. `change` may rewrite them; null leaves one out. */
export function writeTables(
  t: TestContext,
  change: (table: Table, text: string) => string | null = (_, text) => text,
): string {
  const directory = mkdtempSync(join(tmpdir(), 'cdb90-'))
  t.after(() => rmSync(directory, { recursive: true }))
  for (const table of tables) {
    const text = change(table, smallTables[table])
    if (text === null) continue
    writeFileSync(join(directory, table), text, table === 'source_CDB90-patched.csv' ? 'latin1' : 'utf8')
  }
  return directory
}

export const tables: readonly Table[] = [
  'battle_actors.csv',
  'local_wars.csv',
  'battle_dyads.csv',
  'belligerents.csv',
  'battle_durations.csv',
  'source_CDB90-patched.csv',
]
