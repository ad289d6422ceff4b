import { blockOf, isInBlock } from '../../store/block-counts.ts'
import { type Database, raw, type Sql, sql } from '../../store/database.ts'
import { allOf, offsetOf, type Page, type PageRequest, readPage, smallResultMax } from '../../store/paging.ts'
import { beginningWith, beginningWithLine, containing, fold } from '../../store/search-text.ts'
import { type NationOrder, type NationRow, rankedNations, rankingJoins } from './store.ts'

interface Search extends PageRequest {
  text: string
  /** Further conditions on the rows of the ranking index, `p`. */
  conditions: Sql[]
  /** Instead of exact matches first. */
  order: NationOrder | undefined
}

/** A database, and the columns that are read of a nation. */
export interface NationSource {
  db: Database
  columns: Sql
}

/** With `lookups`, which plans a statement once for all values. */
interface SearchSource extends NationSource {
  lookups: Database
}

/**
 * Nations whose name, or whose leader's name, contains a text: first exact matches of the name, then names that begin with it, then the
 * others, each in the order of the latest ranking round; or all in another order. One statement reads a page and its total, so that they are
 * consistent, except many matches in another order.
 * `isNarrow`: the conditions select few nations.
 */
export async function searchNations(
  source: SearchSource,
  search: Search,
  { isNarrow }: { isNarrow: boolean },
): Promise<Page<NationRow>> {
  const { order, conditions } = search
  const where = allOf([...conditions, sql`p.search_text like ${containing(search.text)}`])
  if (!isNarrow && hasTrigram(search.text)) {
    const named = await findIdsByName(source.db, search.text)
    if (named.total === 0) return { items: [], total: 0 }
    if (named.total <= smallResultMax) {
      const isNamed = sql`p.nation_id = any(${named.ids}::text[])`
      const matches = smallResult(search, allOf([isNamed, ...conditions]))
      const db = named.total <= lookupMax ? source.lookups : source.db
      return toPage(await read({ ...source, db }, matches, order))
    }
  } else {
    const isSmall = isNarrow
      ? sql`true`
      : sql`(select nations from chancery_world.ranking_round) <= ${smallResultMax}`
    const found = await read(source, smallResult(search, where, isSmall), order)
    if (isCounted(found)) return toPage(found)
  }
  if (order) return readPage(source.db, search, rankedNations(source.columns, where, order))
  return readPageWithTotal(source, largeResult(search, where))
}

/** Up to this many matches, planning the statement for them takes longer than reading them, which takes no longer than a lookup. */
const lookupMax = 100

/** The ids of the nations with a text in their names, as one text. A total above `smallResultMax` means that there are more. */
async function findIdsByName(db: Database, text: string): Promise<{ ids: string | null; total: number }> {
  const found = await db.first<{ ids: string | null; total: number }>(sql`
    select array_agg(id)::text as ids, count(*) as total from (
      select id from chancery_world.nation where search_text like ${containing(text)} limit ${smallResultMax + 1}
    ) named`)
  return found ?? { ids: null, total: 0 }
}

/** Reads a page from common table expressions that end with `counted`, one row with the total, and `item`, the tiers and positions of the page. */
export const readPageWithTotal = async (source: NationSource, matches: Sql): Promise<Page<NationRow>> =>
  toPage(await read(source, matches))

/** Each row has the total; an empty page is one row with the total alone. */
type FoundRow = { total: number | null } & (NationRow | { id: null })

const read = ({ db, columns }: NationSource, matches: Sql, order?: NationOrder) =>
  db.rows<FoundRow>(sql`
    with ${matches}
    select counted.total, ${columns}
    from counted left join (item join chancery_world.nation_ranking p using (position) ${rankingJoins}) on true
    order by ${order?.order ?? sql`item.tier, item.position`}`)

const isCounted = ([row]: FoundRow[]) => row !== undefined && row.total !== null

function toPage(rows: FoundRow[]): Page<NationRow> {
  const items = rows.flatMap(({ total: _total, ...row }) => (row.id === null ? [] : [row]))
  return { items, total: rows[0]?.total ?? 0 }
}

/** Whether the trigram index can find the text: a shorter one has no trigram. */
const hasTrigram = (text: string): boolean => [...fold(text)].length >= 3

const isName = (text: string) => sql`p.search_text like ${beginningWithLine(text)}`
const isBeginning = (text: string) => sql`p.search_text like ${beginningWith(text)}`

/** The order of matches: 0 exact, 1 beginning with the text, 2 the others. */
const tierOf = (text: string) =>
  sql`case when not ${isBeginning(text)} then 2 when ${isName(text)} then 0 else 1 end`

/** Common table expressions that sort all matches: `counted` and `item`, as below. The total is null where `isSmall` is false. */
const smallResult = (search: Search, where: Sql, isSmall = sql`true`): Sql => sql`
  found as (
    select ${tierOf(search.text)} as tier, ${raw(['position', ...(search.order?.columns ?? [])].map(column => `p.${column}`).join(', '))}
    from chancery_world.nation_ranking p where ${isSmall} and ${where}
  ), counted as (
    select case when ${isSmall} then count(*) end as total from found
  ), item as (
    select tier, position from found p order by ${search.order?.order ?? sql`tier, position`} limit ${search.limit} offset ${offsetOf(search)}
  )`

/**
 * The same for many matches: one scan of the ranking index counts them by block of positions, and the page is read from the blocks that
 * contain it. Every page takes the same time.
 */
function largeResult(search: Search, where: Sql): Sql {
  const offset = offsetOf(search)
  const places = sql`from chancery_world.nation_ranking p where ${where}`
  return sql`
    blocks as (
      select ${raw(blockOf('p.position'))} as block, count(*) filter (where ${isName(search.text)}) as names,
        count(*) filter (where ${isBeginning(search.text)}) as beginnings, count(*) as total
      ${places} group by 1
    ), counted as (
      select coalesce(sum(total), 0) as total from blocks
    ), part as (
      select tier, block, amount, sum(amount) over (order by tier, block) - amount as before
      from blocks, lateral (values (0, names), (1, beginnings - names), (2, total - beginnings)) tiers (tier, amount)
      where amount > 0
    ), taken as (
      select tier, block, before from part where before < ${offset + search.limit} and before + amount > ${offset}
    ), item as (
      select tier, position
      from taken, lateral (
        -- The offset is an optimization fence: each block is read by itself.
        select p.position ${places} and ${isInBlock('p.position', 'block')} and ${tierOf(search.text)} = tier offset 0
      ) found
      order by tier, position limit ${search.limit} offset ${offset} - (select min(before) from taken)
    )`
}
