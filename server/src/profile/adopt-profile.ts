import {
  type Profile,
  type ProfileChange,
  profileChanges,
  profilesEqual,
  requiresUnused,
} from '@chancery/contract'
import { StartupError } from '../start/startup-error.ts'
import { type ConnectionTarget, createPool, type Database, sql } from '../store/database.ts'
import { ingestLock } from '../store/locks.ts'
import { notifyPulse } from '../store/pulse.ts'
import { moveAttribute } from './move-attributes.ts'
import { rejectionOf } from './refusal.ts'
import { storedUses } from './stored-uses.ts'

/** Processes that start at once take turns: the second compares with what the first has adopted. */
const profileLock = 0x7072_6f66

/** A profile beside the one that a database was last served with. */
export interface ProfileComparison {
  /** The database was never served with a profile. */
  isFirst: boolean
  changes: ProfileChange[]
  /** Why it cannot be served with this profile: a line each, with what to do. */
  rejections: string[]
}

/**
 * Makes a profile that of the database: it is kept, and stored values follow the classes that it has tightened. `isDefault`: nobody
 * named one.
 * @throws {StartupError} where stored things stand against it: a line each, and nothing is changed.
 */
export async function adoptProfile(
  target: ConnectionTarget,
  profile: Profile,
  { isDefault = false } = {},
): Promise<ProfileComparison> {
  return withProfileLock(target, async db => {
    const known = await knownProfile(db)
    if (known && profilesEqual(known, profile)) return { isFirst: false, changes: [], rejections: [] }
    // No batch is under way that would write back what is moved here.
    await db.rows(sql`select pg_advisory_xact_lock(${ingestLock})`)
    const comparison = await compare(db, known, profile)
    if (comparison.rejections.length > 0) {
      const hint = isDefault
        ? 'CHANCERY_GAME_FILE is not set, so this would be the demo game’s profile.\n'
        : ''
      throw new StartupError(hint + rejectionText(comparison.rejections))
    }
    await asIngest(db, () => moveAttributes(db, comparison.changes))
    await db.rows(sql`
      insert into chancery_meta.game_profile (profile) values (${JSON.stringify(profile)})
      on conflict (is_only) do update set profile = excluded.profile, adopted_at = now()`)
    return comparison
  })
}

/** What adopting a profile would do, without doing it. */
export const compareProfile = (target: ConnectionTarget, profile: Profile): Promise<ProfileComparison> =>
  withProfileLock(target, async db => compare(db, await knownProfile(db), profile))

async function withProfileLock<T>(target: ConnectionTarget, work: (db: Database) => Promise<T>): Promise<T> {
  const pool = createPool({ target, connectionsMax: 1, namesStatements: false })
  try {
    return await pool.transaction(async db => {
      await db.rows(sql`select pg_advisory_xact_lock(${profileLock})`)
      return work(db)
    })
  } finally {
    await pool.close()
  }
}

async function knownProfile(db: Database): Promise<Profile | undefined> {
  const row = await db.first<{ profile: Profile }>(sql`select profile from chancery_meta.game_profile`)
  return row?.profile
}

async function compare(
  db: Database,
  known: Profile | undefined,
  profile: Profile,
): Promise<ProfileComparison> {
  if (!known) return { isFirst: true, changes: [], rejections: [] }
  const changes = profileChanges(known, profile)
  const rejections: string[] = []
  await asIngest(db, async () => {
    for (const change of changes.filter(requiresUnused)) {
      const uses = await storedUses(db, change, profile)
      if (uses.length > 0) rejections.push(rejectionOf(change, uses))
    }
  })
  return { isFirst: false, changes, rejections }
}

const rejectionText = (rejections: string[]) =>
  [
    'CHANCERY_GAME_FILE: the database was served with another profile, and cannot follow this one:',
    ...rejections,
  ].join('\n')

/** The world is read and written as whoever ingests: the login itself may have no right to it. */
async function asIngest(db: Database, work: () => Promise<void>): Promise<void> {
  await db.rows(sql`set local role chancery_ingest`)
  await work()
  await db.rows(sql`reset role`)
}

async function moveAttributes(db: Database, changes: ProfileChange[]): Promise<void> {
  let hidden = 0
  for (const change of changes) if (change.kind === 'tightened') hidden += await moveAttribute(db, change)
  if (hidden === 0) return
  // Processes that run already remember bodies of the world as it was.
  await db.rows(sql`
    update chancery_world.pulse set world_version = world_version + 1,
      unranked_since = coalesce(unranked_since, clock_timestamp()),
      world_changed_at = greatest(world_changed_at, date_trunc('milliseconds', clock_timestamp()))`)
  await db.rows(notifyPulse)
}
