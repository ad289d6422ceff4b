import type { operations, ValuesFor } from '@chancery/contract'
import { type Database, type Sql, sql } from '../../store/database.ts'
import { allOf, offsetOf, type Page, readPage } from '../../store/paging.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listByPlaces, narrowConditions } from './placed.ts'
import { searchNations } from './search.ts'
import { placed, selected } from './selected.ts'
import { columns, type Nation, type NationRow, nationOf } from './store.ts'

type Filter = ValuesFor<typeof operations.nationsList>

/** A page of nations in the order of the latest ranking round; who is younger than it comes last. */
export async function listNations(context: ReadContext, filter: Filter): Promise<Page<Nation>> {
  const { search, page, limit } = filter
  const conditions = conditionsOf(filter)
  const db = context.pools.public
  const found =
    search !== undefined
      ? // Of ids there are at most a hundred.
        await searchNations(
          context.pools.search,
          { text: search, page, limit, conditions },
          { isNarrow: filter.ids !== undefined },
        )
      : filter.ids
        ? await readPage<NationRow>(db, filter, selected(allOf(conditions)))
        : conditions.length > 0
          ? await listByPlaces(db, filter)
          : await readByPlace(db, filter)
  return { ...found, items: found.items.map(row => nationOf(context, row)) }
}

/** All nations, by their positions in the ranking round: any page costs the same. */
async function readByPlace(db: Database, filter: Filter): Promise<Page<NationRow>> {
  const round = await db.first<{ nations: number }>(sql`select nations from chancery_world.ranking_round`)
  const total = round?.nations ?? 0
  const offset = offsetOf(filter)
  if (offset >= total) return { items: [], total }
  const items = await db.rows<NationRow>(sql`
    select ${columns} from chancery_world.nation_place p ${placed}
    where p.position > ${offset} and p.position <= ${offset + filter.limit} order by p.position`)
  return { items, total }
}

function conditionsOf(filter: Filter): Sql[] {
  const { ids, alliance_id } = filter
  return [
    ids && sql`p.nation_id = any(${ids})`,
    alliance_id && sql`p.alliance_id = any(${alliance_id})`,
    ...narrowConditions(filter),
  ].filter(condition => condition !== undefined)
}
