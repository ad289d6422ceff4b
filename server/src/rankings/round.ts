/**
 * Ranking rounds: each writes the rank and position of every nation and alliance into new tables and swaps them in. Clients see one round
 * or the next, never a mixture. `round-scheduler.ts` schedules them; all processes share the pause between two.
 */

import { recordDay } from '../resources/history/record-day.ts'
import { indexedColumns, nationOrders } from '../resources/nations/store.ts'
import { blockOf } from '../store/block-counts.ts'
import { type Database, type DatabasePool, join, raw, sql } from '../store/database.ts'
import { ingestLock, roundLock } from '../store/locks.ts'
import { notifyPulse } from '../store/pulse.ts'

/** How long the swap waits for queries. */
const lockTimeout = '500ms'

interface Ranking {
  table: string
  /** The table of places by attributes of the game profile. */
  attributeTable: string
  /** The table of ranks at the end of the previous day. */
  previousDay: string
  key: string
  entity: string
  score: string
  /** The columns by which lists filter, with their expressions. Ingestion keeps them current between rounds. */
  filters: Record<string, string>
  /** Their tables besides the entity, `n`. */
  joins: string
  /** Further indexes. */
  indexes: string[]
  /** Expressions with few values, by name, for extended statistics: PostgreSQL then counts by them in parallel. */
  statistics: Record<string, string>
}

const rankings: Ranking[] = [
  {
    table: 'nation_ranking',
    attributeTable: 'nation_attribute_ranking',
    previousDay: 'nation_rank_previous_day',
    key: 'nation_id',
    entity: 'nation',
    score: 'national_score',
    filters: indexedColumns,
    joins: 'left join chancery_world.alliance_member m on m.nation_id = n.id',
    indexes: [
      '(alliance_id, position) include (status)',
      "(status, position) where status <> 'active'",
      ...Object.values(nationOrders).map(({ key }) => key),
    ],
    statistics: { block: blockOf('position') },
  },
  {
    table: 'alliance_ranking',
    attributeTable: 'alliance_attribute_ranking',
    previousDay: 'alliance_rank_previous_day',
    key: 'alliance_id',
    entity: 'alliance',
    score: 'total_score',
    filters: {},
    joins: '',
    indexes: [],
    statistics: {},
  },
]

const pauseMinMs = 1_000
/** Rankings are at most a round and this pause old, however large the world is. */
const pauseMaxMs = 10_000
/** Up to the longest pause, rounds use at most a twentieth of the time. */
const pausePerRound = 19

/** The pause after a round that worked for this long. Waiting for a batch does not count as work. */
export const pauseAfter = (workMs: number): number =>
  Math.min(pauseMaxMs, Math.max(pauseMinMs, workMs * pausePerRound))

export interface RankingRound {
  /** Without waiting for a connection or for running batches. Undefined during the pause after another round. */
  workMs: number | undefined
  /** How long to wait before the next round. */
  pauseMs: number
}

export interface RoundOptions {
  /** Respects the pause after the latest round, whichever process ran it. */
  isPaced?: boolean
  pause?: typeof pauseAfter
  /**
   * From how many nations on a new table is vacuumed at once: counts and pages far from both ends then read indexes alone. Autovacuum comes
   * too late for a table that the next round replaces.
   */
  vacuumedFrom?: number
}

const vacuumedFromDefault = 10_000

/** Runs a round if something changed since the latest one; otherwise returns undefined. */
export async function runRankingRound(
  pool: DatabasePool,
  { isPaced = false, pause = pauseAfter, vacuumedFrom = vacuumedFromDefault }: RoundOptions = {},
): Promise<RankingRound | undefined> {
  const round = await pool.transaction(async db => {
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
    if (isPaced && state.pause_ms > 0) return { workMs: undefined, pauseMs: state.pause_ms }
    if (state.is_new_day) {
      // A reset locks the ranks of the previous day too: the round takes the ingest lock first, so that they do not wait for each other.
      waitedMs += await takeIngestLock(db)
      await recordDay(db, state.day)
      for (const ranking of rankings) await savePreviousDay(db, ranking)
    }
    const withAttributes: Ranking[] = []
    for (const ranking of rankings) {
      await fillNext(db, ranking)
      if (await fillNextOfAttributes(db, ranking, state)) withAttributes.push(ranking)
    }
    waitedMs += await takeIngestLock(db)
    await catchUp(db, state, withAttributes)
    await db.rows(sql`truncate chancery_secret.nation_ranking_log`)
    const counts = await countRanked(db)
    for (const { table, statistics } of rankings) await swap(db, table, statistics)
    for (const { attributeTable } of withAttributes) await swap(db, attributeTable)
    const workMs = performance.now() - startedAt - waitedMs
    const pauseMs = pause(workMs)
    await finishRound(db, state, counts, pauseMs)
    return { workMs, pauseMs, nations: counts.nations }
  })
  if (round === undefined || round.workMs === undefined) return round
  if (round.nations >= vacuumedFrom)
    await pool.rows(raw('vacuum (truncate false) chancery_world.nation_ranking'))
  return { workMs: round.workMs, pauseMs: round.pauseMs }
}

