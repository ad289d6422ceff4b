import { blockOf, isInBlock } from '../../store/block-counts.ts'
import { raw, type Sql, sql } from '../../store/database.ts'
import { allOf, offsetOf, type PageRequest, smallResultMax } from '../../store/paging.ts'
import { beginningWith, beginningWithLine, containing, fold } from '../../store/search-text.ts'

// Ways to find the nations that match a text. Each is a list of common table expressions: at its end `counted`, one row with the total, and
// `item`, the tiers and positions of a page.

export interface Search extends PageRequest {
  text: string
  /** What else is asked of the places of nations, `p`. */
  conditions: Sql[]
}

/** Whether an index of trigrams finds the text: a shorter one has none. */
export const hasTrigram = (text: string): boolean => [...fold(text)].length >= 3

const isName = (text: string) => sql`p.search_text like ${beginningWithLine(text)}`
const isBeginning = (text: string) => sql`p.search_text like ${beginningWith(text)}`

/** In which order matches come: 0 is called so, 1 begins with it, 2 are the others. */
const tierOf = (text: string) =>
  sql`case when not ${isBeginning(text)} then 2 when ${isName(text)} then 0 else 1 end`

/** Few matches: all are sorted. The total is null where `isFew` does not hold. */
export const few = (search: Search, where: Sql, isFew = sql`true`): Sql => sql`
  found as (
    select ${tierOf(search.text)} as tier, p.position from chancery_world.nation_place p where ${isFew} and ${where}
  ), counted as (
    select case when ${isFew} then count(*) end as total from found
  ), item as (
    select tier, position from found order by tier, position limit ${search.limit} offset ${offsetOf(search)}
  )`

/** The same, where the latest ranking round has seen few nations at all. */
export const fewOfSmallWorld = (search: Search, where: Sql): Sql =>
  few(search, where, sql`(select nations from chancery_world.ranking_round) <= ${smallResultMax}`)

/** The same of what an index finds, where that is few. */
export function indexed(search: Search): Sql {
  const named = sql`
    named as (
      select id from chancery_world.nation where search_text like ${containing(search.text)} limit ${smallResultMax + 1}
    )`
  // An array of them, so that each is looked up by its key.
  const isNamed = sql`p.nation_id = any(array(select id from named))`
  const isFew = sql`(select count(*) from named) <= ${smallResultMax}`
  return sql`${named}, ${few(search, allOf([isNamed, ...search.conditions]), isFew)}`
}

/**
 * Matches that may be many: one look at all places counts those of each stripe of places, and the page is looked for in the stripes that
 * it is in. Any page costs the same.
 */
export function many(search: Search, where: Sql): Sql {
  const offset = offsetOf(search)
  const places = sql`from chancery_world.nation_place p where ${where}`
  return sql`
    striped as (
      select ${raw(blockOf('p.position'))} as stripe, count(*) filter (where ${isName(search.text)}) as names,
        count(*) filter (where ${isBeginning(search.text)}) as beginnings, count(*) as total
      ${places} group by 1
    ), counted as (
      select coalesce(sum(total), 0) as total from striped
    ), part as (
      select tier, stripe, amount, sum(amount) over (order by tier, stripe) - amount as before
      from striped, lateral (values (0, names), (1, beginnings - names), (2, total - beginnings)) tiers (tier, amount)
      where amount > 0
    ), taken as (
      select tier, stripe, before from part where before < ${offset + search.limit} and before + amount > ${offset}
    ), item as (
      select tier, position
      from taken, lateral (
        -- The offset is a fence: each stripe is looked at by itself.
        select p.position ${places} and ${isInBlock('p.position', 'stripe')} and ${tierOf(search.text)} = tier offset 0
      ) found
      order by tier, position limit ${search.limit} offset ${offset} - (select min(before) from taken)
    )`
}
