import type { Batch } from '../ingest/batch.ts'
import { type Sql, sql } from '../store/database.ts'
import type { Replacement } from './denormalized-copies.ts'
import type { PreviousValues } from './previous-values.ts'

/** Replaces texts of a thing in the rows of others: tombstones, wars and champions of eras. `former` learns what stood there. */
export async function rewriteRows(
  batch: Batch,
  { resource, key, texts }: Replacement,
  former: PreviousValues,
): Promise<void> {
  const name = texts.nation_name ?? texts.name
  if (typeof name !== 'string') return
  const names = await batch.db.rows<{ name: string }>(
    namesOf[resource]?.(key) ?? nameOfTombstone(resource, key),
  )
  for (const known of names) former.add(known.name, name)
  await batch.db.rows(sql`
    update chancery_world.tombstone set name = ${name} where resource = ${resource} and id = ${key} and name is not null`)
  if (resource === 'nation') await rewriteWars(batch, 'nation', key, name)
  if (resource === 'alliance') {
    await rewriteWars(batch, 'alliance', key, name)
    await batch.db.rows(sql`
      update chancery_world.era set champion = champion || jsonb_build_object('name', ${name}::text)
      where champion ->> 'alliance_id' = ${key}`)
  }
}

const nameOfTombstone = (resource: string, key: string): Sql => sql`
  select name from chancery_world.tombstone where resource = ${resource} and id = ${key} and name is not null`

const namesOf: Partial<Record<Replacement['resource'], (key: string) => Sql>> = {
  nation: key => sql`
    select attacker_nation_name as name from chancery_world.war where attacker_nation_id = ${key}
    union select defender_nation_name from chancery_world.war where defender_nation_id = ${key}
    union ${nameOfTombstone('nation', key)}`,
  alliance: key => sql`
    select attacker_alliance_name as name from chancery_world.war where attacker_alliance_id = ${key}
    union select defender_alliance_name from chancery_world.war where defender_alliance_id = ${key}
    union select champion ->> 'name' from chancery_world.era where champion ->> 'alliance_id' = ${key}
    union ${nameOfTombstone('alliance', key)}`,
}

/** Wars tell names as at the declaration. */
async function rewriteWars(
  { db, loggedAt }: Batch,
  what: 'nation' | 'alliance',
  key: string,
  name: string,
): Promise<void> {
  await db.rows(
    what === 'nation'
      ? sql`
        update chancery_world.war set updated_at = ${loggedAt},
          attacker_nation_name = case when attacker_nation_id = ${key} then ${name} else attacker_nation_name end,
          defender_nation_name = case when defender_nation_id = ${key} then ${name} else defender_nation_name end
        where attacker_nation_id = ${key} or defender_nation_id = ${key}`
      : sql`
        update chancery_world.war set updated_at = ${loggedAt},
          attacker_alliance_name = case when attacker_alliance_id = ${key} then ${name} else attacker_alliance_name end,
          defender_alliance_name = case when defender_alliance_id = ${key} then ${name} else defender_alliance_name end
        where attacker_alliance_id = ${key} or defender_alliance_id = ${key}`,
  )
}

interface ConflictSides {
  id: string
  sides: { name: string; alliances: { alliance_id: string }[] }[]
}

/** Sides of conflicts may be called after an alliance that stands on one. */
export async function rewriteSides(
  { db }: Batch,
  { resource, key }: Replacement,
  former: PreviousValues,
): Promise<void> {
  if (resource !== 'alliance') return
  const conflicts = await db.rows<ConflictSides>(sql`
    select id, sides from chancery_world.conflict
    where sides @> jsonb_build_array(jsonb_build_object('alliances', jsonb_build_array(jsonb_build_object('alliance_id', ${key}::text))))`)
  for (const { id, sides } of conflicts) {
    const after = sides.map(side => ({ ...side, name: former.replaceIn(side.name) }))
    await db.rows(
      sql`update chancery_world.conflict set sides = ${JSON.stringify(after)}::jsonb where id = ${id}`,
    )
  }
}
