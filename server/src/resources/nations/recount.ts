import { type Database, sql } from '../../store/database.ts'

/**
 * Keeps what lists of nations select by beside their places: status, score, names and alliance as they are now. Who is new comes behind
 * all others, those too that are gone, until the next ranking round.
 */
export async function placeNations(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.rows(sql`
    with placed as (
      insert into chancery_world.nation_place as p (position, nation_id, national_score, status, score_now, search_text, alliance_id)
      select (select greatest(r.nations, (select max(position) from chancery_world.nation_place)) from chancery_world.ranking_round r)
          + row_number() over (order by n.id),
        n.id, n.national_score, n.status, n.national_score, n.search_text,
        coalesce((select m.alliance_id from chancery_world.alliance_member m where m.nation_id = n.id), '')
      from chancery_world.nation n where n.id = any(${ids})
      on conflict (nation_id) do update
      set status = excluded.status, score_now = excluded.score_now, search_text = excluded.search_text
      where (p.status, p.score_now, p.search_text) is distinct from (excluded.status, excluded.score_now, excluded.search_text)
      returning position, rank is null or score_now <> national_score as is_moved
    )
    insert into chancery_world.nation_moved select position from placed where is_moved on conflict do nothing`)
}

/** What lists of nations select by. */
export interface PlacedNation {
  id: string
  status: string
  national_score: number
  search_text: string
}

/** The same of nations that were there before: nothing of it has to be read. */
export async function updatePlaces(db: Database, nations: readonly PlacedNation[]): Promise<void> {
  if (nations.length === 0) return
  const columnOf = (column: keyof PlacedNation) => nations.map(nation => nation[column])
  const found = await db.first<{ count: number }>(sql`
    with changed as (
      update chancery_world.nation_place p set status = t.status, score_now = t.score, search_text = t.search_text
      from unnest(${columnOf('id')}::text[], ${columnOf('status')}::text[], ${columnOf('national_score')}::numeric[],
        ${columnOf('search_text')}::text[]) as t (id, status, score, search_text)
      where p.nation_id = t.id
      returning p.position, p.rank is null or p.score_now <> p.national_score as is_moved
    ), moved as (
      insert into chancery_world.nation_moved select position from changed where is_moved on conflict do nothing
    )
    select count(*) as count from changed`)
  // After a restore there are no places before the next round.
  const ids = nations.map(({ id }) => id)
  if (found?.count !== nations.length) await placeNations(db, ids)
}

/** Takes nations out of the lists. */
export async function displaceNations(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.rows(sql`
    with gone as (delete from chancery_world.nation_place where nation_id = any(${ids}) returning position)
    insert into chancery_world.nation_moved select position from gone on conflict do nothing`)
}

/** Keeps beside the places of nations which alliance they are in. */
export async function placeMembers(db: Database, nationIds: readonly string[]): Promise<void> {
  if (nationIds.length === 0) return
  await db.rows(sql`
    update chancery_world.nation_place p set alliance_id = coalesce(m.alliance_id, '')
    from unnest(${nationIds}::text[]) as t (id) left join chancery_world.alliance_member m on m.nation_id = t.id
    where p.nation_id = t.id and p.alliance_id is distinct from coalesce(m.alliance_id, '')`)
  await noteChanged(db, nationIds)
}

/** Notes nations that a batch wrote or removed, for the ranking round that may be under way. */
export async function noteChanged(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.rows(sql`
    insert into chancery_secret.nation_changed (world_version, nation_id)
    select world_version + 1, unnest(${ids}::text[]) from chancery_world.pulse`)
}

/** The same of all nations. */
export async function noteAllChanged(db: Database): Promise<void> {
  await db.rows(sql`
    insert into chancery_secret.nation_changed (world_version, nation_id)
    select p.world_version + 1, n.id from chancery_world.pulse p, chancery_world.nation n`)
}
