import { codeIn, countIn, dayIn, nameIn, timeIn } from './cells.ts'
import { type Row, readTable } from './table.ts'

export interface Battle {
  /** The tables' own number of the battle, `isqno`. */
  number: number
  name: string
  /** The global conflict's name as written, `war4`. */
  conflictName: string
  /** The two nations without direction; `coalitions` if the tables name no single pair. */
  pair: string
  attacker: string
  defender: string
  foughtAt: string
  victor: 'attacker' | 'defender' | 'draw' | null
  /** Casualties; null if unknown. */
  attackerLosses: number | null
  defenderLosses: number | null
}

const yesOrNo = new Map([
  ['1', true],
  ['0', false],
])

const victors = new Map<string, Battle['victor']>([
  ['1', 'attacker'],
  ['-1', 'defender'],
  ['0', 'draw'],
  ['-9', null],
])

/** The battles between `nations` in chronological order. Throws a DataError for an inconsistent row. */
export function readBattles(directory: string, nations: ReadonlySet<string>): Battle[] {
  const tables = readBattleTables(directory)
  return tables.wars
    .map(war => {
      const number = countIn(war, 'isqno')
      const dyad = tables.dyads.rowOf(number, war)
      const duration = tables.durations.rowOf(number, war)
      const source = tables.sources.rowOf(number, war)
      return {
        number,
        name: nameIn(war, 'name', 200),
        conflictName: nameIn(war, 'war4', 200),
        pair: dyad.cell('dyad') || 'coalitions',
        attacker: nationIn(dyad, 'attacker', nations),
        defender: nationIn(dyad, 'defender', nations),
        foughtAt: duration.cell('datetime_min')
          ? timeIn(duration, 'datetime_min')
          : dayIn(source, 'ATPBYR1', 'ATPBMN1', 'ATPBDA1'),
        victor: codeIn(source, 'WINA', victors),
        attackerLosses: lossesIn(tables.attackers.rowOf(number, war)),
        defenderLosses: lossesIn(tables.defenders.rowOf(number, war)),
      }
    })
    .sort(byTime)
}

function readBattleTables(directory: string) {
  const wars = readTable(directory, 'local_wars.csv', ['isqno', 'name', 'war4'])
  const { numbers } = indexByBattle(wars, 'isqno', 'a row in local_wars.csv')

  const index = <C extends string>(rows: Row<C>[], numberColumn: C, what: string) => {
    const unknown = rows.find(row => !numbers.has(countIn(row, numberColumn)))
    if (unknown) throw unknown.error(`battle ${unknown.cell(numberColumn)} is not in local_wars.csv`)
    return indexByBattle(rows, numberColumn, what)
  }

  const dyads = readTable(directory, 'battle_dyads.csv', ['isqno', 'attacker', 'defender', 'dyad', 'primary'])
  const sides = readTable(directory, 'belligerents.csv', ['isqno', 'attacker', 'cas'])
  const durations = readTable(directory, 'battle_durations.csv', ['isqno', 'datetime_min'])
  // battles.csv has a `wina` too, but it lost its negative values: every victory of a defender.
  const sourceFile = 'source_CDB90-patched.csv'
  const sourceColumns = ['ISQNO', 'WINA', 'ATPBYR1', 'ATPBMN1', 'ATPBDA1'] as const
  const sources = readTable(directory, sourceFile, sourceColumns, 'latin-1')

  const primary = dyads.filter(row => codeIn(row, 'primary', yesOrNo))
  const attackers = sides.filter(row => codeIn(row, 'attacker', yesOrNo))
  const defenders = sides.filter(row => !codeIn(row, 'attacker', yesOrNo))
  return {
    wars,
    dyads: index(primary, 'isqno', 'a primary row in battle_dyads.csv'),
    attackers: index(attackers, 'isqno', 'an attacker in belligerents.csv'),
    defenders: index(defenders, 'isqno', 'a defender in belligerents.csv'),
    durations: index(durations, 'isqno', 'a row in battle_durations.csv'),
    sources: index(sources, 'ISQNO', `a row in ${sourceFile}`),
  }
}

/** The names of the nations: the distinct actors. */
export function readNations(directory: string): ReadonlySet<string> {
  const rows = readTable(directory, 'battle_actors.csv', ['actor'])
  return new Set(rows.map(row => nameIn(row, 'actor', 100)).sort())
}

/** Rows of one table by the number of their battle. */
interface BattleIndex<C extends string> {
  numbers: ReadonlySet<number>
  /** The row of this battle. Throws a DataError at the row `from` if there is none. */
  rowOf(number: number, from: Row<string>): Row<C>
}

/** `what` names a row in errors. Throws a DataError if a battle has two. */
function indexByBattle<C extends string>(
  rows: readonly Row<C>[],
  numberColumn: C,
  what: string,
): BattleIndex<C> {
  const byNumber = new Map<number, Row<C>>()
  for (const row of rows) {
    const number = countIn(row, numberColumn)
    if (byNumber.has(number)) throw row.error(`battle ${number} has ${what} already`)
    byNumber.set(number, row)
  }
  return {
    numbers: new Set(byNumber.keys()),
    rowOf(number, from) {
      const row = byNumber.get(number)
      if (!row) throw from.error(`battle ${number} lacks ${what}`)
      return row
    },
  }
}

function nationIn<C extends string>(row: Row<C>, column: C, nations: ReadonlySet<string>): string {
  const nation = row.cell(column)
  if (!nations.has(nation)) throw row.error(`${column} ${JSON.stringify(nation)} is not in battle_actors.csv`)
  return nation
}

const lossesIn = (side: Row<'cas' | 'isqno' | 'attacker'>) =>
  side.cell('cas') === '' ? null : countIn(side, 'cas')

function byTime(a: Battle, b: Battle): number {
  if (a.foughtAt !== b.foughtAt) return a.foughtAt < b.foughtAt ? -1 : 1
  return a.number - b.number
}
