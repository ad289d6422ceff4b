import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { importDay } from '../../src/resources/history/record-day.ts'
import { alliance, member, nation, put, remove } from '../ingest/facts.ts'
import { withoutRounds } from '../support/database-url.ts'
import { useIngestPool, useTestServer } from '../support/fixture.ts'
import { pluck } from '../support/pluck.ts'

interface Page<T> {
  data: T[]
  pagination: { total: number; pages: number; limit: number }
}
interface NationPoint {
  date: string
  national_score: number
  rank: number
  city_count: number | null
  alliance_id: string | null
}
interface AlliancePoint {
  date: string
  total_score: number
  rank: number
  member_count: number
}

const chancery = useTestServer()
const pool = useIngestPool(chancery)

const nationHistory = (id: string, query = '') =>
  chancery.read<Page<NationPoint>>(`/nations/${id}/history?${query}`)
const allianceHistory = (id: string, query = '') =>
  chancery.read<Page<AlliancePoint>>(`/alliances/${id}/history?${query}`)

/** Causes a ranking round, and changes nothing in the histories. */
const somethingElse = () =>
  put('news_item', { id: 'news', title: `Number ${Math.random()}`, published_at: '2026-05-01T00:00:00Z' })

/** Ends the day of the latest round as if it were `daysAgo`: the next round begins a new one. */
async function endDay(daysAgo: number): Promise<string> {
  const [row] = await chancery.query<{ day: string }>(
    'update chancery_world.ranking_round set day = current_date - $1::integer returning day::text',
    [daysAgo],
  )
  await chancery.ingest([somethingElse()])
  return row?.day ?? ''
}

beforeEach(async () => {
  await chancery.query('delete from chancery_world.nation_history')
  await chancery.query('delete from chancery_world.alliance_history')
})

test('a point is the state of the last round of a day', async () => {
  await chancery.ingest([
    alliance('p'),
    nation('a', { national_score: 5.25, city_count: 3 }),
    nation('b', { national_score: 7 }),
    nation('c', { national_score: 5.25, city_count: 0 }),
    member('a', 'p'),
  ])
  assert.deepEqual((await nationHistory('a')).data, [], 'the day is not over')
  const first = await endDay(2)
  await chancery.ingest([
    nation('a', { national_score: 8.0001 }),
    remove('alliance_member', 'a'),
    member('b', 'p'),
  ])
  const second = await endDay(1)
  assert.deepEqual((await nationHistory('a')).data, [
    { date: first, national_score: 5.25, rank: 2, city_count: 3, alliance_id: 'p' },
    { date: second, national_score: 8.0001, rank: 1, city_count: 3, alliance_id: null },
  ])
  assert.deepEqual(pluck((await nationHistory('b')).data, 'rank', 'city_count', 'alliance_id'), [
    [1, null, null],
    [2, null, 'p'],
  ])
  assert.deepEqual(pluck((await nationHistory('c')).data, 'rank', 'city_count'), [
    [2, 0],
    [3, 0],
  ])
  assert.deepEqual((await allianceHistory('p')).data, [
    { date: first, total_score: 5.25, rank: 1, member_count: 1 },
    { date: second, total_score: 7, rank: 1, member_count: 1 },
  ])
})

test('every score, rank and count of the contract comes back exactly', async () => {
  const scores = [
    -1e15, 1e15, 999_999_999_999_999, 99_999_999_999.9999, -0.0001, 0, 1843.2512, 429_496.7296,
    123_456_789_012.345,
  ]
  const counts = [0, 254, 255, 256, 65_536, Number.MAX_SAFE_INTEGER]
  await chancery.ingest([
    ...scores.map((national_score, index) => nation(`s${index}`, { national_score })),
    ...counts.map((city_count, index) => nation(`k${index}`, { city_count })),
  ])
  await endDay(1)
  for (const [index, national_score] of scores.entries())
    assert.equal((await nationHistory(`s${index}`)).data[0]?.national_score, national_score)
  for (const [index, city_count] of counts.entries())
    assert.equal((await nationHistory(`k${index}`)).data[0]?.city_count, city_count)
  await chancery.ingest([...scores.keys()].map(index => remove('nation', `s${index}`)))
})

test('a nation that is newer than the last round of a day has no point of it', async () => {
  await chancery.ingest([nation('old')])
  await withoutRounds(chancery, async () => {
    await chancery.ingest([nation('new'), nation('old', { national_score: 9 })], { waits: false })
    await chancery.query('update chancery_world.ranking_round set day = current_date - 1')
  })
  await chancery.ingest([somethingElse()])
  assert.equal((await nationHistory('old')).data[0]?.national_score, 0)
  assert.equal((await nationHistory('old')).pagination.total, 1)
  assert.equal((await nationHistory('new')).pagination.total, 0)
})

