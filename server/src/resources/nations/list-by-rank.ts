import type { operations, ValuesFor } from '@chancery/contract'
import { type Sql, sql } from '../../store/database.ts'
import { allOf, type Page, type PageRequest, readConcatenated, smallResultMax } from '../../store/paging.ts'
import type { NationSource } from './search.ts'
import { selected } from './selected.ts'
import type { NationRow } from './store.ts'

/** What of the filters of /nations places are counted by. */
type Selection = Partial<
  Pick<ValuesFor<typeof operations.nationsList>, 'alliance_id' | 'status' | 'min_score' | 'max_score'>
>

/** The places of the round that a range of scores begins and ends at, and how many nations before, in and behind them it holds. */
interface Counted {
  first: number
  last: number
  before: number
  within: number
  behind: number
}

/**
 * Nations by alliance, status and score. A round's places are in the order of its scores: those of a range lie together, and their number
 * is that of their places. Whose score is another now, or who is new or gone, is in `nation_moved`, and is looked at one by one.
 */
export async function listByRank(
  { db, columns }: NationSource,
  filter: Selection & PageRequest,
): Promise<Page<NationRow>> {
  const counted = await db.first<Counted>(counting(filter))
  if (!counted) throw new Error('a count has no row')
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
      listing: selected(columns, sql`${selecting(filter, { isWalk: total > smallResultMax })} and ${where}`),
      total,
    })),
  )
}

/**
 * What a place is selected by. `isWalk`: places are gone through in their order, so that each of many alliances is looked up in a table of
 * them, where an index would have found all their members first.
 */
function selecting({ alliance_id, status, ...scores }: Selection, { isWalk }: { isWalk: boolean }): Sql {
  return allOf([
    alliance_id &&
      (isWalk
        ? sql`(p.alliance_id in (select unnest(${alliance_id}::text[]))) is true`
        : sql`p.alliance_id = any(${alliance_id})`),
    ...narrowConditions({ status, ...scores }),
  ])
}

/** Of what most nations are, an index holds the others alone. */
const isOther = sql`p.status <> 'active'`

/** Conditions on status and score. */
export const narrowConditions = ({ status, min_score, max_score }: Omit<Selection, 'alliance_id'>) =>
  [
    status && sql`p.status = ${status}`,
    // Said for the index: the status asked for is not seen when the statement is planned.
    status && status !== 'active' ? isOther : undefined,
    min_score === undefined ? undefined : sql`p.score_now >= ${min_score}`,
    max_score === undefined ? undefined : sql`p.score_now <= ${max_score}`,
  ].filter(condition => condition !== undefined)

/** In one statement, so that it sees one round. */
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
      select m.position, p.status, coalesce(${selecting(alike, { isWalk: false })}, false) as is_alike,
        coalesce(${selecting(filter, { isWalk: false })}, false) as is_selected
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

/** How many of the selected alliances and status stand from the first place to the last and are as the round left them. */
function unmoved({ alliance_id, status }: Selection): Sql {
  const placed = (where: Sql) => sql`(
    select count(*) from chancery_world.nation_place p where ${where} and p.position between first and last)`
  const moved = (where: Sql) =>
    sql`(select count(*) from moved where ${where} and position between first and last)`
  const all = sql`(greatest(0, last - first + 1) - ${moved(sql`true`)})`
  if (!alliance_id && status === undefined) return all
  if (!alliance_id && status === 'active')
    return sql`(${all} - ${placed(isOther)} + ${moved(sql`status <> 'active'`)})`
  return sql`(${placed(selecting({ alliance_id, status }, { isWalk: false }))} - ${moved(sql`is_alike`)})`
}

/** The first place of the round of which a condition holds that holds of all behind it, looked for by halves; behind the last if of none. */
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
