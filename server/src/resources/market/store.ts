import type { operations, PublicOf, ResourceOf, ValuesFor } from '@chancery/contract'
import { sql } from '../../store/database.ts'
import { allOf, offsetOf, type Page, readPage } from '../../store/paging.ts'
import type { ReadContext } from '../../store/read-context.ts'

export type MarketPrice = PublicOf<ResourceOf<'market_price'>>
export type MarketRanking = PublicOf<ResourceOf<'market_ranking'>>

const columns = sql`
  resource, price, currency, best_bid, best_ask, high_24h, low_24h, volume_24h, traded_value_24h, trades_24h,
  change_24h_percent, as_of`

export function listPrices(
  { pools }: ReadContext,
  { resource, ...request }: ValuesFor<typeof operations.marketPrice>,
): Promise<Page<MarketPrice>> {
  const where = allOf([resource === undefined ? undefined : sql`resource = ${resource}`])
  return readPage<MarketPrice>(pools.public, request, {
    columns,
    from: sql`chancery_world.market_price where ${where}`,
    order: sql`resource`,
  })
}

/** Resources by money traded; the place is the position in that order. */
export async function rankResources(
  { pools }: ReadContext,
  request: ValuesFor<typeof operations.marketRankings>,
): Promise<Page<MarketRanking>> {
  const page = await readPage<MarketPrice>(pools.public, request, {
    columns,
    from: sql`chancery_world.market_price`,
    order: sql`traded_value_24h desc nulls last, resource`,
  })
  const first = offsetOf(request) + 1
  return { ...page, items: page.items.map((price, index) => ({ rank: first + index, ...price })) }
}
