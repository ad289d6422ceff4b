import { type Database, type Sql, sql } from '../../store/database.ts'
import { allOf, type Page } from '../../store/paging.ts'
import { containing } from '../../store/search-text.ts'
import { few, fewOfSmallWorld, hasTrigram, indexed, many, type Search } from './matches.ts'
import { placed } from './selected.ts'
import type { NationRow } from './store.ts'

/** A database, and the columns that are read of a nation. */
export interface NationSource {
  db: Database
  columns: Sql
}

/**
 * Nations whose name, or whose leader's name, contains a text: those that are called so, then those whose name begins with it, then the
 * others, each in the order of the latest ranking round. A page and its total are read in one statement, so they are of one moment.
 * `isNarrow`: the conditions leave few.
 */
export async function searchNations(
  source: NationSource,
  search: Search,
  { isNarrow }: { isNarrow: boolean },
): Promise<Page<NationRow>> {
  const where = allOf([...search.conditions, sql`p.search_text like ${containing(search.text)}`])
  const matches = isNarrow
    ? few(search, where)
    : hasTrigram(search.text)
      ? indexed(search)
      : fewOfSmallWorld(search, where)
  const found = await read(source, matches)
  return isCounted(found) ? toPage(found) : readPageWithTotal(source, many(search, where))
}

/** Reads a page from expressions that end with `counted`, one row with the total, and `item`, the tiers and positions of the page. */
export const readPageWithTotal = async (source: NationSource, matches: Sql): Promise<Page<NationRow>> =>
  toPage(await read(source, matches))

/** Each row has the total; where the page is empty, a row has that alone. */
type FoundRow = { total: number | null } & (NationRow | { id: null })

const read = ({ db, columns }: NationSource, matches: Sql) =>
  db.rows<FoundRow>(sql`
    with ${matches}
    select counted.total, ${columns}
    from counted left join (item join chancery_world.nation_place p using (position) ${placed}) on true
    order by item.tier, item.position`)

const isCounted = ([row]: FoundRow[]) => row !== undefined && row.total !== null

function toPage(rows: FoundRow[]): Page<NationRow> {
  const items = rows.flatMap(({ total: _total, ...row }) => (row.id === null ? [] : [row]))
  return { items, total: rows[0]?.total ?? 0 }
}
