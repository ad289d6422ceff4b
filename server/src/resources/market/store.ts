import type { operations, PublicOf, ResourceOf, ValuesFor } from '@chancery/contract'
import { sql } from '../../store/database.ts'
import { publicColumns, type ReadContext } from '../../store/fact-columns.ts'
import { offsetOf, type Page, readPage } from '../../store/paging.ts'

export type MarketPrice = PublicOf<ResourceOf<'market_price'>>
export type MarketRanking = PublicOf<ResourceOf<'market_ranking'>>

const columns = publicColumns('market_price', 'p')

/** Resources by money traded; `rank` is the position in that order. */
export async function rankResources(
  context: ReadContext,
  request: ValuesFor<typeof operations.marketRankings>,
): Promise<Page<MarketRanking>> {
  const page = await readPage<MarketPrice>(context.pools.public, request, {
    columns: columns(context),
    from: sql`chancery_world.market_price p`,
    order: sql`p.traded_value_24h desc nulls last, p.resource`,
  })
  const first = offsetOf(request) + 1
  return { ...page, items: page.items.map((price, index) => ({ rank: first + index, ...price })) }
}
