/**
 * The game profile of a database: the configured one is compared with the one that the database was last served with, and adopted.
 * Stored values follow classes that became more private. A profile that contradicts stored data is rejected (`stored-uses.ts`), and
 * nothing is changed.
 */
import {
  attributeOwners,
  type Class,
  type operatorOperations,
  type Profile,
  type ProfileChange,
  profileChanges,
  profilesEqual,
  type ResponseOf,
  rankedAttributes,
  requiresUnused,
} from '@chancery/contract'
import { expireChanges } from '../changes/store.ts'
import { columnOfClass } from '../ingest/changes.ts'
import { writeRankedValues } from '../rankings/tables.ts'
import { withdrawSnapshots } from '../snapshots/files.ts'
import type { Config } from '../start/config.ts'
import { ensureDataDir } from '../start/data-dir.ts'
import { StartupError } from '../start/startup-error.ts'
import { type ConnectionTarget, createPool, type Database, raw, sql } from '../store/database.ts'
import { ingestLock, profileLock } from '../store/locks.ts'
import { openStore } from '../store/open-store.ts'
import { notifyPulse } from '../store/pulse.ts'
import { rejectionOf, storedUses } from './stored-uses.ts'

/** A profile compared with the one that a database was last served with. */
export interface ProfileComparison {
  /** The database was never served with a profile. */
  isFirst: boolean
  changes: ProfileChange[]
  /** Why it cannot be served with this profile, a line each, with what to do. */
  rejections: string[]
}

/**
 * Stores a profile in the database, and moves stored values to the classes that it tightens. `isDefault`: none was configured.
 * @throws {StartupError} where stored data contradicts it, a line each; nothing is changed.
 */
export async function adoptProfile(
  target: ConnectionTarget,
  profile: Profile,
  { isDefault = false } = {},
): Promise<ProfileComparison> {
  return withProfileLock(target, async db => {
    const known = await readStoredProfile(db)
    if (known && profilesEqual(known, profile)) return { isFirst: false, changes: [], rejections: [] }
    // No batch is running that would write back the moved values.
    await db.rows(sql`select pg_advisory_xact_lock(${ingestLock})`)
    const comparison = await compare(db, known, profile)
    if (comparison.rejections.length > 0) {
      const hint = isDefault
        ? 'CHANCERY_GAME_FILE is not set, so this would be the demo game’s profile.\n'
        : ''
      throw new StartupError(hint + rejectionText(comparison.rejections))
    }
    await asIngest(db, async () => {
      const hidden = await moveAttributes(db, comparison.changes)
      const haveRankingsChanged = known !== undefined && (await dropRankings(db, known, profile))
      // Items show titles, addresses and attributes of the profile.
      if (known) {
        await expireChanges(db)
        await withdrawSnapshots(db)
      }
      // Running processes have cached responses of the previous version, and a round ranks by the new attributes.
      if (hidden || haveRankingsChanged) await makeWorldVersion(db, { hidden })
    })
    await db.rows(sql`
      insert into chancery_meta.game_profile (profile) values (${JSON.stringify(profile)})
      on conflict (is_only) do update set profile = excluded.profile, adopted_at = now()`)
    return comparison
  })
}

export type ComparisonDocument = ResponseOf<typeof operatorOperations.profileCompare>

/** A comparison as the operator API returns it. */
export const comparisonDocument = ({
  isFirst,
  changes,
  rejections,
}: ProfileComparison): ComparisonDocument => ({
  is_first: isFirst,
  changes: changes.map(({ path, kind, what = null, renamedTo = null }) => ({
    path,
    kind,
    what,
    renamed_to: renamedTo,
  })),
  rejections,
})

/** Dry run of `adoptProfile`. */
export const compareProfile = (target: ConnectionTarget, profile: Profile): Promise<ProfileComparison> =>
  withProfileLock(target, async db => compare(db, await readStoredProfile(db), profile))

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

