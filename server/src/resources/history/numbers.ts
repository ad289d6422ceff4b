/**
 * Numbers of nations and alliances in the history. A number is a place: of the blocks of `nations.ts` and `alliances.ts`. Numbers have no
 * gaps. A nation or alliance that is deleted loses its number, so that its points cannot be found any more; the number is used again when
 * no kept day has a value of it.
 */
import { type Database, raw, type Sql, sql } from '../../store/database.ts'

export type Ranked = 'nation' | 'alliance'

/** The last day on which a number that is freed now may have a value, also after the clock was set back. */
const lastDay = sql`greatest(current_date, (select max(day) from chancery_world.nation_history))`

/** Ends the history of nations or alliances. The points of nations keep the ids of the alliances that they were in. */
export async function closeHistory(db: Database, ranked: Ranked, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await free(db, ranked, sql`${raw(`${ranked}_id`)} = any(${ids}::text[])`)
}

/** The same for all of them. */
export const closeAllHistory = (db: Database, ranked: Ranked): Promise<void> => free(db, ranked, sql`true`)

async function free(db: Database, ranked: Ranked, which: Sql): Promise<void> {
  const unlinked = ranked === 'nation' ? sql`nation_id = null, ` : sql``
  await db.rows(sql`
    update ${raw(`chancery_world.${ranked}_history_number`)} set ${unlinked}freed_on = ${lastDay}
    where freed_on is null and ${which}`)
}

/** Gives a number to each of some `ids` (a query with the columns `id` and `place`, its order) that has none. */
export async function assignNumbers(db: Database, ranked: Ranked, ids: Sql): Promise<void> {
  const [table, id] = [raw(`chancery_world.${ranked}_history_number`), raw(`${ranked}_id`)]
  await db.rows(sql`
    with missing as materialized (
      select i.id, row_number() over (order by i.place) as place
      from (${ids}) i
      where not exists (select from ${table} k where k.${id} = i.id and k.freed_on is null)
    ), oldest as (
      select least((select min(day) from chancery_world.nation_history), (select min(day) from chancery_world.alliance_history)) as day
    ), unused as (
      select number, row_number() over (order by number) as place from ${table}, oldest
      where freed_on < coalesce(oldest.day, 'infinity')
      order by number limit (select count(*) from missing)
    ), used_again as (
      update ${table} k set ${id} = m.id, freed_on = null
      from missing m join unused u using (place) where k.number = u.number
    )
    insert into ${table} (number, ${id})
    select (select coalesce(max(number), -1) from ${table}) + row_number() over (order by m.place), m.id
    from missing m where m.place > (select count(*) from unused)`)
}