test('what is deleted and put again has no points of before, and its number is used again after the last kept day', async () => {
  await chancery.ingest([
    alliance('gone'),
    nation('x', { national_score: 3 }),
    nation('y'),
    member('y', 'gone'),
  ])
  await endDay(3)
  await chancery.ingest([remove('nation', 'x'), remove('alliance', 'gone')])
  for (const path of ['/nations/x/history', '/alliances/gone/history'])
    assert.equal((await chancery.get(path)).status, 404)
  await chancery.ingest([nation('x'), alliance('gone')])
  assert.deepEqual((await nationHistory('x')).data, [])
  assert.deepEqual((await allianceHistory('gone')).data, [])
  assert.deepEqual(pluck((await nationHistory('y')).data, 'alliance_id'), ['gone'], 'what was public then')
  // In one batch.
  await endDay(2)
  await chancery.ingest([remove('nation', 'x'), nation('x'), remove('alliance', 'gone'), alliance('gone')])
  assert.equal((await nationHistory('x')).pagination.total, 0)
  assert.equal((await allianceHistory('gone')).pagination.total, 0)

  const numbers = () =>
    chancery.query<{ number: number; nation_id: string | null }>(
      'select number, nation_id from chancery_world.nation_history_number order by number',
    )
  const unused = (await numbers()).filter(({ nation_id }) => nation_id === null).length
  assert.ok(unused >= 2)
  const count = (await numbers()).length
  await chancery.ingest([nation('z')])
  await endDay(1)
  assert.equal((await numbers()).length, count + 2, 'days of the previous nations are kept')
  await chancery.query('delete from chancery_world.nation_history')
  await chancery.query('delete from chancery_world.alliance_history')
  await chancery.query(
    'update chancery_world.nation_history_number set freed_on = freed_on - 9 where freed_on is not null',
  )
  await chancery.ingest([nation('u'), nation('v')])
  await endDay(1)
  assert.equal((await numbers()).length, count + 2)
  assert.equal((await nationHistory('u')).pagination.total, 1)
})

test('a range of days, pages and limits', async () => {
  await chancery.ingest([nation('r', { national_score: 1 }), alliance('q'), member('r', 'q')])
  const days = Array.from({ length: 20 }, (_, index) =>
    new Date(Date.UTC(2026, 0, 20 + index)).toISOString().slice(0, 10),
  )
  for (const [index, day] of days.entries())
    await importDay(pool, day, [{ id: 'r', national_score: index, city_count: 1, alliance_id: 'q' }])
  const datesOf = async (query: string) => {
    const [nations, alliances] = [await nationHistory('r', query), await allianceHistory('q', query)]
    assert.deepEqual(pluck(nations.data, 'date'), pluck(alliances.data, 'date'))
    assert.deepEqual(nations.pagination, alliances.pagination)
    return nations.data.map(({ date }) => date)
  }
  assert.deepEqual(await datesOf(''), days)
  assert.deepEqual(await datesOf('limit=400'), days)
  assert.deepEqual(await datesOf('limit=15&page=2'), days.slice(15))
  assert.deepEqual(await datesOf('limit=15&page=9'), [])
  assert.deepEqual(await datesOf('from=2026-02-01&to=2026-02-04'), ['2026-02-01', '2026-02-02', '2026-02-03'])
  assert.deepEqual(await datesOf('from=2026-02-01T00:00:01Z&to=2026-02-03T00:00:00Z'), ['2026-02-02'])
  assert.deepEqual(await datesOf('from=2026-02-02T01:00:00%2B01:00&to=2026-02-03'), ['2026-02-02'])
  assert.deepEqual(await datesOf('from=9999-12-31T23:00:00Z'), [])
  assert.deepEqual((await datesOf('to=9999-12-31T23:00:00Z&limit=400')).length, 20)
  assert.equal((await chancery.get('/nations/r/history?limit=401')).status, 400)
  assert.deepEqual((await nationHistory('r', 'limit=1&page=7')).data, [
    { date: days[6], national_score: 6, rank: 1, city_count: 1, alliance_id: 'q' },
  ])
})

test('a past day is imported once', async () => {
  await chancery.ingest([nation('i1'), nation('i2'), alliance('ia')])
  const past = (national_score: number) =>
    ['i1', 'i2', 'unknown'].map((id, index) => ({
      id,
      national_score: national_score + index,
      city_count: null,
      alliance_id: index === 0 ? 'ia' : null,
    }))
  await importDay(pool, '2026-03-01', past(10))
  await importDay(pool, '2026-03-01', past(20))
  assert.deepEqual((await nationHistory('i1')).data, [
    { date: '2026-03-01', national_score: 10, rank: 3, city_count: null, alliance_id: 'ia' },
  ])
  assert.deepEqual((await allianceHistory('ia')).data, [
    { date: '2026-03-01', total_score: 10, rank: 1, member_count: 1 },
  ])
})

test('an erased player’s nations have no points of before', async () => {
  await chancery.ingest([nation('led', { player: 'p_erased' }), nation('other', { player: 'p_other' })])
  await endDay(1)
  await chancery.ingest([{ op: 'erase', player: 'p_erased', name: 'Erased nation' }])
  assert.equal((await nationHistory('led')).pagination.total, 0)
  assert.equal((await nationHistory('other')).pagination.total, 1)
  const found = await chancery.query(
    `select from chancery_world.nation_history_number where nation_id = 'led'`,
  )
  assert.equal(found.length, 0)
})

test('the end of an era ends every history', async () => {
  await chancery.ingest([
    put('era', { id: 'e1', name: 'First', status: 'active' }),
    nation('n1'),
    alliance('a1'),
  ])
  await endDay(1)
  assert.equal((await nationHistory('n1')).pagination.total, 1)
  await chancery.ingest([{ op: 'reset', ended: { id: 'e1' }, next: { id: 'e2', name: 'Second' } }])
  assert.equal((await chancery.get('/nations/n1/history')).status, 404)
  const kept = await chancery.query(
    'select from chancery_world.nation_history_number where nation_id is not null or freed_on is null',
  )
  assert.equal(kept.length, 0)
})
