import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { beforeEach, test } from 'node:test'
import type { OperatorRole } from '@chancery/contract'
import { makeToken } from '../../server/test/operator/tokens.ts'
import { withConnection } from '../../server/test/support/database-url.ts'
import { checkViews } from '../src/pull/check-views.ts'
import { ViewReader } from '../src/pull/view-reader.ts'
import type { ServiceClient } from '../src/service-client.ts'
import { usePullFixture } from './fixture.ts'
import type { ManualPuller } from './game.ts'
import { clientOf, contract } from './service-client.ts'

const fixture = usePullFixture({ nations: 30 })
const { chancery, n, open, query, read, statusOf } = fixture

let manual: ManualPuller
beforeEach(async () => {
  manual = await open({ allowsDeletes: true })
})

const eventsOf = async (nation: string) =>
  (await chancery.read<{ data: { type: string }[] }>(`/events?nation_id=${nation}`)).data.map(
    ({ type }) => type,
  )

test('the first round sends everything, and one without changes sends nothing', async () => {
  const report = await manual.round()
  assert.equal(report?.views.nation?.new, 30)
  assert.equal(report?.views.nation?.is_whole, true)
  assert.equal((await read(`/nations/${n(7)}`)).nation_name, 'Nation 7')
  assert.equal((await read(`/nations/${n(7)}`)).founded_at, '2026-01-01T00:00:00Z')
  assert.equal(await manual.round(), undefined)
})

test('rows of kept resources that a game deletes stay in the world, also after a restart', async () => {
  const keeping = () => open({ allowsDeletes: true, keptResources: new Set(['war'] as const) })
  manual = await keeping()
  await query(
    'insert into wars (id, attacker, defender) select $1 + i, $2, $3 from generate_series(1, 9) i',
    [fixture.start + 500, n(3), n(4)],
  )
  await manual.round()
  await query('delete from wars')
  assert.equal(await manual.round(), undefined, 'nothing is sent about deleted rows')
  await query('delete from nations where id = $1', [n(9)])
  assert.equal((await manual.round())?.views.nation?.deleted, 1, 'rows of other resources are deleted')
  manual = await keeping()
  await query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [n(600), n(5), n(6)])
  await manual.round()
  for (const war of [501, 509, 600]) assert.equal(await statusOf(`/wars/${n(war)}`), 200)
})

test('new, changed and deleted rows become facts, and their consequences events', async () => {
  await manual.round()
  await query('insert into alliances values ($1, $2)', [n(900), 'Pact'])
  await query('insert into members values ($1, $2), ($3, $2)', [n(1), n(900), n(2)])
  await query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [n(500), n(3), n(4)])
  await query('update nations set motto = $2 where id = $1', [n(5), 'Homeward.'])
  const report = await manual.round()
  assert.deepEqual(
    Object.entries(report?.views ?? {}).map(([resource, view]) => [
      resource,
      view.new,
      view.changed,
      view.deleted,
    ]),
    [
      ['alliance', 1, 0, 0],
      ['nation', 0, 1, 0],
      ['alliance_member', 2, 0, 0],
      ['war', 1, 0, 0],
    ],
  )
  assert.equal((await read(`/nations/${n(5)}`)).motto, 'Homeward.')
  assert.deepEqual(
    ((await read(`/wars/${n(500)}`)).attacker as Record<string, unknown>).nation_name,
    'Nation 3',
  )
  assert.equal((await read(`/wars/${n(500)}`)).declared_at, '2026-02-01T00:00:00Z')

  await query('delete from nations where id = $1', [n(1)])
  await query('delete from members where nation = $1', [n(1)])
  const gone = await manual.round()
  assert.deepEqual([gone?.views.nation?.deleted, gone?.views.alliance_member?.deleted], [1, 1])
  assert.equal(await statusOf(`/nations/${n(1)}`), 404)
  assert.deepEqual(gone?.refused, [])
  assert.equal(await manual.round(), undefined)
  assert.deepEqual((await eventsOf(n(1))).sort(), [
    'alliance.member_joined',
    'alliance.member_left',
    'nation.deleted',
    'nation.founded',
  ])
})

