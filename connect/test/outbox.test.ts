import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { limits } from '@chancery/contract'
import { useTestServer } from '../../server/test/support/fixture.ts'
import { pluck } from '../../server/test/support/pluck.ts'
import { type GameDatabase, openGame } from '../src/game-database/postgres.ts'
import { type DrainedBatch, Drainer } from '../src/outbox/drainer.ts'
import { readOutboxStatus } from '../src/outbox/outbox-rows.ts'
import { outboxSql } from '../src/outbox-sql.ts'
import type { ServiceClient } from '../src/service-client.ts'
import { createGame, type Game } from './game.ts'
import { clientOf, contract } from './service-client.ts'

const chancery = useTestServer()
let game: Game
let db: GameDatabase

/** Each test has its own game, feed and ids. */
let start = 0
let feed: string
let drained: DrainedBatch[]
let drainer: Drainer
beforeEach(async () => {
  start += 1000
  feed = `outbox-${start}`
  game = await createGame(chancery.databaseUrl, await outboxSql())
  db = await openGame(game.url, { name: 'test', isReadOnly: false, idleTimeoutMs: 60_000 })
  drained = []
  drainer = drainerBy(clientOf(chancery))
})
afterEach(async () => {
  await db.close()
  await game.drop()
})

const drainerBy = (client: ServiceClient) =>
  new Drainer({ contract, client, feed, report: batch => void drained.push(batch) })
const n = (index: number) => String(start + index)
const nation = (index: number, more = '{}') =>
  `select chancery_out.put('nation', '{"id": ${n(index)}, "nation_name": "Nation ${index}"}'::jsonb || '${more}');`
const statuses = () => drained.map(({ status }) => status)
const waiting = async () => Number((await game.query('select count(*) from chancery_out.outbox'))[0]?.count)
const read = async (path: string) => (await chancery.read<{ data: Record<string, unknown> }>(path)).data
const statusOf = async (path: string) => (await chancery.get(path)).status

test('the facts of a transaction are one batch; a rollback removes them', async () => {
  await game.query(`begin; ${nation(1)} ${nation(2)} commit`)
  await game.query(`begin; ${nation(3)} rollback`)
  await game.query(nation(4))
  assert.deepEqual(await readOutboxStatus(db).then(({ rows, transactions }) => [rows, transactions]), [3, 2])
  assert.equal(await drainer.round(db), false)
  assert.deepEqual(
    drained.map(({ status, facts }) => [status, facts]),
    [
      ['applied', 2],
      ['applied', 1],
    ],
  )
  assert.equal(await waiting(), 0)
  assert.deepEqual(
    await Promise.all([1, 2, 3, 4].map(index => statusOf(`/nations/${n(index)}`))),
    [200, 200, 404, 200],
  )
  assert.deepEqual(await readOutboxStatus(db), { rows: 0, transactions: 0, oldest_seconds: null })
})

test('ids and times are written as the contract has them, whatever the zone of the session', async () => {
  await game.query(`set timezone = 'Asia/Kolkata'`)
  await game.query(`begin; ${nation(1)} ${nation(2)}
    select chancery_out.put('war', jsonb_build_object('id', ${n(9)}, 'attacker', jsonb_build_object('nation_id', ${n(1)}),
      'defender', jsonb_build_object('nation_id', ${n(2)}), 'declared_at', timestamptz '2026-05-20 12:00+02'));
    commit`)
  await drainer.round(db)
  assert.equal((await read(`/wars/${n(9)}`)).declared_at, '2026-05-20T10:00:00Z')
})

test('a name with a dot sets a member of an object, as in a view', async () => {
  await game.query(nation(1))
  await game.query(nation(2))
  await game.query(
    `select chancery_out.put('war', to_jsonb(v)) from (select ${n(9)} as id, ${n(1)} as "attacker.nation_id", ${n(2)} as "defender.nation_id",
       '2026-05-20 10:00Z'::timestamptz as declared_at) v`,
  )
  for (const twice of ['{"economy.credits": 1, "economy": {"credits": 2}}', '{"motto.x": 1, "motto": "y"}'])
    await game.query(nation(3, twice))
  await drainer.round(db)
  assert.equal(((await read(`/wars/${n(9)}`)).attacker as { nation_id: string }).nation_id, n(1))
  assert.deepEqual(
    drained.flatMap(({ refused }) => pluck(refused, 'path')),
    ['/data/economy.credits', '/data/motto.x'],
  )
})

