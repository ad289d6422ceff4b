import { operations, type ValuesFor } from '@chancery/contract'
import { type Database, type Sql, sql } from '../../store/database.ts'
import { comparisons } from '../../store/derived-lists.ts'
import type { ReadContext } from '../../store/fact-columns.ts'
import {
  allOf,
  offsetOf,
  type Page,
  type PageRequest,
  readConcatenated,
  readPage,
  readSlice,
  smallResultMax,
} from '../../store/paging.ts'
import { candidatesInRange, countOfRange, inRange, type Range } from './attribute-range.ts'
import { type NationSource, readPageWithTotal, searchNations } from './search.ts'
import {
  columnsOf,
  firstPosition,
  indexColumnOf,
  type Nation,
  type NationOrder,
  type NationRow,
  nationOf,
  nationOrders,
  type Places,
  positionAfter,
  rankedNations,
} from './store.ts'

/** The word for nations without an alliance, whose alliance is an empty text in the ranking index. No id is empty. */
const noAlliance = 'none'

type Filter = Partial<ValuesFor<typeof operations.nationsList>> & PageRequest

/** A page of nations in the order of the latest ranking round; nations newer than the round come last. */
export async function listNations(context: ReadContext, filter: Filter): Promise<Page<Nation>> {
  const { search, page, limit, sort = 'score', ...rest } = filter
  const selection = { ...rest, alliance_id: rest.alliance_id?.map(id => (id === noAlliance ? '' : id)) }
  const order = sort === 'score' ? undefined : nationOrders[sort]
  const conditions = conditionsOf(selection)
  const columns = columnsOf(context)
  // With an attribute and another filter all nations are counted one by one: such lists use the connections for searches.
  const { public: db, search: scanning } = context.pools
  const source = { db: filter.attribute === undefined ? db : scanning, columns }
  const found =
    search !== undefined
      ? await searchNations(
          { db: context.pools.search, lookups: context.pools.lookups, columns },
          { text: search, page, limit, conditions, order },
          // At most 100 ids.
          { isNarrow: filter.ids !== undefined },
        )
      : filter.ids
        ? await readPage<NationRow>(source.db, filter, rankedNations(columns, allOf(conditions), order))
        : order
          ? await listInOrder(source, selection, { page, limit }, order)
          : conditions.length > 0
            ? await listByRank(source, selection, { page, limit })
            : await listAllByRank(source, filter)
  return { ...found, items: found.items.map(row => nationOf(context, row)) }
}

/** How many nations there are. */
const allNations = sql`(
  select l.position - (
    select count(*) from chancery_world.nation_ranking_dirty m where m.is_deleted and m.position < l.position
  ) from (select coalesce(max(position), 0) as position from chancery_world.nation_ranking) l
)`

/** All nations, by their positions: every page takes the same time. */
const listAllByRank = (source: NationSource, filter: Filter): Promise<Page<NationRow>> =>
  readPageWithTotal(
    source,
    sql`
      counted as materialized (
        select ${allNations} as total
      ), item as (
        select 0 as tier, position from chancery_world.nation_ranking
        where position >= ${positionAfter(offsetOf(filter))} order by position limit ${filter.limit}
      )`,
  )

const conditionsOf = (filter: Selection): Sql[] => [
  ...(filter.alliance_id ? [sql`p.alliance_id = any(${filter.alliance_id})`] : []),
  ...narrowConditions(filter),
]

/** The filters by which the rows of the ranking index are counted. */
type Selection = Omit<Filter, 'search' | 'sort' | keyof PageRequest>

/** The first and the last position of a range of scores, and how many selected nations come before, within and behind it. */
interface Counted {
  first: number
  last: number
  before: number
  within: number
  behind: number
}

/**
 * Nations in an order of their own. Many are read in this order by its index, from the nearer end: half of a large world at most.
 */
async function listInOrder(
  { db, columns }: NationSource,
  selection: Selection,
  request: PageRequest,
  order: NationOrder,
): Promise<Page<NationRow>> {
  const { before, within, behind } = await count(db, selection)
  const total = before + within + behind
  const where = selectingOf(selection, total)
  const slice = { offset: offsetOf(request), limit: request.limit, total }
  return { items: await readSlice(db, rankedNations(columns, where, order), slice), total }
}

/**
 * Nations by alliance, status and score. Positions are in the order of the round's scores, so a range of scores is a range of positions,
 * and is counted by its ends. Nations whose score has changed since, and new and deleted ones, are in `nation_ranking_dirty` and are checked one
 * by one.
 */
async function listByRank(
  { db, columns }: NationSource,
  selection: Selection,
  request: PageRequest,
): Promise<Page<NationRow>> {
  const { first, last, before, within, behind } = await count(db, selection)
  const isAmongMoved = sql`p.position in (select position from chancery_world.nation_ranking_dirty)`
  const parts = [
    { where: sql`p.position < ${first} and ${isAmongMoved}`, total: before },
    { where: sql`p.position between ${first} and ${last}`, total: within },
    { where: sql`p.position > ${last} and ${isAmongMoved}`, total: behind },
  ]
  return readConcatenated<NationRow>(
    db,
    request,
    parts.map(({ where, total }) => ({
      listing: rankedNations(columns, sql`${selectingOf(selection, total)} and ${where}`),
      total,
    })),
  )
}

