import type { operations, ValuesFor } from '@chancery/contract'
import { type Database, type Sql, sql } from '../../store/database.ts'
import { allOf, offsetOf, type Page, readPage } from '../../store/paging.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { searchNations } from './search.ts'
import { placed, selected } from './selected.ts'
import { columns, type Nation, type NationRow, nationOf } from './store.ts'

type Filter = ValuesFor<typeof operations.nationsList>

/** A page of nations in the order of the latest ranking round; who is younger than it comes last. */
export async function listNations(context: ReadContext, filter: Filter): Promise<Page<Nation>> {
  const { search, page, limit } = filter
  const conditions = conditionsOf(filter)
  const found =
    search !== undefined
      ? await searchNations(context.pools.search, { page, limit }, search, conditions)
      : conditions.length > 0
        ? await readPage<NationRow>(
            context.pools.public,
            filter,
            selected(allOf(conditions)),
            countedBy(filter, conditions),
          )
        : await readByPlace(context.pools.public, filter)
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

/** Members alone are counted where they are kept. */
function countedBy({ alliance_id }: Filter, conditions: Sql[]): Sql | undefined {
  return alliance_id && conditions.length === 1
    ? sql`chancery_world.alliance_member where alliance_id = any(${alliance_id})`
    : undefined
}

function conditionsOf({ ids, alliance_id, status, min_score, max_score }: Filter): Sql[] {
  return [
    ids && sql`p.nation_id = any(${ids})`,
    alliance_id &&
      sql`p.nation_id in (select nation_id from chancery_world.alliance_member where alliance_id = any(${alliance_id}))`,
    status && sql`p.status = ${status}`,
    min_score === undefined ? undefined : sql`p.score_now >= ${min_score}`,
    max_score === undefined ? undefined : sql`p.score_now <= ${max_score}`,
  ].filter(condition => condition !== undefined)
}
