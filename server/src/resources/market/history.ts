/** Prices by hour and by day: written with each fact about a price, by its as_of. */
import { limits, type operations, type PublicOf, type ResourceOf, type ValuesFor } from '@chancery/contract'
import { type Database, type DatabasePool, sql } from '../../store/database.ts'
import type { ReadContext } from '../../store/fact-columns.ts'
import { allOf, type Page, readPage } from '../../store/paging.ts'

type PricePoint = PublicOf<ResourceOf<'price_history_point'>>
type Price = Pick<PublicOf<ResourceOf<'market_price'>>, 'resource' | 'price' | 'volume_24h' | 'as_of'>

const hourlyDays = sql`make_interval(days => ${limits.hourlyPriceDays})`

/**
 * Adds prices to their hours and days. Prices may come in any order: the earliest by as_of is the first of its hour, the latest the last.
 * Not those that would be deleted at once, nor those of a day in the future: it would not be deleted for long.
 */
export async function recordPrices(db: Database, prices: readonly Price[]): Promise<void> {
  if (prices.length === 0) return
  await db.rows(sql`
    insert into chancery_world.market_price_history as h
      (resource, interval, starts_at, open, high, low, close, volume_24h, opened_at, closed_at)
    select p.resource, i.interval, date_trunc(i.interval, p.as_of, 'UTC') as starts_at, (array_agg(p.price order by p.as_of, p.place))[1],
      max(p.price), min(p.price), (array_agg(p.price order by p.as_of desc, p.place desc))[1],
      (array_agg(p.volume_24h order by p.as_of desc, p.place desc))[1], min(p.as_of), max(p.as_of)
    from rows from (json_to_recordset(${JSON.stringify(prices)}::json)
      as (resource text, price numeric, volume_24h bigint, as_of timestamptz)) with ordinality p (resource, price, volume_24h, as_of, place),
      (values ('hour'), ('day')) i (interval)
    where p.as_of < clock_timestamp() + interval '1 day'
      and (i.interval = 'day' or p.as_of >= clock_timestamp() - ${hourlyDays})
    group by 1, 2, 3
    on conflict (interval, resource, starts_at) do update set
      open = case when excluded.opened_at < h.opened_at then excluded.open else h.open end,
      high = greatest(h.high, excluded.high),
      low = least(h.low, excluded.low),
      close = case when excluded.closed_at >= h.closed_at then excluded.close else h.close end,
      volume_24h = case when excluded.closed_at >= h.closed_at then excluded.volume_24h else h.volume_24h end,
      opened_at = least(h.opened_at, excluded.opened_at),
      closed_at = greatest(h.closed_at, excluded.closed_at)`)
}

export async function deletePriceHistory(db: Database, resources: readonly string[]): Promise<void> {
  if (resources.length === 0) return
  await db.rows(sql`delete from chancery_world.market_price_history where resource = any(${resources})`)
}

/** Prices by hour or by day, oldest first. */
export const listPriceHistory = (
  { pools }: ReadContext,
  { resource, interval, from, to, ...request }: ValuesFor<typeof operations.marketHistory>,
): Promise<Page<PricePoint>> =>
  readPage<PricePoint>(pools.public, request, {
    columns: sql`h.resource, h.starts_at as from, h.interval, h.open, h.high, h.low, h.close, h.volume_24h`,
    from: sql`chancery_world.market_price_history h where ${allOf([
      sql`h.interval = ${interval}`,
      // Those that housekeeping has not deleted yet are not listed.
      interval === 'hour' ? sql`h.starts_at >= date_trunc('hour', now() - ${hourlyDays}, 'UTC')` : undefined,
      resource === undefined ? undefined : sql`h.resource = ${resource}`,
      from === undefined ? undefined : sql`h.starts_at >= ${from}`,
      to === undefined ? undefined : sql`h.starts_at < ${to}`,
    ])}`,
    order: sql`h.starts_at, h.resource`,
    reversed: sql`h.starts_at desc, h.resource desc`,
  })

/** Deletes hours and days after their retention. */
export async function deleteOldPrices(pool: DatabasePool, days: number): Promise<void> {
  await pool.rows(sql`
    delete from chancery_world.market_price_history
    where interval = 'hour' and starts_at < now() - ${hourlyDays} - interval '1 hour'`)
  await pool.rows(sql`
    delete from chancery_world.market_price_history
    where interval = 'day' and starts_at < now() - make_interval(days => ${days}) - interval '1 day'`)
}
