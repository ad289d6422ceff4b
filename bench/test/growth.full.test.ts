import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectApi } from '../src/growth/api.ts'
import { measureQueries, openWorld } from '../src/growth/growth.ts'
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
  const measured = await measureQueries(api, halfAt, ({ filters }) => filters < 2, effort)
  const nation = measured.find(({ operation }) => operation === 'nations.get')?.pages.first?.least ?? 0
  assert.ok(nation > 0)
  const slow = measured.flatMap(({ operation, name, pages, failure }) => [
    ...(failure === undefined ? [] : [`${operation} ${name}: ${failure}`]),
    ...Object.entries(pages).flatMap(([place, { least }]) =>
      least > nation * timesOfNationMax
        ? [`${operation} ${name}: the ${place} page takes ${Math.round(least / nation)} times as long`]
        : [],
    ),
  ])
  assert.deepEqual(slow, [])
  assert.ok(measured.length > 80, `${measured.length} queries`)
})
