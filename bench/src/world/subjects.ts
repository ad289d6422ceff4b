import { type Database, sql } from '../../../server/src/store/database.ts'

/** What there is to ask about in the world, each in an order that has nothing to do with where it is stored. */
export interface Subjects {
  counts: { nations: number; wars: number; events: number }
  nations: string[]
  /** Nations with a war that goes on. */
  atWar: string[]
  /** Beginnings of names, in small letters. */
  names: string[]
  /** Kinds of events that fill some pages. */
  eventKinds: string[]
  /** Players who have each a nation. */
  players: string[]
}

const nationsMax = 10_000
const playersMax = 64

export async function findSubjects(db: Database): Promise<Subjects> {
  const column = async (statement: Parameters<Database['rows']>[0]) =>
    (await db.rows<{ value: string }>(statement)).map(({ value }) => value)
  const [counts] = await db.rows<Subjects['counts']>(sql`
    select (select count(*) from chancery_world.nation) as nations, (select count(*) from chancery_world.war) as wars,
      (select count(*) from chancery_world.event) as events`)
  if (!counts || counts.nations === 0) throw new Error('the world is empty')
  return {
    counts,
    players: await column(sql`
      select distinct player as value from chancery_secret.nation_private where player is not null order by value limit ${playersMax}`),
    nations: await column(
      sql`select id as value from chancery_world.nation order by md5(id) limit ${nationsMax}`,
    ),
    atWar: await column(sql`
      select id as value from chancery_world.nation where active_offensive + active_defensive > 0 order by md5(id)`),
    names: await column(sql`
      select distinct on (md5(value)) value from (
        select left(lower(nation_name), 5) as value from chancery_world.nation) found
      where value ~ '^[a-z]{5}$' order by md5(value)`),
    eventKinds: await column(sql`
      select type as value from chancery_world.event group by type having count(*) > 1000 order by type`),
  }
}
