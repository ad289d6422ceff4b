/**
 * Ranking rounds: each writes the rank and position of every nation and alliance, in one transaction. Clients see one round or the next,
 * never a mixture. `round-scheduler.ts` schedules them; all processes share the pause between two.
 */

import { recordDay } from '../resources/history/record-day.ts'
import { type Database, type DatabasePool, raw, sql, type Transaction } from '../store/database.ts'
import { ingestLock, roundLock } from '../store/locks.ts'
import { notifyPulse } from '../store/pulse.ts'
import {
  catchUp,
  fillNext,
  type RankedAttributes,
  rankedAttributes,
  savePreviousDay,
  swapTables,
  updateTables,
} from './tables.ts'

/** How long the swap waits for queries. */
const lockTimeout = '500ms'

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
  /** With fewer nations and alliances a round updates the present tables. */
  updatedBelow?: number
}

const vacuumedFromDefault = 10_000
const updatedBelowDefault = 1_000

/** Runs a round if something changed since the latest one; otherwise returns undefined. */
export async function runRankingRound(
  pool: DatabasePool,
  {
    isPaced = false,
    pause = pauseAfter,
    vacuumedFrom = vacuumedFromDefault,
    updatedBelow = updatedBelowDefault,
  }: RoundOptions = {},
): Promise<RankingRound | undefined> {
  const round = await pool.transaction(async db => {
    const startedAt = performance.now()
    let waitedMs = 0
    // Queries lock the old table for milliseconds; a swap that waits would block those behind it.
    const lock = await db.first<{ is_ours: boolean }>(sql`
      select set_config('lock_timeout', ${lockTimeout}, true), pg_try_advisory_xact_lock(${roundLock}) as is_ours`)
    if (!lock?.is_ours) return undefined
    const found = await readState(db, updatedBelow)
    if (!found.has_changed) return undefined
    if (isPaced && found.pause_ms > 0) return { workMs: undefined, pauseMs: found.pause_ms }
    const isUpdate = found.is_complete && found.items < updatedBelow
    // A reset locks the ranks of the previous day too: a round that saves them takes the ingest lock first, so that they do not wait for
    // each other.
    if (found.is_new_day || isUpdate) waitedMs += await takeIngestLock(db)
    // Meanwhile a batch may have been applied, or a profile adopted.
    const state = isUpdate ? await readState(db, updatedBelow) : found
    const { world_version: worldVersion, is_new_day: isNewDay, attributes } = state
    if (isNewDay) {
      await recordDay(db, state.day)
      await savePreviousDay(db)
    }
    if (isUpdate) await updateTables(db, { attributes, isNewDay })
    else {
      await fillNext(db, { attributes, isNewDay })
      waitedMs += await takeIngestLock(db)
      await catchUp(db, { worldVersion, attributes })
      await swapTables(db, attributes)
    }
    const workMs = performance.now() - startedAt - waitedMs
    const pauseMs = pause(workMs)
    const nations = await finishRound(db, state, pauseMs)
    return { workMs, pauseMs, nations }
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
  /** The tables were created by a round, with all that it adds. */
  is_complete: boolean
  /** Nations and alliances, counted up to a limit. */
  items: number
  pause_ms: number
  attributes: RankedAttributes
}

async function readState(db: Database, itemsMax: number): Promise<RoundState> {
  const state = await db.first<RoundState>(sql`
    select w.world_version, current_date as today, r.day,
      w.world_version <> r.world_version or r.day is distinct from current_date
        or exists (select from chancery_world.nation_ranking where alliance_id is null)
        or not is_complete as has_changed,
      is_complete,
      (select count(*) from (select from chancery_world.nation limit ${itemsMax}) n)
        + (select count(*) from (select from chancery_world.alliance limit ${itemsMax}) a) as items,
      r.day < current_date as is_new_day,
      -- A pause longer than the maximum was computed before the clock was set back.
      case when r.paused_until <= clock_timestamp() + make_interval(secs => ${pauseMaxMs / 1_000})
        then greatest(0, ceil(extract(epoch from r.paused_until - clock_timestamp()) * 1000)) else 0 end as pause_ms,
      ${rankedAttributes} as attributes
    from chancery_world.pulse w, chancery_world.ranking_round r, lateral (
      select exists (
        select from pg_catalog.pg_statistic_ext where stxrelid = 'chancery_world.nation_ranking'::regclass
      ) as is_complete
    ) t`)
  if (!state) throw new Error('chancery_world.pulse has no row')
  return state
}

/** Takes the ingest lock for the rest of the round, after a running batch. Queries do not wait meanwhile. Returns how long it waited. */
async function takeIngestLock(db: Transaction): Promise<number> {
  const startedAt = performance.now()
  await db.run([
    'set local lock_timeout = 0',
    `select pg_advisory_xact_lock(${ingestLock})`,
    `set local lock_timeout = '${lockTimeout}'`,
  ])
  return performance.now() - startedAt
}

/**
 * Responses contain ranks, so a round makes a new world version. If a batch was applied meanwhile, the next round is due. Returns the number
 * of ranked nations.
 */
async function finishRound(
  db: Database,
  { world_version: worldVersion, today }: RoundState,
  pauseMs: number,
): Promise<number> {
  const round = await db.first<{ nations: number }>(sql`
    with moved as (
      update chancery_world.pulse set world_version = world_version + 1,
        -- What a batch changed meanwhile is younger than this transaction.
        unranked_since = case when world_version <> ${worldVersion} then now() end
      returning world_version
    )
    update chancery_world.ranking_round r set
      world_version = case when m.world_version = ${worldVersion}::bigint + 1 then m.world_version else ${worldVersion} end,
      day = ${today}::date,
      -- The last position with a rank.
      nations = coalesce((select max(position) from chancery_world.nation_ranking where rank is not null), 0),
      alliances = coalesce((select max(position) from chancery_world.alliance_ranking where rank is not null), 0),
      paused_until = clock_timestamp() + make_interval(secs => ${pauseMs / 1_000})
    from moved m
    returning r.nations`)
  if (!round) throw new Error('chancery_world.pulse has no row')
  await db.rows(notifyPulse)
  return round.nations
}