/** The condition on a row of the ranking index, in the way that is fast for this many. */
function selectingOf(selection: Selection, total: number): Sql {
  if (total > smallResultMax) return selecting(selection, { scanInOrder: true })
  const range = rangeAlone(selection)
  return allOf([
    selecting(selection, { scanInOrder: false }),
    ...(range ? [sql`p.nation_id = any(array(${candidatesInRange(range)}))`] : []),
  ])
}

/** The range of an attribute, without another filter. */
function rangeAlone({ attribute, min_attribute, max_attribute, ...others }: Selection): Range | undefined {
  if (attribute === undefined || !isOnly(others, undefined)) return undefined
  return { attribute, min_attribute, max_attribute }
}

/**
 * The condition on a row of the ranking index. `scanInOrder`: rows are read in their order, and their alliance is looked up in a table of the
 * wanted ones; an index would read all members of many alliances first.
 */
function selecting(selection: Selection, { scanInOrder }: { scanInOrder: boolean }): Sql {
  const { alliance_id } = selection
  if (!alliance_id || !scanInOrder) return allOf(conditionsOf(selection))
  return allOf([
    sql`(p.alliance_id in (select unnest(${alliance_id}::text[]))) is true`,
    ...narrowConditions(selection),
  ])
}

/** Most nations are active: an index has the others only. */
const isOther = sql`p.status <> 'active'`

/** All conditions but that on the alliance. */
const narrowConditions = (selection: Selection): Sql[] => [
  ...comparisons(operations.nationsList, selection, field => `p.${indexColumnOf(field)}`),
  // For the partial index: the planner does not see the value of the parameter.
  ...(selection.status && selection.status !== 'active' ? [isOther] : []),
  ...inRange(selection),
]

async function count(db: Database, selection: Selection): Promise<Counted> {
  const counted = await db.first<Counted>(counting(selection))
  if (!counted) throw new Error('the count returned no row')
  return counted
}

/** One statement, so that all counts are of the same round. */
function counting(filter: Selection): Sql {
  const { min_score, max_score, ...alike } = filter
  const total = totalOf(filter)
  if (total)
    return sql`
      select 1 as first, ${Number.MAX_SAFE_INTEGER}::bigint as last, 0 as before, ${total} as within, 0 as behind`
  const nations = sql`(select nations from chancery_world.ranking_round)`
  // The planner takes a range between two unknown ends for a narrow one.
  const inBounds =
    min_score === undefined && max_score === undefined
      ? sql`p.position <= (select last from bounds)`
      : sql`p.position between first and last`
  return sql`
    with bounds as materialized (
      select ${max_score === undefined ? sql`1::bigint` : firstPosition(roundPlaces, sql`national_score <= ${max_score}`)} as first,
        ${min_score === undefined ? nations : sql`${firstPosition(roundPlaces, sql`national_score < ${min_score}`)} - 1`} as last
    ), moved as materialized (
      select m.position, p.status, coalesce(${selecting(alike, { scanInOrder: false })}, false) as is_alike,
        coalesce(${selecting(filter, { scanInOrder: false })}, false) as is_selected
      from chancery_world.nation_ranking_dirty m left join chancery_world.nation_ranking p using (position)
    )
    select first, last, of_moved.before, of_moved.behind, of_moved.within + ${unmoved(alike, inBounds)} as within
    from bounds, lateral (
      select count(*) filter (where is_selected and position < first) as before,
        count(*) filter (where is_selected and position between first and last) as within,
        count(*) filter (where is_selected and position > last) as behind
      from moved
    ) of_moved`
}

const roundPlaces: Places = {
  from: sql`chancery_world.nation_ranking where rank is not null`,
  beyond: sql`select nations + 1 as beyond from chancery_world.ranking_round`,
}

/** The number of nations, where it is found without counting them one by one; else undefined. */
function totalOf(filter: Selection): Sql | undefined {
  if (isOnly(filter, undefined) || isOnly(filter, 'alliance_id')) return ofAlliances(filter.alliance_id)
  const range = rangeAlone(filter)
  return range && countOfRange(range)
}

/** How many nations these alliances have; all without a list. */
function ofAlliances(ids: readonly string[] | undefined): Sql {
  if (!ids) return allNations
  const members = (where: Sql) =>
    sql`(select coalesce(sum(member_count), 0) from chancery_world.alliance where ${where})`
  const chosen = members(sql`id = any(${ids})`)
  return ids.includes('') ? sql`${chosen} + ${allNations} - ${members(sql`true`)}` : chosen
}

/** Whether no filter but `name` is given. */
const isOnly = (selection: Selection, name: keyof Selection | undefined) =>
  Object.entries(selection).every(([given, value]) => value === undefined || given === name)

/** How many of these nations are from the first position to the last (`inBounds`) and unchanged since the round. */
function unmoved(alike: Selection, inBounds: Sql): Sql {
  const placed = (where: Sql) =>
    sql`(select count(*) from chancery_world.nation_ranking p where ${where} and ${inBounds})`
  const moved = (where: Sql) =>
    sql`(select count(*) from moved where ${where} and position between first and last)`
  const all = sql`(greatest(0, last - first + 1) - ${moved(sql`true`)})`
  if (isOnly(alike, undefined)) return all
  if (alike.status === 'active' && isOnly(alike, 'status'))
    return sql`(${all} - ${placed(isOther)} + ${moved(sql`status <> 'active'`)})`
  return sql`(${placed(selecting(alike, { scanInOrder: false }))} - ${moved(sql`is_alike`)})`
}
