import { type Database, sql } from '../store/database.ts'

/** What processes and callers have seen of a database: the newest number of its log, and the versions of its rows. */
export interface SequenceState {
  seq: number
  world_version: number
  access_version: number
}

const epochMs = Date.UTC(2026, 0, 1)
/** More than are ever given out in a second. */
const numbersPerSecond = 65_536

/** A number above all that can have been given out until now by a log that began after 2026-01-01. */
export const sequenceFloorAt = (nowMs: number): number =>
  Math.max(0, Math.floor((nowMs - epochMs) / 1_000)) * numbersPerSecond

export async function readSequences(db: Database): Promise<SequenceState> {
  const known = await db.first<SequenceState>(sql`
    select w.seq, w.world_version, a.version as access_version from chancery_world.pulse w, chancery_access.pulse a`)
  if (!known) throw new Error('the pulse has no row')
  return known
}

/**
 * Lets a restored database go on above anything that it, or the one in its place before, may have given out: the numbers of the
 * log, and the versions by which processes and caches know what they remember. Returns the first number that comes next.
 */
export async function advanceSequences(
  db: Database,
  nowMs: number,
  replaced?: SequenceState,
): Promise<number> {
  const restored = await readSequences(db)
  const time = sequenceFloorAt(nowMs)
  const above = (name: keyof SequenceState) => Math.max(restored[name] + 1, (replaced?.[name] ?? 0) + 1, time)
  // The end of the gap is a number that nobody was given: whoever begins after the restore stands there.
  const seq = above('seq')
  await db.rows(sql`
    insert into chancery_world.log_gap (last_before, first_after) values (${restored.seq}, ${seq + 1})
    on conflict (last_before) do update set first_after = excluded.first_after`)
  await db.rows(sql`update chancery_world.pulse set seq = ${seq}, world_version = ${above('world_version')},
    unranked_since = clock_timestamp()`)
  await db.rows(sql`update chancery_access.pulse set version = ${above('access_version')}`)
  // No version of the world is the one that was ranked: a round is due. A backup has no places; until then as many are listed as there are.
  await db.rows(sql`
    update chancery_world.ranking_round set world_version = 0,
      nations = coalesce((select max(position) from chancery_world.nation_place where rank is not null), 0),
      alliances = coalesce((select max(position) from chancery_world.alliance_place where rank is not null), 0)`)
  return seq + 1
}
