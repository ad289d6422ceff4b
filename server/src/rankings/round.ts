import { blockOf } from '../store/block-counts.ts'
/**
 * Ranking rounds: each writes the rank and position of every nation and alliance into new tables and swaps them in. Clients see one round
 * or the next, never a mixture. `rounds.ts` schedules them; all processes share the pause between two.
 */
import { type Database, type DatabasePool, raw, sql } from '../store/database.ts'
import { ingestLock, roundLock } from '../store/locks.ts'
import { notifyPulse } from '../store/pulse.ts'

/** How long the swap waits for queries. */
const lockTimeout = '500ms'

interface Board {
  places: string
  yesterday: string
  key: string
  entity: string
  score: string
  /** The columns by which lists filter. Ingestion keeps them current between rounds. */
  kept: { column: string; of: string }[]
  /** Their tables besides the entity, `t`. */
  joins: string
  /** Further indexes. */
  indexes: string[]
  /** Expressions with few values, for extended statistics: PostgreSQL then counts by them in parallel. */
  groups: { name: string; by: string }[]
}

const boards: Board[] = [
  {
    places: 'nation_place',
    yesterday: 'nation_yesterday',
    key: 'nation_id',
    entity: 'nation',
    score: 'national_score',
    kept: [
      { column: 'status', of: 't.status' },
      { column: 'score_now', of: 't.national_score' },
      { column: 'search_text', of: 't.search_text' },
      { column: 'alliance_id', of: "coalesce(m.alliance_id, '')" },
    ],
    joins: 'left join chancery_world.alliance_member m on m.nation_id = t.id',
    indexes: ['(alliance_id, position) include (status)', "(status, position) where status <> 'active'"],
    groups: [{ name: 'stripe', by: blockOf('position') }],
  },
  {
    places: 'alliance_place',
    yesterday: 'alliance_yesterday',
    key: 'alliance_id',
    entity: 'alliance',
    score: 'total_score',
    kept: [],
    joins: '',
    indexes: [],
    groups: [],
  },
]

const pauseMinMs = 1_000
/** Rankings are at most a round and this pause old, however large the world is. */
const pauseMaxMs = 10_000
/** Up to the longest pause, rounds use at most a twentieth of the time. */
const pausePerRound = 19

/** The pause after a round that worked for so long. Waiting for a batch does not count as work. */
export const pauseAfter = (workMs: number): number =>
  Math.min(pauseMaxMs, Math.max(pauseMinMs, workMs * pausePerRound))

export interface RankingRound {
  /** Without waiting for a connection or for running batches. Undefined during the pause after another round. */
  workMs: number | undefined
  /** How long to wait before the next round. */
  restMs: number
}

/**
 * Runs a round if something changed since the latest one; otherwise returns undefined.
 * `isPaced`: respects the pause after the latest round, whichever process ran it.
 */
export async function runRankingRound(
  pool: DatabasePool,
  { isPaced = false, pause = pauseAfter }: { isPaced?: boolean; pause?: typeof pauseAfter } = {},
): Promise<RankingRound | undefined> {
  return pool.transaction(async db => {
    const startedAt = performance.now()
    let waitedMs = 0
    // Queries lock the old table for milliseconds; a swap that waits would block those behind it.
    await db.rows(sql`select set_config('lock_timeout', ${lockTimeout}, true)`)
    const lock = await db.first<{ is_ours: boolean }>(
      sql`select pg_try_advisory_xact_lock(${roundLock}) as is_ours`,
    )
    if (!lock?.is_ours) return undefined
    const state = await readState(db)
    if (!state.has_changed) return undefined
    if (isPaced && state.rest_ms > 0) return { workMs: undefined, restMs: state.rest_ms }
    if (state.is_new_day) {
      // A reset locks yesterday's rows too: the round takes the ingest lock first, so that they do not wait for each other.
      waitedMs += await waitForBatches(db)
      for (const board of boards) await keepYesterday(db, board)
    }
    for (const board of boards) await fill(db, board)
    waitedMs += await waitForBatches(db)
    await catchUp(db, state)
    await db.rows(sql`truncate chancery_secret.nation_changed`)
    const counts = await countPlaces(db)
    for (const board of boards) await swap(db, board)
    const workMs = performance.now() - startedAt - waitedMs
    const restMs = pause(workMs)
    await close(db, state, counts, restMs)
    return { workMs, restMs }
  })
}

