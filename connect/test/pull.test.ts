import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type { OperatorRole } from '@chancery/contract'
import { makeToken } from '../../server/test/operator/tokens.ts'
import { withConnection } from '../../server/test/support/database-url.ts'
import { startTestServer, type TestServer } from '../../server/test/support/test-server.ts'
import { checkViews } from '../src/pull/check-views.ts'
import { ViewReader } from '../src/pull/view-reader.ts'
import type { ServiceClient } from '../src/service-client.ts'
import { createSmallGame, type Game, type ManualPuller, manualPuller } from './game.ts'
import { clientOf, contract } from './service-client.ts'

let chancery: TestServer
let game: Game
let hand: ManualPuller
before(async () => {
  chancery = await startTestServer()
})
after(() => chancery.close())

/** Each test has a game and a feed of its own; ids do not meet. */
let start = 0
beforeEach(async () => {
  start += 1000
  game = await createSmallGame(chancery.databaseUrl, { start, nations: 30 })
  hand = await manualPuller(game, clientOf(chancery), { allowsDeletes: true })
})
afterEach(async () => {
  await hand.close()
  await game.drop()
})

type Document = Record<string, unknown>
const read = async (path: string) => (await chancery.read<{ data: Document }>(path)).data
const statusOf = async (path: string) => (await chancery.get(path)).status
const n = (index: number) => String(start + index)
const eventsOf = async (nation: string) =>
  (await chancery.read<{ data: { type: string }[] }>(`/events?nation_id=${nation}`)).data.map(
    ({ type }) => type,
  )

test('the first round sends everything, and one without changes sends nothing', async () => {
  const report = await hand.round()
  assert.equal(report?.views.nation?.new, 30)
  assert.equal(report?.views.nation?.is_whole, true)
  assert.equal((await read(`/nations/${n(7)}`)).nation_name, 'Nation 7')
  assert.equal((await read(`/nations/${n(7)}`)).founded_at, '2026-01-01T00:00:00Z')
  assert.equal(await hand.round(), undefined)
})

test('rows of kept resources that a game deletes stay in the world, also after a restart', async () => {
  const keeping = () =>
    manualPuller(game, clientOf(chancery), { allowsDeletes: true, keptResources: new Set(['war'] as const) })
  await hand.close()
  hand = await keeping()
  await game.query(
    'insert into wars (id, attacker, defender) select $1 + i, $2, $3 from generate_series(1, 9) i',
    [start + 500, n(3), n(4)],
  )
  await hand.round()
  await game.query('delete from wars')
  assert.equal(await hand.round(), undefined, 'nothing is sent about deleted rows')
  await game.query('delete from nations where id = $1', [n(9)])
  assert.equal((await hand.round())?.views.nation?.deleted, 1, 'other rows that go are deletions')
  await hand.close()
  hand = await keeping()
  await game.query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [n(600), n(5), n(6)])
  await hand.round()
  for (const war of [501, 509, 600]) assert.equal(await statusOf(`/wars/${n(war)}`), 200)
})

test('new, changed and deleted rows become facts, and their consequences events', async () => {
  await hand.round()
  await game.query('insert into alliances values ($1, $2)', [n(900), 'Pact'])
  await game.query('insert into members values ($1, $2), ($3, $2)', [n(1), n(900), n(2)])
  await game.query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [n(500), n(3), n(4)])
  await game.query('update nations set motto = $2 where id = $1', [n(5), 'Homeward.'])
  const report = await hand.round()
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
  assert.deepEqual(((await read(`/wars/${n(500)}`)).attacker as Document).nation_name, 'Nation 3')
  assert.equal((await read(`/wars/${n(500)}`)).declared_at, '2026-02-01T00:00:00Z')

  await game.query('delete from nations where id = $1', [n(1)])
  await game.query('delete from members where nation = $1', [n(1)])
  const gone = await hand.round()
  assert.deepEqual([gone?.views.nation?.deleted, gone?.views.alliance_member?.deleted], [1, 1])
  assert.equal(await statusOf(`/nations/${n(1)}`), 404)
  assert.deepEqual(gone?.refused, [])
  assert.equal(await hand.round(), undefined)
  assert.deepEqual((await eventsOf(n(1))).sort(), [
    'alliance.member_joined',
    'alliance.member_left',
    'nation.deleted',
    'nation.founded',
  ])
})

const lacks = (gone: number | string, of?: number) =>
  `chancery_out.nation lacks ${gone} of ${of === undefined ? '' : `${of} `}rows that it had before: this is taken for a mistake, and the deletions are held back. If the rows are to be deleted, stop this pull and run chancery pull --allow-deletes once`

test('deletions of a view that lacks more than a tenth are held back, and the rest is sent', async () => {
  await hand.round()
  await game.query('delete from nations where id <= $1', [n(4)])
  assert.equal(await hand.round(), undefined)
  await game.query('update nations set motto = $2 where id = $1', [n(9), 'Homeward.'])
  await game.query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [start + 500, n(8), n(9)])
  const round = await hand.round()
  const { new: added, changed, deleted, held_back: heldBack } = round?.views.nation ?? {}
  assert.deepEqual([added, changed, deleted, heldBack], [0, 1, 0, 4])
  assert.equal(round?.views.war?.held_back, 0)
  assert.equal((await read(`/nations/${n(1)}`)).nation_name, 'Nation 1')
  assert.equal((await read(`/nations/${n(9)}`)).motto, 'Homeward.')
  assert.deepEqual(hand.messages, [lacks(4, 30)])
})

