import { type Database, type DatabasePool, raw, sql } from '../store/database.ts'
import { notifyPulse } from '../store/pulse.ts'

/** One round at a time, whichever process runs it. */
const roundLock = 0x726f_756e

interface Board {
  places: string
  yesterday: string
  key: string
  things: string
  score: string
}

const boards: Board[] = [
  {
    places: 'nation_place',
    yesterday: 'nation_yesterday',
    key: 'nation_id',
    things: 'nation',
    score: 'national_score',
  },
  {
    places: 'alliance_place',
    yesterday: 'alliance_yesterday',
    key: 'alliance_id',
    things: 'alliance',
    score: 'total_score',
  },
]

/**
 * Writes the place of every nation and alliance into fresh tables and swaps them in, if something changed since the
 * latest round. Returns whether it did. Readers see one round or the next, never half of one.
 */
export async function runRankingRound(pool: DatabasePool): Promise<boolean> {
  return pool.transaction(async db => {
    // Readers hold the old table for milliseconds. Whoever waits for the swap would make others wait behind it.
    await db.rows(sql`select set_config('lock_timeout', '500ms', true)`)
    const lock = await db.first<{ is_ours: boolean }>(
      sql`select pg_try_advisory_xact_lock(${roundLock}) as is_ours`,
    )
    if (!lock?.is_ours) return false
    const state = await readState(db)
    if (!state.has_changed) return false
    if (state.is_new_day) for (const board of boards) await keepYesterday(db, board)
    for (const board of boards) await fill(db, board)
    for (const board of boards) await swap(db, board)
    await close(db, state)
    return true
  })
}

interface State {
  world_version: number
  today: string
  has_changed: boolean
  is_new_day: boolean
}

async function readState(db: Database): Promise<State> {
  const state = await db.first<State>(sql`
    select w.world_version, current_date as today,
      w.world_version <> r.world_version or r.day is distinct from current_date as has_changed,
      r.day < current_date as is_new_day
    from chancery_world.pulse w, chancery_world.ranking_round r`)
  if (!state) throw new Error('the pulse has no row')
  return state
}

/** The latest round of a past day says where everybody stood when it ended. */
async function keepYesterday(db: Database, { places, yesterday, key }: Board): Promise<void> {
  await db.rows(sql`${raw(`delete from chancery_world.${yesterday}`)}`)
  await db.rows(
    sql`${raw(`insert into chancery_world.${yesterday} (${key}, rank) select ${key}, rank from chancery_world.${places}`)}`,
  )
}

async function fill(db: Database, { places, yesterday, key, things, score }: Board): Promise<void> {
  const next = `chancery_world.${places}_next`
  await db.rows(sql`${raw(`create table ${next} (like chancery_world.${places})`)}`)
  await db.rows(
    sql`${raw(`
      insert into ${next} (position, ${key}, rank, previous_rank, ${score})
      select row_number() over (order by t.${score} desc, t.id), t.id, rank() over (order by t.${score} desc), y.rank, t.${score}
      from chancery_world.${things} t left join chancery_world.${yesterday} y on y.${key} = t.id`)}`,
  )
  await db.rows(sql`${raw(`alter table ${next} add primary key (position), add unique (${key})`)}`)
  await db.rows(sql`${raw(`analyze ${next}`)}`)
  await db.rows(sql`${raw(`grant select on ${next} to chancery_public, chancery_owner`)}`)
}

async function swap(db: Database, { places }: Board): Promise<void> {
  await db.rows(sql`${raw(`drop table chancery_world.${places}`)}`)
  await db.rows(sql`${raw(`alter table chancery_world.${places}_next rename to ${places}`)}`)
}

/** Bodies show ranks, so a round is a new version of the world; but where a batch came in between, the next round is due. */
async function close(db: Database, { world_version, today }: State): Promise<void> {
  await db.rows(sql`
    with moved as (update chancery_world.pulse set world_version = world_version + 1 returning world_version)
    update chancery_world.ranking_round r set
      world_version = case when m.world_version = ${world_version}::bigint + 1 then m.world_version else ${world_version} end,
      day = ${today}::date,
      nations = (select count(*) from chancery_world.nation_place),
      alliances = (select count(*) from chancery_world.alliance_place)
    from moved m`)
  await db.rows(notifyPulse)
}
