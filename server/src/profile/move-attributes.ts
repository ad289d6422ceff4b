import type { Class, ProfileChange } from '@chancery/contract'
import { placeOfClass } from '../ingest/attributes.ts'
import { type Database, raw, sql } from '../store/database.ts'

/**
 * Values live by class: those of an attribute that became more private leave their table or column for that of their new class.
 * Returns how many things were public before, and are told as changed. Acts as the ingest role.
 */
export async function moveAttribute(db: Database, { part, key, what }: ProfileChange): Promise<number> {
  if (!part.startsWith('attributes.') || what?.name !== 'class') return 0
  const owner = part.slice('attributes.'.length)
  const to = placeOfClass[what.to as Class]
  return placeOfClass[what.from as Class] === 'attributes'
    ? movePublicToSecret(db, owner, key, to === 'admin_attributes' ? 'admin_attributes' : 'attributes')
    : movePrivateToAdmin(db, owner, key)
}

/** From what everybody may read to a column of secrets. Whatever reads by updated_at learns that something is gone. */
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

/** From what its owner may read to what nobody may. */
async function movePrivateToAdmin(db: Database, owner: string, key: string): Promise<number> {
  await db.rows(sql`
    update ${raw(`chancery_secret.${owner}_private`)}
    set admin_attributes = admin_attributes || jsonb_build_object(${key}::text, attributes -> ${key}),
      attributes = attributes - ${key}::text
    where attributes ? ${key}`)
  return 0
}
