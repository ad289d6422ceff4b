/** Writes the points of a day, and deletes old ones. */
import { type Database, type DatabasePool, sql } from '../../store/database.ts'
import { ingestLock } from '../../store/locks.ts'
import { writeAlliancePoints } from './alliances.ts'
import { writeNationPoints } from './nations.ts'
import { assignNumbers } from './numbers.ts'

/** Writes the points of the day of the latest ranking round. The ingest lock is held. */
export async function recordDay(db: Database, day: string): Promise<void> {
  // Also alliances without a rank yet: nations may be in them.
  await assignNumbers(db, 'alliance', sql`select id, id as place from chancery_world.alliance`)
  await assignNumbers(
    db,
    'nation',
    sql`select nation_id as id, position as place from chancery_world.nation_ranking where rank is not null`,
  )
  await writeNationPoints(
    db,
    day,
    sql`
      select r.nation_id, r.rank, r.national_score, n.city_count, r.alliance_id
      from chancery_world.nation_ranking r join chancery_world.nation n on n.id = r.nation_id where r.rank is not null`,
  )
  await writeAlliancePoints(
    db,
    day,
    sql`
      select r.alliance_id, r.rank, r.total_score, a.member_count
      from chancery_world.alliance_ranking r join chancery_world.alliance a on a.id = r.alliance_id`,
  )
}

/** A nation on a past day. */
export interface PastNation {
  id: string
  national_score: number
  city_count: number | null
  alliance_id: string | null
}

/**
 * Writes the points of a past day that has none: of all nations of that day, from which ranks and alliances are computed. Those that do
 * not exist any more have no history.
 */
export async function importDay(
  pool: DatabasePool,
  day: string,
  nations: readonly PastNation[],
): Promise<void> {
  await pool.transaction(async db => {
    await db.rows(sql`select pg_advisory_xact_lock(${ingestLock})`)
    const known = await db.first(sql`select from chancery_world.nation_history where day = ${day}::date`)
    if (known) return
    const past = sql`
      json_to_recordset(${JSON.stringify(nations)}::json) as t (id text, national_score numeric, city_count bigint, alliance_id text)`
    await assignNumbers(
      db,
      'alliance',
      sql`select id, id as place from chancery_world.alliance where id in (select alliance_id from ${past})`,
    )
    await assignNumbers(
      db,
      'nation',
      sql`select id, id as place from chancery_world.nation where id in (select id from ${past})`,
    )
    await writeNationPoints(
      db,
      day,
      sql`
        select id as nation_id, rank() over (order by national_score desc) as rank, national_score, city_count, alliance_id
        from ${past}`,
    )
    await writeAlliancePoints(
      db,
      day,
      sql`
        select alliance_id, rank() over (order by sum(national_score) desc) as rank, sum(national_score) as total_score,
          count(*) as member_count
        from ${past} where alliance_id is not null group by alliance_id`,
    )
    await db.rows(sql`update chancery_world.pulse set world_version = world_version + 1`)
  })
}

/** Deletes the points of days before the last `days`, a day at a time. */
export async function deleteOldHistory(pool: DatabasePool, days: number): Promise<void> {
  for (;;) {
    const oldest = await pool.first<{ day: string | null }>(sql`
      select least((select min(day) from chancery_world.nation_history), (select min(day) from chancery_world.alliance_history)) as day
      where least((select min(day) from chancery_world.nation_history), (select min(day) from chancery_world.alliance_history))
        < current_date - ${days}::integer`)
    if (!oldest?.day) return
    await pool.rows(sql`delete from chancery_world.nation_history where day = ${oldest.day}::date`)
    await pool.rows(sql`delete from chancery_world.alliance_history where day = ${oldest.day}::date`)
  }
}
