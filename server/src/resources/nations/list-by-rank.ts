import type { operations, ValuesFor } from '@chancery/contract'
import { type Sql, sql } from '../../store/database.ts'
import {
  allOf,
  offsetOf,
  type Page,
  type PageRequest,
  readConcatenated,
  readPage,
  smallResultMax,
} from '../../store/paging.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { type NationSource, readPageWithTotal, searchNations } from './search.ts'
import { columnsOf, type Nation, type NationRow, nationOf, positionAfter, rankedNations } from './store.ts'

type Filter = ValuesFor<typeof operations.nationsList>

/** A page of nations in the order of the latest ranking round; nations newer than the round come last. */
export async function listNations(context: ReadContext, filter: Filter): Promise<Page<Nation>> {
  const { search, page, limit } = filter
  const conditions = conditionsOf(filter)
  const columns = columnsOf(context)
  const source = { db: context.pools.public, columns }
  const found =
    search !== undefined
      ? await searchNations(
          { db: context.pools.search, columns },
          { text: search, page, limit, conditions },
          // At most 100 ids.
          { isNarrow: filter.ids !== undefined },
        )
      : filter.ids
        ? await readPage<NationRow>(source.db, filter, rankedNations(columns, allOf(conditions)))
        : conditions.length > 0
          ? await listByRank(source, filter)
          : await listAllByRank(source, filter)
  return { ...found, items: found.items.map(row => nationOf(context, row)) }
}

/** All nations, by their positions: every page takes the same time. */
const listAllByRank = (source: NationSource, filter: Filter): Promise<Page<NationRow>> =>
  readPageWithTotal(
    source,
    sql`
      last as (
        select coalesce(max(position), 0) as position from chancery_world.nation_place
      ), counted as materialized (
        select l.position - (
          select count(*) from chancery_world.nation_moved m where m.is_gone and m.position < l.position
        ) as total from last l
      ), item as (
        select 0 as tier, position from chancery_world.nation_place
        where position >= ${positionAfter(offsetOf(filter))} order by position limit ${filter.limit}
      )`,
  )

function conditionsOf(filter: Filter): Sql[] {
  const { ids, alliance_id } = filter
  return [
    ids && sql`p.nation_id = any(${ids})`,
    alliance_id && sql`p.alliance_id = any(${alliance_id})`,
    ...narrowConditions(filter),
  ].filter(condition => condition !== undefined)
}

/** The filters by which the rows of the ranking index are counted. */
type Selection = Partial<
  Pick<ValuesFor<typeof operations.nationsList>, 'alliance_id' | 'status' | 'min_score' | 'max_score'>
>

/** The first and the last position of a range of scores, and how many selected nations come before, within and behind it. */
interface Counted {
  first: number
  last: number
  before: number
  within: number
  behind: number
}

/**
 * Nations by alliance, status and score. Positions are in the order of the round's scores, so a range of scores is a range of positions,
 * and is counted by its ends. Nations whose score has changed since, and new and deleted ones, are in `nation_moved` and are checked one
 * by one.
 */
async function listByRank(
  { db, columns }: NationSource,
  filter: Selection & PageRequest,
): Promise<Page<NationRow>> {
  const counted = await db.first<Counted>(counting(filter))
  if (!counted) throw new Error('the count returned no row')
  const { first, last, before, within, behind } = counted
  const isAmongMoved = sql`p.position in (select position from chancery_world.nation_moved)`
  const parts = [
    { where: sql`p.position < ${first} and ${isAmongMoved}`, total: before },
    { where: sql`p.position between ${first} and ${last}`, total: within },
    { where: sql`p.position > ${last} and ${isAmongMoved}`, total: behind },
  ]
  return readConcatenated<NationRow>(
    db,
    filter,
    parts.map(({ where, total }) => ({
      listing: rankedNations(
        columns,
        sql`${selecting(filter, { scanInOrder: total > smallResultMax })} and ${where}`,
      ),
      total,
    })),
  )
}

/**
 * The condition on a row of the ranking index. `scanInOrder`: rows are read in their order, and their alliance is looked up in a table of the
 * wanted ones; an index would read all members of many alliances first.
 */
