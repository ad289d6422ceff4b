/**
 * Nations whose value of a ranked attribute is in a range. Their values are current in the ranking index; their places are those of the latest
 * round (decision 0060).
 */
import { raw, type Sql, sql } from '../../store/database.ts'
import { allOf } from '../../store/paging.ts'
import { firstPosition } from './store.ts'

export interface Range {
  attribute: string
  min_attribute: number | undefined
  max_attribute: number | undefined
}

/** The conditions on a row `p` of the ranking index; none without an attribute. */
export function inRange({ attribute, min_attribute, max_attribute }: Partial<Range>): Sql[] {
  if (attribute === undefined) return []
  const value = sql`(p.ranked_values -> ${attribute})::numeric`
  return [
    sql`p.ranked_values ? ${attribute}`,
    ...(min_attribute === undefined ? [] : [sql`${value} >= ${min_attribute}`]),
    ...(max_attribute === undefined ? [] : [sql`${value} <= ${max_attribute}`]),
  ]
}

const ofAttribute = (table: string, { attribute }: Range) =>
  sql`chancery_world.${raw(table)} where attribute = ${attribute}`
const placesOf = (range: Range) => ofAttribute('nation_attribute_ranking', range)

/** The nations whose place may be another than that of their value: their value has changed since the round, or they are new. */
const moved = sql`chancery_world.nation_ranking_dirty join chancery_world.nation_ranking p using (position)`

/** A query of one row: the `first` and the `last` place of the range. Places are in the order of the values, highest first. */
function boundsOf(range: Range): Sql {
  const { min_attribute, max_attribute } = range
  const from = placesOf(range)
  const beyond = sql`select coalesce(max(position), 0) + 1 as beyond from ${from}`
  const places = { from, beyond }
  return sql`
    select ${max_attribute === undefined ? sql`1::bigint` : firstPosition(places, sql`value <= ${max_attribute}`)} as first,
      ${min_attribute === undefined ? sql`(${beyond})` : firstPosition(places, sql`value < ${min_attribute}`)} - 1 as last`
}

/** How many nations there are: the places of the range, corrected by the nations that have moved. */
export const countOfRange = (range: Range): Sql => sql`(
  with bounds as materialized (${boundsOf(range)}), moved as materialized (
    select p.nation_id, ${allOf(inRange(range))} as is_selected from ${moved}
  )
  -- An attribute that was not ranked in the latest round has no places.
  select case when exists (select from ${placesOf(range)}) then greatest(0, last - first + 1)
    - (select count(*) from ${ofAttribute('nation_attribute_ranking_gap', range)} and position between first and last)
    - (
      select count(*) from moved join chancery_world.nation_attribute_ranking a using (nation_id)
      where a.attribute = ${range.attribute} and a.position between first and last)
    + (select count(*) from moved where is_selected)
  else (select count(*) from chancery_world.nation_ranking p where ${allOf(inRange(range))}) end
  from bounds
)`

/** The ids of all nations that may be in the range: few more than those that are. */
export const candidatesInRange = (range: Range): Sql => sql`
  select a.nation_id from (${boundsOf(range)}) bounds, lateral (
    select nation_id from ${placesOf(range)} and position between first and last
  ) a
  union all select p.nation_id from ${moved}
  union all select nation_id from chancery_world.nation_ranking where not exists (select from ${placesOf(range)})`
