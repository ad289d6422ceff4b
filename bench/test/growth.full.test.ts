import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectApi } from '../src/growth/api.ts'
import { type MeasuredQuery, measureQueries, openWorld } from '../src/growth/growth.ts'
import { closeAll, removeDirectory, startPostgres, startService, temporaryDirectory } from '../src/servers.ts'

/** A tenth of the supported size (docs/operations/scaling.md). */
const nations = 10_000
/** By their fastest samples: what else the machine does slows only some of them. */
const timesOfNationMax = 100
/** PostgreSQL plans a statement five times before it keeps a plan. */
const effort = { samplesMin: 10, samplesMax: 10, ms: 0 }

after(closeAll)

test('with any one filter, a page takes no more than a hundred times as long as a nation', async t => {
  const home = await temporaryDirectory()
  t.after(() => removeDirectory(home))
  const postgres = await startPostgres()
  const service = await startService({ CHANCERY_DATABASE_URL: postgres.url, CHANCERY_LOG_LEVEL: 'error' })
  const halfAt = await openWorld(service, home, nations)
  // As PostgreSQL does a minute later by itself.
  await postgres.db.query('analyze')
  const api = connectApi(service.publicUrl)
  const isNation = ({ operation }: { operation: string }) => operation === 'nations.get'
  let suspects: MeasuredQuery[] | undefined
  let slow: string[] = []
  // The machine may be slow for a while: what is slow is measured again beside a nation.
  for (let attempt = 0; attempt < 3 && suspects?.length !== 0; attempt += 1) {
    const repeated = suspects
    const measured = await measureQueries(
      api,
      halfAt,
      query =>
        isNation(query) ||
        (repeated?.some(({ order, operation }) => order === query.order && operation === query.operation) ??
          query.filters < 2),
      effort,
    )
    if (!repeated) assert.ok(measured.length > 80, `${measured.length} queries`)
    const nation = measured.find(isNation)?.pages.first?.least ?? 0
    assert.ok(nation > 0)
    const faultsOf = ({ operation, name, pages, failure }: MeasuredQuery) => [
      ...(failure === undefined ? [] : [`${operation} ${name}: ${failure}`]),
      ...Object.entries(pages).flatMap(([place, { least }]) =>
        least > nation * timesOfNationMax
          ? [`${operation} ${name}: the ${place} page takes ${Math.round(least / nation)} times as long`]
          : [],
      ),
    ]
    suspects = measured.filter(query => faultsOf(query).length > 0)
    slow = suspects.flatMap(faultsOf)
  }
  assert.deepEqual(slow, [])
})
