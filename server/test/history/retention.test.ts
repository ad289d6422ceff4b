import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteOldHistory, importDay } from '../../src/resources/history/record-day.ts'
import { alliance, nation } from '../ingest/facts.ts'
import { useIngestPool, useTestServer } from '../support/fixture.ts'

const chancery = useTestServer()
const pool = useIngestPool(chancery)

const dayMs = 86_400_000
const dayAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)

test('housekeeping deletes the days before the retention, whole days of all histories', async () => {
  await chancery.ingest([nation('a'), alliance('p')])
  for (const days of [12, 11, 10, 9])
    await importDay(pool, dayAgo(days), [
      { id: 'a', national_score: days, city_count: null, alliance_id: 'p' },
    ])
  await deleteOldHistory(pool, 10)
  for (const path of ['/nations/a/history', '/alliances/p/history']) {
    const { data } = await chancery.read<{ data: { date: string }[] }>(path)
    assert.deepEqual(
      data.map(({ date }) => date),
      [dayAgo(10), dayAgo(9)],
    )
  }
})
