import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createPool, type Sql, sql } from '../../src/store/database.ts'
import { readSlice } from '../../src/store/paging.ts'
import { useTestDatabase } from '../support/fixture.ts'
import { randomRuns } from '../support/tier.ts'

const database = useTestDatabase()
const total = 6_000

test('a page of a large list that is read from its first rows, from either end, is that of the whole list', async t => {
  const pool = createPool({ target: database.target, connectionsMax: 1 })
  t.after(() => pool.close())
  const listing = {
    columns: sql`n`,
    from: sql`(select 0 as n) never`,
    fromFirst: (order: Sql, rows: number) =>
      sql`(select n from generate_series(1, ${total}::int) n order by ${order} limit ${rows}) first`,
    order: sql`n`,
    reversed: sql`n desc`,
  }
  const slices = fc.record({
    offset: fc.integer({ min: 0, max: total }),
    limit: fc.integer({ min: 1, max: 100 }),
  })
  await fc.assert(
    fc.asyncProperty(slices, async ({ offset, limit }) => {
      const rows = await readSlice<{ n: number }>(pool, listing, { offset, limit, total })
      const count = Math.min(limit, total - offset)
      assert.deepEqual(
        rows.map(({ n }) => n),
        Array.from({ length: count }, (_, index) => offset + index + 1),
      )
    }),
    { numRuns: randomRuns(100) },
  )
})
