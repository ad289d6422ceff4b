import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@chancery/contract'
import { deleteOldPrices } from '../../src/resources/market/history.ts'
import { put, remove } from '../ingest/facts.ts'
import { useIngestPool, useTestServer } from '../support/fixture.ts'
import { pluck } from '../support/pluck.ts'
import type { Fact } from '../support/test-server.ts'

interface Point {
  resource: string
  from: string
  interval: string
  open: number
  high: number
  low: number
  close: number
  volume_24h: number | null
}

const chancery = useTestServer()
const pool = useIngestPool(chancery)

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const startOfDay = Math.floor(Date.now() / dayMs) * dayMs
const timestamp = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z')

/** A price some days ago, at an hour of the day. */
const price = (resource: string, value: number, daysAgo: number, hour: number, volume_24h?: number): Fact =>
  put('market_price', {
    resource,
    price: value,
    as_of: timestamp(startOfDay - daysAgo * dayMs + hour * hourMs),
    ...(volume_24h === undefined ? {} : { volume_24h }),
  })
const history = async (query: string) =>
  (await chancery.read<{ data: Point[]; pagination: object }>(`/market/price/history?${query}`)).data

test('prices are gathered by hour and by day', async () => {
  await chancery.ingest([
    price('steel', 10, 2, 5.1, 100),
    price('steel', 14, 2, 5.2, 90),
    price('steel', 9, 2, 5.3),
  ])
  await chancery.ingest([price('steel', 11, 2, 5.9, 80), price('steel', 12, 2, 7)])
  await chancery.ingest([price('steel', 8, 1, 0)])
  const [first] = await history('resource=steel')
  assert.deepEqual(first, {
    resource: 'steel',
    from: timestamp(startOfDay - 2 * dayMs + 5 * hourMs),
    interval: 'hour',
    open: 10,
    high: 14,
    low: 9,
    close: 11,
    volume_24h: 80,
  })
  const figures = ['open', 'high', 'low', 'close', 'volume_24h'] as const
  assert.deepEqual(pluck(await history('resource=steel'), ...figures).slice(1), [
    [12, 12, 12, 12, 80],
    [8, 8, 8, 8, 80],
  ])
  assert.deepEqual(pluck(await history('resource=steel&interval=day'), 'from', ...figures), [
    [timestamp(startOfDay - 2 * dayMs), 10, 14, 9, 12, 80],
    [timestamp(startOfDay - dayMs), 8, 8, 8, 8, 80],
  ])
})

test('a late price extends high and low, is the first if it was, and never the last', async () => {
  await chancery.ingest([price('food', 10, 3, 12), price('food', 11, 3, 13)])
  await chancery.ingest([price('food', 20, 3, 12.5)])
  await chancery.ingest([price('food', 5, 3, 1)])
  assert.deepEqual(pluck(await history('resource=food&interval=day'), 'open', 'high', 'low', 'close'), [
    [5, 20, 5, 11],
  ])
  assert.deepEqual(pluck(await history('resource=food'), 'open', 'high', 'low', 'close'), [
    [5, 5, 5, 5],
    [10, 20, 10, 20],
    [11, 11, 11, 11],
  ])
})

test('past prices fill days, and hours only within their retention', async () => {
  await chancery.ingest([
    price('oil', 7, 200, 3),
    price('oil', 8, limits.hourlyPriceDays + 1, 3),
    price('oil', 9, 1, 3),
  ])
  assert.deepEqual(pluck(await history('resource=oil&interval=day'), 'close'), [7, 8, 9])
  assert.deepEqual(pluck(await history('resource=oil'), 'close'), [9])
  await chancery.ingest([price('oil', 99, -3, 0), price('oil', 9, 1, 3)])
  assert.deepEqual(pluck(await history('resource=oil&interval=day'), 'close'), [7, 8, 9], 'not the future')
})

test('a range, an unknown resource, and the order of all resources', async () => {
  const day = (daysAgo: number) => timestamp(startOfDay - daysAgo * dayMs).slice(0, 10)
  assert.deepEqual(await history('resource=nothing'), [])
  assert.deepEqual(pluck(await history(`interval=day&from=${day(3)}&to=${day(1)}`), 'resource', 'from'), [
    ['food', `${day(3)}T00:00:00Z`],
    ['steel', `${day(2)}T00:00:00Z`],
  ])
  const all = (await history('interval=day&limit=400')).map(({ from, resource }) => `${from} ${resource}`)
  assert.deepEqual(all, all.toSorted())
  assert.deepEqual(
    (await history('interval=day&limit=2&page=2')).map(({ from, resource }) => `${from} ${resource}`),
    all.slice(2, 4),
  )
})

test('housekeeping deletes old hours and days', async () => {
  await chancery.query(`
    update chancery_world.market_price_history set starts_at = starts_at - interval '40 days' where interval = 'hour'`)
  await deleteOldPrices(pool, 100)
  const kept = await chancery.query<{ interval: string; count: number }>(
    'select interval, count(*)::int from chancery_world.market_price_history group by 1',
  )
  assert.deepEqual(kept, [{ interval: 'day', count: 5 }])
})

test('a price that was deleted has no history, and begins anew', async () => {
  await chancery.ingest([price('steel', 3, 0, 0)])
  await chancery.ingest([remove('market_price', 'steel')])
  assert.deepEqual(await history('resource=steel&interval=day'), [])
  await chancery.ingest([price('steel', 1, 1, 0), remove('market_price', 'steel'), price('steel', 4, 0, 0)])
  assert.deepEqual(pluck(await history('resource=steel&interval=day'), 'close'), [4])
})
