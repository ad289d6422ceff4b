import type { operations, ValuesFor } from '@chancery/contract'
import { type Sql, sql } from '../../store/database.ts'
import { allOf, offsetOf, type Page, readPage } from '../../store/paging.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listByRank, narrowConditions } from './list-by-rank.ts'
import { type NationSource, readPageWithTotal, searchNations } from './search.ts'
import { selected } from './selected.ts'
import { columnsOf, type Nation, type NationRow, nationOf, positionAfter } from './store.ts'

type Filter = ValuesFor<typeof operations.nationsList>

/** A page of nations in the order of the latest ranking round; who is younger than it comes last. */
export async function listNations(context: ReadContext, filter: Filter): Promise<Page<Nation>> {
  const { search, page, limit } = filter
  const conditions = conditionsOf(filter)
  const columns = columnsOf(context)
  const source = { db: context.pools.public, columns }
  const found =
    search !== undefined
      ? // Of ids there are at most a hundred.
        await searchNations(
          { db: context.pools.search, columns },
          { text: search, page, limit, conditions },
          { isNarrow: filter.ids !== undefined },
        )
      : filter.ids
        ? await readPage<NationRow>(source.db, filter, selected(columns, allOf(conditions)))
        : conditions.length > 0
          ? await listByRank(source, filter)
          : await listAllByRank(source, filter)
  return { ...found, items: found.items.map(row => nationOf(context, row)) }
}

/** All nations, by their positions: any page costs the same. */
const listAllByRank = (source: NationSource, filter: Filter): Promise<Page<NationRow>> =>
  readPageWithTotal(
    source,
    sql`
      last as (
        select coalesce(max(position), 0) as position from chancery_world.nation_place
      ), counted as materialized (
        select l.position - (
          select count(*) from chancery_world.nation_moved m where m.is_gone and m.position < l.position
        ) as total from last l
      ), item as (
        select 0 as tier, position from chancery_world.nation_place
        where position >= ${positionAfter(offsetOf(filter))} order by position limit ${filter.limit}
      )`,
  )

function conditionsOf(filter: Filter): Sql[] {
  const { ids, alliance_id } = filter
  return [
    ids && sql`p.nation_id = any(${ids})`,
    alliance_id && sql`p.alliance_id = any(${alliance_id})`,
    ...narrowConditions(filter),
  ].filter(condition => condition !== undefined)
}