const lacks = (gone: number | string, of?: number) =>
  `chancery_out.nation lacks ${gone} of ${of === undefined ? '' : `${of} `}rows that it had before: deletions held back. If they are intended, stop this pull and run chancery pull --allow-deletes once`

test('deletions of a view that lacks more than a tenth are held back, and the rest is sent', async () => {
  await manual.round()
  await query('delete from nations where id <= $1', [n(4)])
  assert.equal(await manual.round(), undefined)
  await query('update nations set motto = $2 where id = $1', [n(9), 'Homeward.'])
  await query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [
    fixture.start + 500,
    n(8),
    n(9),
  ])
  const round = await manual.round()
  const { new: added, changed, deleted, held_back: heldBack } = round?.views.nation ?? {}
  assert.deepEqual([added, changed, deleted, heldBack], [0, 1, 0, 4])
  assert.equal(round?.views.war?.held_back, 0)
  assert.equal((await read(`/nations/${n(1)}`)).nation_name, 'Nation 1')
  assert.equal((await read(`/nations/${n(9)}`)).motto, 'Homeward.')
  assert.deepEqual(manual.messages, [lacks(4, 30)])
})

test('held-back deletions are reported again while they last, and once when they are resolved', async () => {
  manual = await open({ allowsDeletes: true, retryMs: 0 })
  await manual.round()
  await query('create table backup as select * from nations')
  await query('delete from nations where id <= $1', [n(4)])
  await manual.round()
  await manual.round()
  assert.deepEqual(manual.messages, [lacks(4, 30), lacks(4, 30)])
  await query('insert into nations select * from backup on conflict do nothing')
  await manual.round()
  await manual.round()
  assert.deepEqual(manual.messages.slice(2), ['resolved: no deletions of chancery_out.nation are held back'])
})

test('after an outage, the deletions of one view are held back and the rest is sent', async () => {
  await query('insert into alliances (id, name) select $1 + i, i::text from generate_series(1, 9) i', [
    fixture.start,
  ])
  await manual.round()
  manual.puller.reset()
  await query('delete from nations where id <= $1', [n(4)])
  await query('delete from alliances where id = $1', [n(1)])
  await query('insert into nations (id, name) values ($1, $2)', [n(31), 'Nation 31'])
  const round = await manual.round()
  assert.equal(round?.views.nation?.held_back, 4)
  assert.deepEqual(manual.messages, [lacks(4, 30)])
  const ids = [`/nations/${n(1)}`, `/nations/${n(31)}`, `/alliances/${n(1)}`]
  assert.deepEqual(await Promise.all(ids.map(statusOf)), [200, 200, 404])
})

test('a check with a token of any role that may send facts reports deletions that are held back', async () => {
  await manual.round()
  await query('delete from nations where id <= $1', [n(4)])
  const warningsAs = async (role: OperatorRole) => {
    const { token } = await makeToken(chancery, [role])
    const ends = {
      url: fixture.game.url,
      contract,
      schema: 'chancery_out',
      feed: 'pull',
      allowsDeletes: false,
    }
    const client = clientOf({ ...chancery, operatorToken: token })
    const { views, warnings } = await checkViews({ ...ends, client, keptResources: new Set() })
    assert.equal(views.nation, 26)
    return warnings
  }
  assert.deepEqual(await warningsAs('admin'), [lacks(4, 30)])
  assert.deepEqual(await warningsAs('facts'), [lacks('an unknown number')])
})

