import { type Database, sql } from '../../store/database.ts'
import { rowRemover } from '../../store/rows.ts'

/**
 * Keeps what lists of nations select by beside their places: status, score and names as they are now. Who is new comes behind all
 * others, until the next ranking round.
 */
export async function placeNations(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.rows(sql`
    insert into chancery_world.nation_place as p (position, nation_id, national_score, status, score_now, search_text)
    select (select coalesce(max(position), 0) from chancery_world.nation_place) + row_number() over (order by n.id),
      n.id, n.national_score, n.status, n.national_score, n.search_text
    from chancery_world.nation n where n.id = any(${ids})
    on conflict (nation_id) do update
    set status = excluded.status, score_now = excluded.score_now, search_text = excluded.search_text
    where (p.status, p.score_now, p.search_text) is distinct from (excluded.status, excluded.score_now, excluded.search_text)`)
}

/** Takes nations out of the lists. */
export const displaceNations = rowRemover('chancery_world.nation_place', 'nation_id')
