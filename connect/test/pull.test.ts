import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type { OperatorRole } from '@chancery/contract'
import { makeToken } from '../../server/test/operator/tokens.ts'
import { withConnection } from '../../server/test/support/database-url.ts'
import { startTestServer, type TestServer } from '../../server/test/support/test-server.ts'
import type { Door } from '../src/door.ts'
import { checkViews } from '../src/pull/check-views.ts'
import { ViewReader } from '../src/pull/read-views.ts'
import { contract, doorOf } from './door.ts'
import { createSmallGame, type Game, type HandPuller, handPuller } from './game.ts'

let chancery: TestServer
let game: Game
let hand: HandPuller
before(async () => {
  chancery = await startTestServer()
})
after(() => chancery.close())

/** Each test has a game and a feed of its own; ids do not meet. */
let start = 0
beforeEach(async () => {
  start += 1000
  game = await createSmallGame(chancery.databaseUrl, { start, nations: 30 })
  hand = await handPuller(game, doorOf(chancery), { allowsDeletes: true })
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

test('the first round tells all, and one without changes says nothing', async () => {
  const told = await hand.round()
  assert.equal(told?.views.nation?.new, 30)
  assert.equal(told?.views.nation?.is_whole, true)
  assert.equal((await read(`/nations/${n(7)}`)).nation_name, 'Nation 7')
  assert.equal((await read(`/nations/${n(7)}`)).founded_at, '2026-01-01T00:00:00Z')
  assert.equal(await hand.round(), undefined)
})

test('rows that a game clears away stay in the world where that is wanted, also after a start', async () => {
  const keeping = () =>
    handPuller(game, doorOf(chancery), { allowsDeletes: true, keeps: new Set(['war'] as const) })
  await hand.close()
  hand = await keeping()
  await game.query(
    'insert into wars (id, attacker, defender) select $1 + i, $2, $3 from generate_series(1, 9) i',
    [start + 500, n(3), n(4)],
  )
  await hand.round()
  await game.query('delete from wars')
  assert.equal(await hand.round(), undefined, 'nothing is told of what was cleared away')
  await game.query('delete from nations where id = $1', [n(9)])
  assert.equal((await hand.round())?.views.nation?.deleted, 1, 'other rows that go are deletions')
  await hand.close()
  hand = await keeping()
  await game.query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [n(600), n(5), n(6)])
  await hand.round()
  for (const war of [501, 509, 600]) assert.equal(await statusOf(`/wars/${n(war)}`), 200)
})

test('rows that are new, changed and gone become facts, and what follows from them events', async () => {
  await hand.round()
  await game.query('insert into alliances values ($1, $2)', [n(900), 'Pact'])
  await game.query('insert into members values ($1, $2), ($3, $2)', [n(1), n(900), n(2)])
  await game.query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [n(500), n(3), n(4)])
  await game.query('update nations set motto = $2 where id = $1', [n(5), 'Homeward.'])
  const told = await hand.round()
  assert.deepEqual(
    Object.entries(told?.views ?? {}).map(([resource, view]) => [
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
  `chancery_out.nation lacks ${gone} of ${of === undefined ? '' : `${of} `}rows that were there: that is taken for a mistake, and their deletion is held back. If they are meant to go, stop this pull and run chancery pull --allow-deletes once`

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
  assert.deepEqual(hand.said, [lacks(4, 30)])
})

test('held-back deletions are reported again while they last, and once when they are over', async () => {
  await hand.close()
  hand = await handPuller(game, doorOf(chancery), { allowsDeletes: true, retryMs: 0 })
  await hand.round()
  await game.query('create table backup as select * from nations')
  await game.query('delete from nations where id <= $1', [n(4)])
  await hand.round()
  await hand.round()
  assert.deepEqual(hand.said, [lacks(4, 30), lacks(4, 30)])
  await game.query('insert into nations select * from backup on conflict do nothing')
  await hand.round()
  await hand.round()
  assert.deepEqual(hand.said.slice(2), ['over: chancery_out.nation lacks rows'])
})

test('after an outage, the deletions of one view are held back and the rest is sent', async () => {
  await game.query('insert into alliances (id, name) select $1 + i, i::text from generate_series(1, 9) i', [
    start,
  ])
  await hand.round()
  hand.puller.forget()
  await game.query('delete from nations where id <= $1', [n(4)])
  await game.query('delete from alliances where id = $1', [n(1)])
  await game.query('insert into nations (id, name) values ($1, $2)', [n(31), 'Nation 31'])
  const round = await hand.round()
  assert.equal(round?.views.nation?.held_back, 4)
  assert.deepEqual(hand.said, [lacks(4, 30)])
  const ids = [`/nations/${n(1)}`, `/nations/${n(31)}`, `/alliances/${n(1)}`]
  assert.deepEqual(await Promise.all(ids.map(statusOf)), [200, 200, 404])
})

test('a check with a token of any role that may send facts reports deletions that are held back', async () => {
  await hand.round()
  await game.query('delete from nations where id <= $1', [n(4)])
  const complaintsAs = async (role: OperatorRole) => {
    const { token } = await makeToken(chancery, [role])
    const ends = { url: game.url, contract, schema: 'chancery_out', feed: 'pull', allowsDeletes: false }
    const door = doorOf({ ...chancery, operatorToken: token })
    const { views, complaints } = await checkViews({ ...ends, door, keeps: new Set() })
    assert.equal(views.nation, 26)
    return complaints
  }
  assert.deepEqual(await complaintsAs('admin'), [lacks(4, 30)])
  assert.deepEqual(await complaintsAs('facts'), [lacks('an unknown number')])
})

test('a restart is no consent to deletions that are held back, --allow-deletes is', async () => {
  await hand.round()
  await game.query('delete from nations where id <= $1', [n(4)])
  await hand.round()
  const restarted = async (allowsDeletes: boolean) => {
    const next = await handPuller(game, doorOf(chancery), { allowsDeletes, retryMs: 0 })
    try {
      await next.round()
      await next.round()
      return [await statusOf(`/nations/${n(1)}`), new Set(next.said)]
    } finally {
      await next.close()
    }
  }
  assert.deepEqual(await restarted(false), [200, new Set([lacks(4, 30)])])
  assert.deepEqual(await restarted(false), [200, new Set([lacks(4, 30)])])
  assert.deepEqual(await restarted(true), [404, new Set()])
})

test('after a restart, rows that come back end what is held back', async () => {
  await hand.round()
  await game.query('create table backup as select * from nations; delete from nations')
  const next = await handPuller(game, doorOf(chancery), { retryMs: 0 })
  try {
    await next.round()
    await game.query('insert into nations select * from backup')
    await next.round()
    await next.round()
    assert.deepEqual(next.said, [lacks(30, 30), 'over: chancery_out.nation lacks rows'])
    await game.query('delete from nations where id = $1', [n(1)])
    assert.equal((await next.round())?.views.nation?.deleted, 1)
  } finally {
    await next.close()
  }
})

test('a view that lacks a tenth and no more goes on', async () => {
  await hand.round()
  await game.query('delete from nations where id <= $1', [n(3)])
  assert.equal((await hand.round())?.views.nation?.deleted, 3)
})

test('a new puller finds an empty view, and the service keeps its world', async () => {
  await hand.round()
  await game.query('delete from nations')
  const next = await handPuller(game, doorOf(chancery))
  try {
    await next.round()
    assert.deepEqual(next.said, [lacks(30, 30)])
    assert.equal(await statusOf(`/nations/${n(1)}`), 200)
    assert.equal(await statusOf(`/nations/${n(30)}`), 200)
  } finally {
    await next.close()
  }
})

test('what was allowed to go once is guarded again afterwards', async () => {
  await hand.round()
  await game.query('delete from nations where id <= $1', [n(10)])
  await hand.round()
  assert.deepEqual(hand.said, [lacks(10, 30)])
})

test('all views are read as they were at one moment, whatever is written meanwhile', async () => {
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

test('what is there when a game is connected is history; what follows, and what a later puller finds, is news', async () => {
  const commits: { announce?: boolean; feed: { after: string | null } }[] = []
  const door = doorOf(chancery)
  const heard: Door = {
    ...door,
    async *send(facts, options) {
      let text = ''
      for await (const part of facts) text += part
      commits.push(JSON.parse(text.trimEnd().split('\n').at(-1) ?? ''))
      yield* door.send(Readable.from([text]), options)
    },
  }
  const feed = `new-${start}`
  for (const rounds of [2, 1]) {
    const next = await handPuller(game, heard, { allowsDeletes: true, feed })
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

test('a service that has gone back to a backup is told all, though nothing changes any more', async () => {
  const feed = `back-${start}`
  const watchful = await handPuller(game, doorOf(chancery), { allowsDeletes: true, retryMs: 0, feed })
  try {
    await watchful.round()
    assert.equal(await watchful.round(), undefined)
    await withConnection(chancery.databaseUrl, async client => {
      await client.query("update chancery_secret.feed set last_batch = 'an-older-one' where name = $1", [
        feed,
      ])
    })
    await assert.rejects(watchful.round(), { name: 'Overtaken' })
    assert.equal((await watchful.round())?.views.nation?.is_whole, true)
  } finally {
    await watchful.close()
  }
})