function selecting(
  { alliance_id, status, ...scores }: Selection,
  { scanInOrder }: { scanInOrder: boolean },
): Sql {
  return allOf([
    alliance_id &&
      (scanInOrder
        ? sql`(p.alliance_id in (select unnest(${alliance_id}::text[]))) is true`
        : sql`p.alliance_id = any(${alliance_id})`),
    ...narrowConditions({ status, ...scores }),
  ])
}

/** Most nations are active: an index has the others only. */
const isOther = sql`p.status <> 'active'`

/** Conditions on status and score. */
const narrowConditions = ({ status, min_score, max_score }: Omit<Selection, 'alliance_id'>) =>
  [
    status && sql`p.status = ${status}`,
    // For the partial index: the planner does not see the value of the parameter.
    status && status !== 'active' ? isOther : undefined,
    min_score === undefined ? undefined : sql`p.score_now >= ${min_score}`,
    max_score === undefined ? undefined : sql`p.score_now <= ${max_score}`,
  ].filter(condition => condition !== undefined)

/** One statement, so that all counts are of the same round. */
function counting(filter: Selection): Sql {
  const { min_score, max_score, ...alike } = filter
  if (alike.alliance_id && !alike.status && min_score === undefined && max_score === undefined)
    return sql`
      select 1 as first, ${Number.MAX_SAFE_INTEGER}::bigint as last, 0 as before, coalesce(sum(member_count), 0) as within, 0 as behind
      from chancery_world.alliance where id = any(${alike.alliance_id})`
  const nations = sql`(select nations from chancery_world.ranking_round)`
  return sql`
    with bounds as materialized (
      select ${max_score === undefined ? sql`1::bigint` : firstPlace(sql`p.national_score <= ${max_score}`)} as first,
        ${min_score === undefined ? nations : sql`${firstPlace(sql`p.national_score < ${min_score}`)} - 1`} as last
    ), moved as materialized (
      select m.position, p.status, coalesce(${selecting(alike, { scanInOrder: false })}, false) as is_alike,
        coalesce(${selecting(filter, { scanInOrder: false })}, false) as is_selected
      from chancery_world.nation_moved m left join chancery_world.nation_place p using (position)
    )
    select first, last, of_moved.before, of_moved.behind, of_moved.within + ${unmoved(filter)} as within
    from bounds, lateral (
      select count(*) filter (where is_selected and position < first) as before,
        count(*) filter (where is_selected and position between first and last) as within,
        count(*) filter (where is_selected and position > last) as behind
      from moved
    ) of_moved`
}

/** How many nations of these alliances and this status are from the first position to the last and unchanged since the round. */
function unmoved({ alliance_id, status }: Selection): Sql {
  const placed = (where: Sql) => sql`(
    select count(*) from chancery_world.nation_place p where ${where} and p.position between first and last)`
  const moved = (where: Sql) =>
    sql`(select count(*) from moved where ${where} and position between first and last)`
  const all = sql`(greatest(0, last - first + 1) - ${moved(sql`true`)})`
  if (!alliance_id && status === undefined) return all
  if (!alliance_id && status === 'active')
    return sql`(${all} - ${placed(isOther)} + ${moved(sql`status <> 'active'`)})`
  return sql`(${placed(selecting({ alliance_id, status }, { scanInOrder: false }))} - ${moved(sql`is_alike`)})`
}

/** Binary search: the first position from which on a condition is true; the one after the last if it is true of none. */
const firstPlace = (condition: Sql) => sql`(
  with recursive ends as (
    select nations + 1 as beyond from chancery_world.ranking_round
  ), halves (low, high) as (
    select 1::bigint, beyond from ends
    union all
    select case when middle.holds then h.low else middle.position + 1 end,
      case when middle.holds then middle.position else h.high end
    from halves h, ends, lateral (
      select half.position, coalesce((
        select ${condition} from chancery_world.nation_place p
        where p.position >= half.position and p.position < ends.beyond and p.rank is not null order by p.position limit 1
      ), true) as holds
      from (select (h.low + h.high) / 2 as position) half
    ) middle
    where h.low < h.high
  )
  select low from halves where low = high
)`