test('transactions that commit in another order than they began are all sent, in the order of their commits', async () => {
  await game.query(nation(1))
  const [slow, fast] = [await game.session(), await game.session()]
  // The slow one writes its first row first; about the same nation it writes after the fast one has committed.
  await slow.query(`begin; ${nation(2)}`)
  await fast.query(`begin; ${nation(1, '{"motto": "fast"}')}`)
  await fast.query('commit')
  await drainer.round(db)
  assert.equal((await read(`/nations/${n(1)}`)).motto, 'fast')
  assert.equal(await statusOf(`/nations/${n(2)}`), 404)
  await slow.query(`${nation(1, '{"motto": "slow"}')} commit`)
  await drainer.round(db)
  assert.equal((await read(`/nations/${n(1)}`)).motto, 'slow')
  assert.equal(await statusOf(`/nations/${n(2)}`), 200)
  assert.equal(await waiting(), 0)
})

test('of two open transactions, the one that waited for a lock of the other comes after it', async () => {
  await game.query('create table locked (id int primary key); insert into locked values (1)')
  await game.query(nation(1))
  const [slow, fast] = [await game.session(), await game.session()]
  await slow.query(`begin; ${nation(2)}`)
  await fast.query(`begin; select from locked for update; ${nation(1, '{"motto": "fast"}')}`)
  const blocked = slow.query(`select from locked for update; ${nation(1, '{"motto": "slow"}')} commit`)
  await fast.query('commit')
  await blocked
  await drainer.round(db)
  assert.equal((await read(`/nations/${n(1)}`)).motto, 'slow')
})

test('a fact that is rejected is set aside, and stops neither its transaction nor later ones', async () => {
  for (const index of [1, 2])
    await game.query(nation(index, index === 2 ? '{"national_score": "many"}' : '{}'))
  await game.query(`begin; ${nation(3, '{"national_score": "many"}')} ${nation(4)} commit`)
  await game.query(nation(5))
  await drainer.round(db)
  assert.deepEqual(
    drained.map(({ status, facts, set_aside, refused }) => [
      status,
      facts,
      set_aside,
      refused.map(({ line }) => line),
    ]),
    [
      ['applied', 1, 0, []],
      ['applied', 1, 1, [1]],
      ['applied', 2, 1, [1]],
      ['applied', 1, 0, []],
    ],
  )
  assert.equal(await waiting(), 0)
  const kept = async () =>
    ((await (await chancery.operate('GET', `/refused?feed=${feed}`)).json()) as { data: object[] }).data
  assert.deepEqual(pluck((await kept()) as { is_set_aside: boolean }[], 'is_set_aside'), [true, true])
  assert.deepEqual(
    await Promise.all([1, 2, 3, 4, 5].map(index => statusOf(`/nations/${n(index)}`))),
    [200, 404, 404, 200, 200],
  )
  await game.query(`${nation(2, '{"national_score": 1}')} ${nation(3, '{"national_score": 1}')}`)
  await drainer.round(db)
  assert.deepEqual(await kept(), [])
})

test('a whole transaction is rejected where facts cannot be set aside, and does not stop later ones', async () => {
  await game.query(
    `begin; ${nation(1)} insert into chancery_out.outbox (fact) values ('{"op": "erase", "player": "p9"}'); ${nation(2, '{"national_score": "many"}')} commit`,
  )
  await game.query(nation(3))
  await drainer.round(db)
  assert.deepEqual(statuses(), ['refused', 'applied'])
  assert.equal(await statusOf(`/nations/${n(1)}`), 404)
  assert.equal(await waiting(), 0)
})

test('batches whose outcome was lost are applied once, and removed', async () => {
  const quake = (nation: string) => JSON.stringify({ disaster: 'earthquake', nation_id: nation, severity: 2 })
  for (const index of [1, 2, 3])
    await game.query("select chancery_out.event('game.disaster', now(), $1)", [quake(n(index))])
  const client = clientOf(chancery)
  const lossy = drainerBy({
    ...client,
    async *send(facts, options) {
      for await (const outcome of client.send(facts, options)) if (outcome.batch === null) yield outcome
    },
  })
  await assert.rejects(lossy.round(db), { name: 'ServiceUnavailableError' })
  assert.equal(await waiting(), 3)
  await drainer.round(db)
  assert.deepEqual(statuses(), ['duplicate', 'duplicate', 'duplicate'])
  assert.equal(await waiting(), 0)
  const { data } = await chancery.read<{ data: { data: { nation_id: string } }[] }>(
    '/events?type=game.disaster',
  )
  const ours = data.map(event => event.data.nation_id).filter(id => Number(id) > start)
  assert.deepEqual(ours.sort(), [n(1), n(2), n(3)])
})