interface RoundState {
  world_version: number
  today: string
  /** That of the latest round. */
  day: string
  has_changed: boolean
  is_new_day: boolean
  pause_ms: number
}

async function readState(db: Database): Promise<RoundState> {
  const state = await db.first<RoundState>(sql`
    select w.world_version, current_date as today, r.day,
      w.world_version <> r.world_version or r.day is distinct from current_date
        or exists (select from chancery_world.nation_ranking where alliance_id is null)
        or not exists (
          select from pg_catalog.pg_statistic_ext where stxrelid = 'chancery_world.nation_ranking'::regclass
        ) as has_changed,
      r.day < current_date as is_new_day,
      -- A pause longer than the maximum was computed before the clock was set back.
      case when r.paused_until <= clock_timestamp() + make_interval(secs => ${pauseMaxMs / 1_000})
        then greatest(0, ceil(extract(epoch from r.paused_until - clock_timestamp()) * 1000)) else 0 end as pause_ms
    from chancery_world.pulse w, chancery_world.ranking_round r`)
  if (!state) throw new Error('chancery_world.pulse has no row')
  return state
}

/** The latest round of the previous day has the ranks at its end. */
async function savePreviousDay(db: Database, { table, previousDay, key }: Ranking): Promise<void> {
  await db.rows(raw(`delete from chancery_world.${previousDay}`))
  await db.rows(
    raw(`
      insert into chancery_world.${previousDay} (${key}, rank)
      select ${key}, rank from chancery_world.${table} where rank is not null`),
  )
}

/** Free space on each page, so that an updated row stays on its page. */
const fillPercent = 85

async function fillNext(db: Database, ranking: Ranking): Promise<void> {
  const { table, previousDay, key, entity, score, filters, joins, indexes, statistics } = ranking
  const next = `chancery_world.${table}_next`
  const list = (texts: string[]) => texts.map(text => `, ${text}`).join('')
  const statements = [
    `create table ${next} (like chancery_world.${table}) with (fillfactor = ${fillPercent})`,
    `insert into ${next} (position, ${key}, rank, previous_rank, ${score}${list(Object.keys(filters))})
     select row_number() over (order by n.${score} desc, n.id), n.id, rank() over (order by n.${score} desc), y.rank, n.${score}${list(Object.values(filters))}
     from chancery_world.${entity} n left join chancery_world.${previousDay} y on y.${key} = n.id ${joins}`,
    `alter table ${next} add primary key (position), add unique (${key})`,
    ...indexes.map(index => `create index on ${next} ${index}`),
    ...Object.entries(statistics).map(
      ([name, by]) => `create statistics ${next}_${name} on ${by} from ${next}`,
    ),
    `analyze ${next}`,
    `grant select on ${next} to chancery_public, chancery_owner`,
  ]
  for (const statement of statements) await db.rows(raw(statement))
}

/** The ranked attributes of the profile that the database is served with. */
const rankedKeys = (entity: string) => sql`
  select a.value ->> 'key' as key
  from chancery_meta.game_profile, jsonb_array_elements(profile -> 'attributes' -> ${entity}) a
  where (a.value -> 'ranked')::boolean`

/**
 * Places by each ranked attribute; without a value there is none. The previous rank is that of the latest round, if that was on another
 * day. Returns false, without new tables, where there is no ranked attribute.
 */
async function fillNextOfAttributes(
  db: Database,
  { attributeTable, key, entity }: Ranking,
  { is_new_day }: RoundState,
): Promise<boolean> {
  const ranked = await db.rows<{ key: string }>(rankedKeys(entity))
  if (ranked.length === 0) return false
  const next = raw(`chancery_world.${attributeTable}_next`)
  const current = raw(`chancery_world.${attributeTable}`)
  const [id, previous] = [raw(key), raw(is_new_day ? 'y.rank' : 'y.previous_rank')]
  await db.rows(sql`create table ${next} (like ${current})`)
  for (const attribute of ranked) {
    await db.rows(sql`
      insert into ${next} (attribute, position, ${id}, rank, previous_rank, value)
      select ${attribute.key}, row_number() over (order by n.value desc, n.id), n.id, rank() over (order by n.value desc),
        ${previous}, n.value
      from (
        select id, (attributes ->> ${attribute.key})::numeric as value from ${raw(`chancery_world.${entity}`)}
        where attributes ->> ${attribute.key} is not null
      ) n left join ${current} y on y.attribute = ${attribute.key} and y.${id} = n.id`)
  }
  for (const statement of [
    sql`alter table ${next} add primary key (attribute, position), add unique (${id}, attribute)`,
    sql`analyze ${next}`,
    sql`grant select on ${next} to chancery_public, chancery_owner`,
  ])
    await db.rows(statement)
  return true
}

interface Counts {
  nations: number
  alliances: number
}

