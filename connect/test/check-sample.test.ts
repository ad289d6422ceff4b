import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkViews } from '../src/pull/check-views.ts'
import type { ServiceClient } from '../src/service-client.ts'
import { usePullFixture } from './fixture.ts'
import { clientOf, contract } from './service-client.ts'

const fixture = usePullFixture({ nations: 1_000 })
const { chancery, n, query } = fixture

async function check(options: { isSample?: boolean } = {}) {
  let requests = 0
  const client = clientOf(chancery)
  const counting: ServiceClient = {
    ...client,
    send(facts, sendOptions) {
      requests += 1
      return client.send(facts, sendOptions)
    },
  }
  const samples: unknown[] = []
  const found = await checkViews({
    url: fixture.game.url,
    contract,
    client: counting,
    schema: 'chancery_out',
    feed: 'pull',
    allowsDeletes: true,
    reportSample: sample => void samples.push(sample),
    ...options,
  })
  return { ...found, requests, samples }
}

test('all mistakes of all views are found in one run, by kind, without reading all rows', async () => {
  await query(`insert into alliances select i, '' from generate_series(1, 50) i`)
  await query(
    `update nations set motto = repeat('x', 5000) where id % 2 = 0; update nations set name = '' where id % 3 = 0`,
  )
  await query(
    'alter view chancery_out.war rename column status to state; alter view chancery_out.war rename column reason to why',
  )
  const { isSample, views, kinds, warnings, requests } = await check()
  assert.equal(isSample, true)
  assert.deepEqual(views, { alliance: 50, nation: 200, alliance_member: 0 })
  assert.deepEqual(
    warnings.map(warning => warning.replace(/ of a war.*/, '')),
    ['state', 'why'].map(name => `chancery_out.war: the column ${name} is not a field`),
  )
  const byPath = new Map(kinds.map(kind => [`${kind.resource} ${kind.path}`, kind]))
  assert.deepEqual([...byPath.keys()].toSorted(), [
    'alliance /data/name',
    'nation /data/motto',
    'nation /data/nation_name',
  ])
  assert.equal(byPath.get('alliance /data/name')?.rows, 50)
  const mottos = byPath.get('nation /data/motto')?.rows ?? 0
  assert.ok(mottos > 60 && mottos < 140, String(mottos))
  const { rows, examples } = byPath.get('nation /data/nation_name') ?? { rows: 0, examples: [] }
  assert.ok(rows > 30 && rows < 110, String(rows))
  assert.equal(examples.length, 3)
  assert.match(examples[0]?.text ?? '', /^\/nation_name must not be empty/)
  assert.ok(requests < 10, String(requests))
})

test('a sample without a wrong view is followed by all rows, with references', async () => {
  await query(`insert into members values ($1, 77777)`, [n(900)])
  await query(`update nations set name = '' where id in ($1, $2)`, [n(950), n(990)])
  const { isSample, views, kinds, refused, samples } = await check()
  assert.equal(isSample, false)
  const [first] = samples as { views: object; warnings: string[] }[]
  assert.deepEqual(
    [first?.views, first?.warnings],
    [{ alliance: 0, nation: 200, alliance_member: 1, war: 0 }, []],
  )
  assert.equal(views.nation, 998)
  assert.equal(refused.length, 3)
  assert.deepEqual(
    kinds.map(({ resource, rows, examples }) => [resource, rows, examples.map(({ key }) => key)]),
    [
      ['nation', 2, [n(950), n(990)]],
      ['alliance_member', 1, [n(900)]],
    ],
  )
  const sample = await check({ isSample: true })
  assert.equal(sample.isSample, true)
  assert.ok(
    sample.kinds.every(({ resource }) => resource === 'nation'),
    'references are not checked',
  )
  assert.ok(sample.requests <= 3, String(sample.requests))
})