interface State {
  world_version: number
  today: string
  has_changed: boolean
  is_new_day: boolean
  rest_ms: number
}

async function readState(db: Database): Promise<State> {
  const state = await db.first<State>(sql`
    select w.world_version, current_date as today,
      w.world_version <> r.world_version or r.day is distinct from current_date
        or exists (select from chancery_world.nation_place where alliance_id is null)
        or not exists (
          select from pg_catalog.pg_statistic_ext where stxrelid = 'chancery_world.nation_place'::regclass
        ) as has_changed,
      r.day < current_date as is_new_day,
      -- A pause longer than the maximum was computed before the clock was set back.
      case when r.rests_until <= clock_timestamp() + make_interval(secs => ${pauseMaxMs / 1_000})
        then greatest(0, ceil(extract(epoch from r.rests_until - clock_timestamp()) * 1000)) else 0 end as rest_ms
    from chancery_world.pulse w, chancery_world.ranking_round r`)
  if (!state) throw new Error('the pulse has no row')
  return state
}

/** The latest round of the previous day has the ranks at its end. */
async function keepYesterday(db: Database, { places, yesterday, key }: Board): Promise<void> {
  await db.rows(sql`${raw(`delete from chancery_world.${yesterday}`)}`)
  await db.rows(
    sql`${raw(`insert into chancery_world.${yesterday} (${key}, rank) select ${key}, rank from chancery_world.${places} where rank is not null`)}`,
  )
}

/** Free space on each page, so that an updated row stays on its page. */
const fillPercent = 85

async function fill(db: Database, board: Board): Promise<void> {
  const { places, yesterday, key, entity, score, kept, joins, indexes, groups } = board
  const next = `chancery_world.${places}_next`
  const columns = kept.map(({ column }) => `, ${column}`).join('')
  const values = kept.map(({ of }) => `, ${of}`).join('')
  await db.rows(
    sql`${raw(`create table ${next} (like chancery_world.${places}) with (fillfactor = ${fillPercent})`)}`,
  )
  await db.rows(
    sql`${raw(`
      insert into ${next} (position, ${key}, rank, previous_rank, ${score}${columns})
      select row_number() over (order by t.${score} desc, t.id), t.id, rank() over (order by t.${score} desc), y.rank, t.${score}${values}
      from chancery_world.${entity} t left join chancery_world.${yesterday} y on y.${key} = t.id ${joins}`)}`,
  )
  await db.rows(sql`${raw(`alter table ${next} add primary key (position), add unique (${key})`)}`)
  for (const index of indexes) await db.rows(sql`${raw(`create index on ${next} ${index}`)}`)
  for (const { name, by } of groups)
    await db.rows(sql`${raw(`create statistics ${next}_${name} on ${by} from ${next}`)}`)
  await db.rows(sql`${raw(`analyze ${next}`)}`)
  await db.rows(sql`${raw(`grant select on ${next} to chancery_public, chancery_owner`)}`)
}

interface Counts {
  nations: number
  alliances: number
}

/** How many nations and alliances the round ranked: the last position with a rank. */
async function countPlaces(db: Database): Promise<Counts> {
  const counts = await db.first<Counts>(sql`
    select coalesce((select max(position) from chancery_world.nation_place_next where rank is not null), 0) as nations,
      coalesce((select max(position) from chancery_world.alliance_place_next where rank is not null), 0) as alliances`)
  if (!counts) throw new Error('a count has no row')
  return counts
}