/** How many nations and alliances the round ranked: the last position with a rank. */
async function countRanked(db: Database): Promise<Counts> {
  const counts = await db.first<Counts>(sql`
    select coalesce((select max(position) from chancery_world.nation_ranking_next where rank is not null), 0) as nations,
      coalesce((select max(position) from chancery_world.alliance_ranking_next where rank is not null), 0) as alliances`)
  if (!counts) throw new Error('a count has no row')
  return counts
}

/** Takes the ingest lock for the rest of the round, after a running batch. Queries do not wait meanwhile. Returns how long it waited. */
async function takeIngestLock(db: Database): Promise<number> {
  await db.rows(sql`select set_config('lock_timeout', '0', true)`)
  const startedAt = performance.now()
  await db.rows(sql`select pg_advisory_xact_lock(${ingestLock})`)
  const waitedMs = performance.now() - startedAt
  await db.rows(sql`select set_config('lock_timeout', ${lockTimeout}, true)`)
  return waitedMs
}

/** Applies to the new tables the changes that batches made while they were filled. */
async function catchUp(
  db: Database,
  { world_version }: RoundState,
  withAttributes: Ranking[],
): Promise<void> {
  await db.rows(sql`delete from chancery_world.nation_ranking_dirty`)
  await db.rows(sql`delete from chancery_world.nation_attribute_ranking_gap`)
  const pulse = await db.first<{ world_version: number }>(sql`select world_version from chancery_world.pulse`)
  if (pulse?.world_version === world_version) return
  const columns = raw(Object.keys(indexedColumns).join(', '))
  const values = raw(Object.values(indexedColumns).join(', '))
  const changed = sql`(
    select distinct nation_id as id from chancery_secret.nation_ranking_log where world_version > ${world_version})`
  await db.rows(sql`
    with gone as (
      delete from chancery_world.nation_ranking_next p using ${changed} c
      where p.nation_id = c.id and not exists (select from chancery_world.nation n where n.id = c.id)
      returning p.position
    )
    insert into chancery_world.nation_ranking_dirty (position, is_deleted) select position, true from gone`)
  await db.rows(sql`
    with kept as (
      update chancery_world.nation_ranking_next p
      set (${columns}) = row (${values})
      from ${changed} c join chancery_world.nation n using (id) left join chancery_world.alliance_member m on m.nation_id = n.id
      where p.nation_id = c.id
        and (${join(Object.keys(indexedColumns).map(column => raw(`p.${column}`)))}) is distinct from (${values})
      returning p.position, p.current_score <> p.national_score as is_moved
    )
    insert into chancery_world.nation_ranking_dirty (position) select position from kept where is_moved`)
  await db.rows(sql`
    with added as (
      insert into chancery_world.nation_ranking_next
        (position, nation_id, national_score, ${columns})
      select (select coalesce(max(position), 0) from chancery_world.nation_ranking_next) + row_number() over (order by n.id),
        n.id, n.national_score, ${values}
      from ${changed} c join chancery_world.nation n using (id) left join chancery_world.alliance_member m on m.nation_id = n.id
      where not exists (select from chancery_world.nation_ranking_next p where p.nation_id = n.id)
      returning position
    )
    insert into chancery_world.nation_ranking_dirty (position) select position from added
    on conflict (position) do update set is_deleted = false`)
  // Of alliances, only deletions are applied: after a reset, requests before the next round find none.
  await db.rows(sql`
    delete from chancery_world.alliance_ranking_next p
    where not exists (select from chancery_world.alliance a where a.id = p.alliance_id)`)
  for (const { attributeTable, entity } of withAttributes) {
    const next = raw(`chancery_world.${attributeTable}_next`)
    // The profile may have changed: values that are private now must not be swapped in.
    await db.rows(sql`delete from ${next} where attribute not in (${rankedKeys(entity)})`)
    if (entity === 'alliance')
      await db.rows(sql`
        delete from ${next} p where not exists (select from chancery_world.alliance a where a.id = p.alliance_id)`)
    else
      await db.rows(sql`
        with gone as (
          delete from ${next} p using ${changed} c
          where p.nation_id = c.id and not exists (select from chancery_world.nation n where n.id = c.id)
          returning p.attribute, p.position
        )
        insert into chancery_world.nation_attribute_ranking_gap (attribute, position) select attribute, position from gone`)
  }
}

async function swap(db: Database, table: string, statistics: Ranking['statistics'] = {}): Promise<void> {
  await db.rows(raw(`drop table chancery_world.${table}`))
  await db.rows(raw(`alter table chancery_world.${table}_next rename to ${table}`))
  for (const name of Object.keys(statistics))
    await db.rows(raw(`alter statistics chancery_world.${table}_next_${name} rename to ${table}_${name}`))
}

/** Responses contain ranks, so a round makes a new world version. If a batch was applied meanwhile, the next round is due. */
async function finishRound(
  db: Database,
  { world_version, today }: RoundState,
  counts: Counts,
  pauseMs: number,
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
      paused_until = clock_timestamp() + make_interval(secs => ${pauseMs / 1_000})
    from moved m`)
  await db.rows(notifyPulse)
}
