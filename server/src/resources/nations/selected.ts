import { type Sql, sql } from '../../store/database.ts'
import type { Listing } from '../../store/paging.ts'

/** What a nation at a place is read from. */
export const placed = sql`
  join chancery_world.nation n on n.id = p.nation_id
  left join chancery_world.alliance_member m on m.nation_id = n.id
  left join chancery_world.alliance a on a.id = m.alliance_id`

/** Nations by the narrow rows of their places, which hold all that lists select by, in the order of the latest ranking round. */
export const selected = (columns: Sql, where: Sql): Listing => ({
  columns,
  from: sql`chancery_world.nation_place p where ${where}`,
  order: sql`p.position`,
  reversed: sql`p.position desc`,
  deferredJoin: {
    alias: sql`p`,
    columns: sql`p.position`,
    joins: sql`join chancery_world.nation_place p on p.position = chosen.position ${placed}`,
  },
})