/** Takes the ingest lock for the rest of the round, after a running batch. Queries do not wait meanwhile. Returns how long it waited. */
async function waitForBatches(db: Database): Promise<number> {
  await db.rows(sql`select set_config('lock_timeout', '0', true)`)
  const startedAt = performance.now()
  await db.rows(sql`select pg_advisory_xact_lock(${ingestLock})`)
  const waitedMs = performance.now() - startedAt
  await db.rows(sql`select set_config('lock_timeout', ${lockTimeout}, true)`)
  return waitedMs
}

/** Applies to the new tables the changes that batches made while they were filled. */
async function catchUp(db: Database, { world_version }: State): Promise<void> {
  await db.rows(sql`delete from chancery_world.nation_moved`)
  const pulse = await db.first<{ world_version: number }>(sql`select world_version from chancery_world.pulse`)
  if (pulse?.world_version === world_version) return
  const changed = sql`(
    select distinct nation_id as id from chancery_secret.nation_changed where world_version > ${world_version})`
  await db.rows(sql`
    with gone as (
      delete from chancery_world.nation_place_next p using ${changed} c
      where p.nation_id = c.id and not exists (select from chancery_world.nation n where n.id = c.id)
      returning p.position
    )
    insert into chancery_world.nation_moved (position, is_gone) select position, true from gone`)
  await db.rows(sql`
    with kept as (
      update chancery_world.nation_place_next p
      set status = n.status, score_now = n.national_score, search_text = n.search_text, alliance_id = coalesce(m.alliance_id, '')
      from ${changed} c join chancery_world.nation n using (id) left join chancery_world.alliance_member m on m.nation_id = n.id
      where p.nation_id = c.id
        and (p.status, p.score_now, p.search_text, p.alliance_id)
          is distinct from (n.status, n.national_score, n.search_text, coalesce(m.alliance_id, ''))
      returning p.position, p.score_now <> p.national_score as is_moved
    )
    insert into chancery_world.nation_moved (position) select position from kept where is_moved`)
  await db.rows(sql`
    with added as (
      insert into chancery_world.nation_place_next
        (position, nation_id, national_score, status, score_now, search_text, alliance_id)
      select (select coalesce(max(position), 0) from chancery_world.nation_place_next) + row_number() over (order by n.id),
        n.id, n.national_score, n.status, n.national_score, n.search_text, coalesce(m.alliance_id, '')
      from ${changed} c join chancery_world.nation n using (id) left join chancery_world.alliance_member m on m.nation_id = n.id
      where not exists (select from chancery_world.nation_place_next p where p.nation_id = n.id)
      returning position
    )
    insert into chancery_world.nation_moved (position) select position from added
    on conflict (position) do update set is_gone = false`)
  // Of alliances, only deletions are applied: after a reset, requests before the next round find none.
  await db.rows(sql`
    delete from chancery_world.alliance_place_next p
    where not exists (select from chancery_world.alliance a where a.id = p.alliance_id)`)
}

async function swap(db: Database, { places, groups }: Board): Promise<void> {
  await db.rows(sql`${raw(`drop table chancery_world.${places}`)}`)
  await db.rows(sql`${raw(`alter table chancery_world.${places}_next rename to ${places}`)}`)
  for (const { name } of groups)
    await db.rows(
      sql`${raw(`alter statistics chancery_world.${places}_next_${name} rename to ${places}_${name}`)}`,
    )
}

/** Responses contain ranks, so a round makes a new world version. If a batch was applied meanwhile, the next round is due. */
async function close(
  db: Database,
  { world_version, today }: State,
  counts: Counts,
  restMs: number,
): Promise<void> {
  await db.rows(sql`
    with moved as (
      update chancery_world.pulse set world_version = world_version + 1,
        -- What a batch changed meanwhile is younger than this transaction.
        unranked_since = case when world_version <> ${world_version} then now() end
      returning world_version
    )
    update chancery_world.ranking_round r set
      world_version = case when m.world_version = ${world_version}::bigint + 1 then m.world_version else ${world_version} end,
      day = ${today}::date,
      nations = ${counts.nations},
      alliances = ${counts.alliances},
      rests_until = clock_timestamp() + make_interval(secs => ${restMs / 1_000})
    from moved m`)
  await db.rows(notifyPulse)
}