test('after a restore of the game, sent transactions are applied once, and new ones too', async () => {
  await game.query(`${nation(1)} create table backup as select * from chancery_out.outbox`)
  await drainer.round(db)
  await game.query('insert into chancery_out.outbox overriding system value select * from backup')
  await drainer.round(db)
  // The sequence was restored too: the next row has a number that was there before.
  await game.query(
    `insert into chancery_out.outbox (id, txid, fact) overriding system value
     select id, txid, jsonb_set(fact, '{data, motto}', '"after"') from backup`,
  )
  await drainer.round(db)
  assert.deepEqual(statuses(), ['applied', 'duplicate', 'applied'])
  assert.equal((await read(`/nations/${n(1)}`)).motto, 'after')
})

test('a feed that another sender advanced is read again, and nothing is lost', async () => {
  await game.query(nation(1))
  await drainer.round(db)
  await chancery.operate(
    'POST',
    '/facts',
    { facts: [], feed: { name: feed, after: drained[0]?.batch } },
    { 'idempotency-key': `other-${feed}` },
  )
  await game.query(nation(2))
  await assert.rejects(drainer.round(db), { name: 'StaleFeedError' })
  await drainer.round(db)
  assert.equal(await statusOf(`/nations/${n(2)}`), 200)
})

test('a rejected transaction that is too large to be kept stops the drain with one line, and stays', async () => {
  await game.query(
    `insert into chancery_out.outbox (fact)
     select jsonb_build_object('op', 'put', 'resource', 'news_item', 'data', jsonb_build_object('id', 'x' || i, 'body', repeat('x', 50000)))
     from generate_series(1, $1) i`,
    [Math.ceil(limits.deadLetterBytesMax / 50_000) + 1],
  )
  await assert.rejects(drainer.round(db), {
    name: 'ConnectError',
    message: /rejected, and too large for the dead-letter store: \/data\//,
  })
  assert.ok((await waiting()) > 0)
})

test('a fact that is too long for a line stops the drain with one line, and stays', async () => {
  await game.query(
    `insert into chancery_out.outbox (fact)
     select jsonb_build_object('op', 'put', 'resource', 'news_item', 'data', jsonb_build_object('id', 'x', 'body', repeat('x', 1500000)))`,
  )
  await assert.rejects(drainer.round(db), {
    name: 'ConnectError',
    message: /too large for the dead-letter store: .*longer than 1048576 bytes/,
  })
  assert.equal(await waiting(), 1)
})

test('a fact that is nested too deep is rejected like others, and does not stop later ones', async () => {
  await game.query(
    `insert into chancery_out.outbox (fact) values (jsonb_build_object('op', 'put', 'resource', 'nation', 'data',
       jsonb_build_object('id', 'deep', 'attributes', (repeat('[', 5000) || repeat(']', 5000))::jsonb)))`,
  )
  await game.query(nation(1))
  await drainer.round(db)
  assert.deepEqual(statuses(), ['refused', 'applied'])
  assert.equal(await waiting(), 0)
})

test('invalid facts, commits, and updates of rows are rejected at the insert', async () => {
  for (const fact of ['[]', '"put"', '{}', '{"op": "commit", "batch": "x"}'])
    await assert.rejects(
      game.query('insert into chancery_out.outbox (fact) values ($1)', [fact]),
      /violates check constraint/,
    )
  await game.query(nation(1))
  await assert.rejects(
    game.query(`update chancery_out.outbox set fact = '{"op": "put"}'`),
    /cannot be changed/,
  )
})

test('a database without an outbox is reported, with the command to run', async () => {
  await game.query('drop schema chancery_out cascade')
  await assert.rejects(drainer.round(db), { name: 'ConnectError', message: /no outbox: chancery outbox sql/ })
})

test('the age of the backlog is by the clock of the game, and never negative', async () => {
  await game.query(
    `insert into chancery_out.outbox (fact, written_at) values ('{"op": "delete", "resource": "nation", "id": "x"}', now() + interval '5 years')`,
  )
  assert.equal((await readOutboxStatus(db)).oldest_seconds, 0)
  await game.query(
    `insert into chancery_out.outbox (fact, written_at) values ('{"op": "delete", "resource": "nation", "id": "x"}', now() - interval '1 hour')`,
  )
  const { oldest_seconds: age } = await readOutboxStatus(db)
  assert.ok(age !== null && age >= 3600 && age < 3700)
  await drainer.round(db)
  assert.equal(await waiting(), 0)
})
