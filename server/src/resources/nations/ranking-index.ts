/** The ranking index of nations: the order of the latest ranking round, with the columns by which lists filter, kept current between rounds. */
import { isDeepStrictEqual } from 'node:util'
import { type Contract, rankedAttributes } from '@chancery/contract'
import type { Batch } from '../../ingest/batch.ts'
import { type Database, join, raw, sql } from '../../store/database.ts'
import { indexedColumnsOf, indexedFields } from './store.ts'

const assignments = join(
  [...indexedFields.map(({ column }) => column), 'ranked_values'].map(column =>
    raw(`${column} = t.${column}`),
  ),
)
const rankedKeys = ({ profile }: Contract) => rankedAttributes(profile.attributes.nation)

/**
 * Appends new nations to the index, behind all others, deleted ones included, until the next ranking round. Once, at the end of a batch
 * and in the order of their ids: an order by chunks would disclose how many facts, private ones too, preceded them.
 */
export async function indexNewNations({ db, pending, contract }: Batch): Promise<void> {
  if (!pending.hasUnindexedNations) return
  const indexed = indexedColumnsOf(rankedKeys(contract))
  const columns = raw(Object.keys(indexed).join(', '))
  const values = raw(Object.values(indexed).join(', '))
  const round = await db.first<{ world_version: number }>(
    sql`select world_version from chancery_world.ranking_round`,
  )
  // Before the first round, as after a restore, any nation may be missing: to append only those of the batch would disclose which it wrote.
  const candidates =
    round?.world_version === 0
      ? sql`chancery_world.nation`
      : sql`(
          select * from chancery_world.nation where id = any(array(
            select c.nation_id from chancery_secret.nation_ranking_log c, chancery_world.pulse p
            where c.world_version = p.world_version + 1)))`
  await db.rows(sql`
    with placed as (
      insert into chancery_world.nation_ranking (position, nation_id, national_score, ${columns})
      select (select greatest(r.nations, (select max(position) from chancery_world.nation_ranking)) from chancery_world.ranking_round r)
          + row_number() over (order by n.id),
        n.id, n.national_score, ${values}
      from ${candidates} n left join chancery_world.alliance_member m on m.nation_id = n.id
      where not exists (select from chancery_world.nation_ranking p where p.nation_id = n.id)
      returning position
    )
    insert into chancery_world.nation_ranking_dirty (position) select position from placed
    on conflict (position) do update set is_deleted = false`)
}

type Row = Record<string, unknown>

/** Updates nations in the index, but for their alliances. `before` is undefined for a new nation. */
export async function updateIndexedNations(
  { db, pending, contract }: Batch,
  changes: readonly { before: object | undefined; after: object }[],
): Promise<void> {
  const keys = rankedKeys(contract)
  const withNewValues: unknown[] = []
  const rows = changes.flatMap(({ before, after }) => {
    const [old, changed] = [before as Row | undefined, after as Row]
    if (!old) return []
    const ranked_values = valuesOf(changed, keys)
    const hasNewValues = !isDeepStrictEqual(valuesOf(old, keys), ranked_values)
    if (hasNewValues) withNewValues.push(changed.id)
    else if (indexedFields.every(({ field }) => old[field] === changed[field])) return []
    return [
      {
        nation_id: changed.id,
        ranked_values,
        ...Object.fromEntries(indexedFields.map(({ field, column }) => [column, changed[field]])),
      },
    ]
  })
  if (rows.length === 0) return
  const found = await db.first<{ count: number }>(sql`
    with changed as (
      update chancery_world.nation_ranking p set ${assignments}
      from json_populate_recordset(null::chancery_world.nation_ranking, ${JSON.stringify(rows)}::json) t
      where p.nation_id = t.nation_id
      returning p.position,
        p.rank is null or p.current_score <> p.national_score or p.nation_id = any(${withNewValues}::text[]) as is_moved
    ), moved as (
      insert into chancery_world.nation_ranking_dirty (position) select position from changed where is_moved on conflict do nothing
    )
    select count(*) as count from changed`)
  // After a restore the index is empty until the next round.
  if (found?.count !== rows.length) pending.hasUnindexedNations = true
}

/** The values of a nation's ranked attributes, without nulls. */
const valuesOf = ({ attributes }: Row, keys: readonly string[]): Row => {
  const given = attributes as Row
  return Object.fromEntries(keys.flatMap(key => (given[key] == null ? [] : [[key, given[key]]])))
}

/** Removes nations from the index, and from the rankings by attributes. */
export async function removeIndexedNations(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.rows(sql`
    with gone as (delete from chancery_world.nation_ranking where nation_id = any(${ids}) returning position)
    insert into chancery_world.nation_ranking_dirty (position, is_deleted) select position, true from gone
    on conflict (position) do update set is_deleted = true`)
  await db.rows(sql`
    with gone as (
      delete from chancery_world.nation_attribute_ranking where nation_id = any(${ids}) returning attribute, position
    )
    insert into chancery_world.nation_attribute_ranking_gap (attribute, position) select attribute, position from gone`)
}

/** Updates the alliances of nations in the index. */
export async function indexMembers(db: Database, nationIds: readonly string[]): Promise<void> {
  if (nationIds.length === 0) return
  await db.rows(sql`
    update chancery_world.nation_ranking p set alliance_id = coalesce(m.alliance_id, '')
    from unnest(${nationIds}::text[]) as t (id) left join chancery_world.alliance_member m on m.nation_id = t.id
    where p.nation_id = t.id and p.alliance_id is distinct from coalesce(m.alliance_id, '')`)
  await logChangedNations(db, nationIds)
}

/** Logs nations that a batch wrote or deleted, for a ranking round that may be running. */
export async function logChangedNations(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.rows(sql`
    insert into chancery_secret.nation_ranking_log (world_version, nation_id)
    select world_version + 1, unnest(${ids}::text[]) from chancery_world.pulse`)
}

/** The same for all nations. */
export async function logAllNationsChanged(db: Database): Promise<void> {
  await db.rows(sql`
    insert into chancery_secret.nation_ranking_log (world_version, nation_id)
    select p.world_version + 1, n.id from chancery_world.pulse p, chancery_world.nation n`)
}