test('a restart does not allow deletions that are held back, --allow-deletes does', async () => {
  await manual.round()
  await query('delete from nations where id <= $1', [n(4)])
  await manual.round()
  const restarted = async (allowsDeletes: boolean) => {
    const next = await open({ allowsDeletes, retryMs: 0 })
    try {
      await next.round()
      await next.round()
      return [await statusOf(`/nations/${n(1)}`), new Set(next.messages)]
    } finally {
      await next.close()
    }
  }
  assert.deepEqual(await restarted(false), [200, new Set([lacks(4, 30)])])
  assert.deepEqual(await restarted(false), [200, new Set([lacks(4, 30)])])
  assert.deepEqual(await restarted(true), [404, new Set()])
})

test('after a restart, restored rows resolve held-back deletions', async () => {
  await manual.round()
  await query('create table backup as select * from nations; delete from nations')
  const next = await open({ retryMs: 0 })
  await next.round()
  await query('insert into nations select * from backup')
  await next.round()
  await next.round()
  assert.deepEqual(next.messages, [
    lacks(30, 30),
    'resolved: no deletions of chancery_out.nation are held back',
  ])
  await query('delete from nations where id = $1', [n(1)])
  assert.equal((await next.round())?.views.nation?.deleted, 1)
})

test('a view that lacks at most a tenth is pulled, with its deletions', async () => {
  await manual.round()
  await query('delete from nations where id <= $1', [n(3)])
  assert.equal((await manual.round())?.views.nation?.deleted, 3)
})

test('a new puller that finds an empty view does not delete the world', async () => {
  await manual.round()
  await query('delete from nations')
  const next = await open()
  await next.round()
  assert.deepEqual(next.messages, [lacks(30, 30)])
  assert.equal(await statusOf(`/nations/${n(1)}`), 200)
  assert.equal(await statusOf(`/nations/${n(30)}`), 200)
})

test('--allow-deletes holds for one round only', async () => {
  await manual.round()
  await query('delete from nations where id <= $1', [n(10)])
  await manual.round()
  assert.deepEqual(manual.messages, [lacks(10, 30)])
})

test('all views are read in one snapshot, despite concurrent writes', async () => {
  const reader = new ViewReader(manual.views, contract, 'chancery_out')
  await reader.inSnapshot(async () => {
    const nations = await reader.read('nation')
    await query('insert into nations (id, name) values ($1, $2)', [n(40), 'Late'])
    await query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [n(500), n(40), n(1)])
    const wars = await reader.read('war')
    assert.ok('hashes' in nations && 'hashes' in wars)
    assert.deepEqual([nations.hashes.size, wars.hashes.size], [30, 0])
    assert.equal((await reader.putLines(nations, [n(40)])).size, 0)
  })
})

test('the first round is history; later changes, and those that a later puller finds, are news', async () => {
  const commits: { announce?: boolean; feed: { after: string | null } }[] = []
  const client = clientOf(chancery)
  const recording: ServiceClient = {
    ...client,
    async *send(facts, options) {
      let text = ''
      for await (const part of facts) text += part
      commits.push(JSON.parse(text.trimEnd().split('\n').at(-1) ?? ''))
      yield* client.send(Readable.from([text]), options)
    },
  }
  const feed = `new-${fixture.start}`
  for (const rounds of [2, 1]) {
    const next = await open({ allowsDeletes: true, feed }, recording)
    for (let round = 0; round < rounds; round += 1) {
      await query('update nations set motto = $1', [`${commits.length}`])
      await next.round()
    }
  }
  assert.deepEqual(
    commits.map(({ announce, feed: { after } }) => [announce, after === null]),
    [
      [false, true],
      [undefined, false],
      [undefined, false],
    ],
  )
})

test('a service that was restored from a backup receives everything, even if nothing changes', async () => {
  const feed = `back-${fixture.start}`
  const watchful = await open({ allowsDeletes: true, retryMs: 0, feed })
  await watchful.round()
  assert.equal(await watchful.round(), undefined)
  await withConnection(chancery.databaseUrl, async client => {
    await client.query("update chancery_secret.feed set last_batch = 'an-older-one' where name = $1", [feed])
  })
  await assert.rejects(watchful.round(), { name: 'StaleFeedError' })
  assert.equal((await watchful.round())?.views.nation?.is_whole, true)
})