test('held-back deletions are reported again while they last, and once when they are resolved', async () => {
  await hand.close()
  hand = await manualPuller(game, clientOf(chancery), { allowsDeletes: true, retryMs: 0 })
  await hand.round()
  await game.query('create table backup as select * from nations')
  await game.query('delete from nations where id <= $1', [n(4)])
  await hand.round()
  await hand.round()
  assert.deepEqual(hand.messages, [lacks(4, 30), lacks(4, 30)])
  await game.query('insert into nations select * from backup on conflict do nothing')
  await hand.round()
  await hand.round()
  assert.deepEqual(hand.messages.slice(2), ['resolved: chancery_out.nation lacks rows'])
})

test('after an outage, the deletions of one view are held back and the rest is sent', async () => {
  await game.query('insert into alliances (id, name) select $1 + i, i::text from generate_series(1, 9) i', [
    start,
  ])
  await hand.round()
  hand.puller.reset()
  await game.query('delete from nations where id <= $1', [n(4)])
  await game.query('delete from alliances where id = $1', [n(1)])
  await game.query('insert into nations (id, name) values ($1, $2)', [n(31), 'Nation 31'])
  const round = await hand.round()
  assert.equal(round?.views.nation?.held_back, 4)
  assert.deepEqual(hand.messages, [lacks(4, 30)])
  const ids = [`/nations/${n(1)}`, `/nations/${n(31)}`, `/alliances/${n(1)}`]
  assert.deepEqual(await Promise.all(ids.map(statusOf)), [200, 200, 404])
})

test('a check with a token of any role that may send facts reports deletions that are held back', async () => {
  await hand.round()
  await game.query('delete from nations where id <= $1', [n(4)])
  const complaintsAs = async (role: OperatorRole) => {
    const { token } = await makeToken(chancery, [role])
    const ends = { url: game.url, contract, schema: 'chancery_out', feed: 'pull', allowsDeletes: false }
    const client = clientOf({ ...chancery, operatorToken: token })
    const { views, complaints } = await checkViews({ ...ends, client, keptResources: new Set() })
    assert.equal(views.nation, 26)
    return complaints
  }
  assert.deepEqual(await complaintsAs('admin'), [lacks(4, 30)])
  assert.deepEqual(await complaintsAs('facts'), [lacks('an unknown number')])
})

test('a restart does not allow deletions that are held back, --allow-deletes does', async () => {
  await hand.round()
  await game.query('delete from nations where id <= $1', [n(4)])
  await hand.round()
  const restarted = async (allowsDeletes: boolean) => {
    const next = await manualPuller(game, clientOf(chancery), { allowsDeletes, retryMs: 0 })
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
  await hand.round()
  await game.query('create table backup as select * from nations; delete from nations')
  const next = await manualPuller(game, clientOf(chancery), { retryMs: 0 })
  try {
    await next.round()
    await game.query('insert into nations select * from backup')
    await next.round()
    await next.round()
    assert.deepEqual(next.messages, [lacks(30, 30), 'resolved: chancery_out.nation lacks rows'])
    await game.query('delete from nations where id = $1', [n(1)])
    assert.equal((await next.round())?.views.nation?.deleted, 1)
  } finally {
    await next.close()
  }
})

test('a view that lacks at most a tenth is pulled, with its deletions', async () => {
  await hand.round()
  await game.query('delete from nations where id <= $1', [n(3)])
  assert.equal((await hand.round())?.views.nation?.deleted, 3)
})

test('a new puller that finds an empty view does not delete the world', async () => {
  await hand.round()
  await game.query('delete from nations')
  const next = await manualPuller(game, clientOf(chancery))
  try {
    await next.round()
    assert.deepEqual(next.messages, [lacks(30, 30)])
    assert.equal(await statusOf(`/nations/${n(1)}`), 200)
    assert.equal(await statusOf(`/nations/${n(30)}`), 200)
  } finally {
    await next.close()
  }
})

test('--allow-deletes holds for one round only', async () => {
  await hand.round()
  await game.query('delete from nations where id <= $1', [n(10)])
  await hand.round()
  assert.deepEqual(hand.messages, [lacks(10, 30)])
})

test('all views are read in one snapshot, despite concurrent writes', async () => {
  const reader = new ViewReader(hand.db, contract, 'chancery_out')
  await reader.inSnapshot(async () => {
    const nations = await reader.read('nation')
    await game.query('insert into nations (id, name) values ($1, $2)', [n(40), 'Late'])
    await game.query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [n(500), n(40), n(1)])
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
  const feed = `new-${start}`
  for (const rounds of [2, 1]) {
    const next = await manualPuller(game, recording, { allowsDeletes: true, feed })
    for (let round = 0; round < rounds; round += 1) {
      await game.query('update nations set motto = $1', [`${commits.length}`])
      await next.round()
    }
    await next.close()
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
  const feed = `back-${start}`
  const watchful = await manualPuller(game, clientOf(chancery), { allowsDeletes: true, retryMs: 0, feed })
  try {
    await watchful.round()
    assert.equal(await watchful.round(), undefined)
    await withConnection(chancery.databaseUrl, async client => {
      await client.query("update chancery_secret.feed set last_batch = 'an-older-one' where name = $1", [
        feed,
      ])
    })
    await assert.rejects(watchful.round(), { name: 'StaleFeedError' })
    assert.equal((await watchful.round())?.views.nation?.is_whole, true)
  } finally {
    await watchful.close()
  }
})