/** The profile that the database was last served with; undefined for none. */
export async function readStoredProfile(db: Database): Promise<Profile | undefined> {
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

/** Acts as the ingest role: the login itself may have no privilege on the world. */
async function asIngest(db: Database, work: () => Promise<void>): Promise<void> {
  await db.rows(sql`set local role chancery_ingest`)
  await work()
  await db.rows(sql`reset role`)
}

/** Whether values are hidden that were public. */
async function moveAttributes(db: Database, changes: ProfileChange[]): Promise<boolean> {
  let hidden = 0
  for (const change of changes) if (change.kind === 'tightened') hidden += await moveAttribute(db, change)
  return hidden > 0
}

/** Deletes the values of attributes that are no longer ranked from the rankings. Whether the ranked attributes are others. */
async function dropRankings(db: Database, known: Profile, profile: Profile): Promise<boolean> {
  let areOthers = false
  for (const owner of attributeOwners) {
    const [before, after] = [
      rankedAttributes(known.attributes[owner]),
      rankedAttributes(profile.attributes[owner]),
    ]
    if (profilesEqual(before.toSorted(), after.toSorted())) continue
    areOthers = true
    const table = `chancery_world.${owner}_attribute_ranking`
    for (const name of owner === 'nation' ? [table, `${table}_gap`] : [table])
      await db.rows(sql`delete from ${raw(name)} where attribute <> all(${after})`)
    if (owner === 'nation') await writeRankedValues(db, 'nation_ranking', after)
  }
  return areOthers
}

async function makeWorldVersion(db: Database, { hidden }: { hidden: boolean }): Promise<void> {
  await db.rows(sql`
    update chancery_world.pulse set world_version = world_version + 1,
      unranked_since = coalesce(unranked_since, clock_timestamp()),
      world_changed_at = case when ${hidden} then greatest(world_changed_at, date_trunc('milliseconds', clock_timestamp()))
        else world_changed_at end`)
  await db.rows(notifyPulse)
}

/**
 * Compares a profile with the configured database. Nothing is changed.
 * @throws {StartupError} where the database cannot be reached, or has another version's schema.
 */
export async function compareWithDatabase(config: Config, profile: Profile): Promise<ComparisonDocument> {
  await ensureDataDir(config.dataDir)
  const store = await openStore({ ...config, migrates: false }, () => undefined)
  try {
    return comparisonDocument(await compareProfile(store.target, profile))
  } finally {
    await store.close()
  }
}

/**
 * Moves the values of an attribute that became more private to the table or column of its new class. Returns how many rows were public
 * before, and have changed for clients. Acts as the ingest role.
 */
async function moveAttribute(db: Database, { part, key, what }: ProfileChange): Promise<number> {
  if (!part.startsWith('attributes.') || what?.name !== 'class') return 0
  const owner = part.slice('attributes.'.length)
  const to = columnOfClass[what.to as Class]
  return columnOfClass[what.from as Class] === 'attributes'
    ? movePublicToSecret(db, owner, key, to === 'admin_attributes' ? 'admin_attributes' : 'attributes')
    : movePrivateToAdmin(db, owner, key)
}

/** From a public column to a secret one. Moves `updated_at`, so that clients see that the value is gone. */
async function movePublicToSecret(
  db: Database,
  owner: string,
  key: string,
  column: 'attributes' | 'admin_attributes',
): Promise<number> {
  const row = await db.first<{ count: number }>(sql`
    with known as (
      select id, attributes -> ${key} as value from ${raw(`chancery_world.${owner}`)} where attributes ? ${key}
    ), kept as (
      insert into ${raw(`chancery_secret.${owner}_private`)} as p (${raw(`${owner}_id, ${column}`)})
      select id, jsonb_build_object(${key}::text, value) from known
      on conflict (${raw(`${owner}_id`)}) do update set ${raw(column)} = p.${raw(column)} || excluded.${raw(column)}
    ), hidden as (
      update ${raw(`chancery_world.${owner}`)} t
      set attributes = t.attributes - ${key}::text,
        updated_at = case when jsonb_typeof(known.value) = 'null' then t.updated_at
          else greatest(t.updated_at, date_trunc('milliseconds', clock_timestamp())) end
      from known where t.id = known.id returning t.id
    )
    select count(*) as count from hidden`)
  return row?.count ?? 0
}

/** From the column of its owner to that of the administrators. */
async function movePrivateToAdmin(db: Database, owner: string, key: string): Promise<number> {
  await db.rows(sql`
    update ${raw(`chancery_secret.${owner}_private`)}
    set admin_attributes = admin_attributes || jsonb_build_object(${key}::text, attributes -> ${key}),
      attributes = attributes - ${key}::text
    where attributes ? ${key}`)
  return 0
}
