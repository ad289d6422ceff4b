import { type Database, type Sql, sql } from '../../store/database.ts'
import { allOf, type Page, type PageRequest, readInTurn } from '../../store/paging.ts'
import { beginningWith, beginningWithLine, containing, fold } from '../../store/search-text.ts'
import { selected } from './selected.ts'
import type { NationRow } from './store.ts'

/** As many as an index of trigrams finds faster than a look at every name. */
const foundMax = 5_000
/** Shorter texts have no trigram. */
const trigramLength = 3

/**
 * Nations whose name, or whose leader's name, contains a text: those that are called so, then those whose name begins with it, then the
 * others, each in the order of the latest ranking round.
 */
export async function searchNations(
  db: Database,
  request: PageRequest,
  text: string,
  conditions: Sql[],
): Promise<Page<NationRow>> {
  const found = await findFew(db, text)
  if (found?.length === 0) return { items: [], total: 0 }
  const where = allOf([
    found ? sql`p.nation_id = any(${found})` : sql`p.search_text like ${containing(text)}`,
    ...conditions,
  ])
  const isName = sql`p.search_text like ${beginningWithLine(text)}`
  const isBeginning = sql`p.search_text like ${beginningWith(text)}`
  const counted = await db.first<{ names: number; beginnings: number; total: number }>(sql`
    select count(*) filter (where ${isName}) as names, count(*) filter (where ${isBeginning} and not ${isName}) as beginnings,
      count(*) as total
    from chancery_world.nation_place p where ${where}`)
  const { names = 0, beginnings = 0, total = 0 } = counted ?? {}
  return readInTurn<NationRow>(db, request, [
    { listing: selected(sql`${where} and ${isName}`), total: names },
    { listing: selected(sql`${where} and ${isBeginning} and not ${isName}`), total: beginnings },
    { listing: selected(sql`${where} and not ${isBeginning}`), total: total - names - beginnings },
  ])
}

/** The nations that an index finds, where they are few; undefined where they are many or the text is too short for it. */
async function findFew(db: Database, text: string): Promise<string[] | undefined> {
  if ([...fold(text)].length < trigramLength) return undefined
  const rows = await db.rows<{ id: string }>(sql`
    select id from chancery_world.nation where search_text like ${containing(text)} limit ${foundMax + 1}`)
  return rows.length > foundMax ? undefined : rows.map(({ id }) => id)
}
