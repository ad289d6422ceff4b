import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { contractFor } from '@chancery/contract'
import { startTestServer, type TestServer } from '../../server/test/support/test-server.ts'
import { until } from '../../server/test/support/until.ts'
import type { Door } from '../src/door.ts'
import { ConnectError, ServiceAway } from '../src/errors.ts'
import { checkViews } from '../src/pull/check-views.ts'
import type { RoundReport } from '../src/pull/round-report.ts'
import { type RunPullOptions, runPull } from '../src/pull/run-pull.ts'
import { contract, doorOf } from './door.ts'
import { createSmallGame, type Game, handPuller } from './game.ts'

let chancery: TestServer
let game: Game
before(async () => {
  chancery = await startTestServer()
})
after(() => chancery.close())

let start = 0
beforeEach(async () => {
  start += 1000
  game = await createSmallGame(chancery.databaseUrl, { start, nations: 30 })
})
afterEach(() => game.drop())

const n = (index: number) => String(start + index)
const mottoOf = async (index: number) =>
  (await chancery.read<{ data: { motto: string | null } }>(`/nations/${n(index)}`)).data.motto
const setMotto = (index: number, motto: string) =>
  game.query('update nations set motto = $2 where id = $1', [n(index), motto])

/** A puller that runs in this process until it is ended. */
function running(options: Partial<RunPullOptions> = {}) {
  const ending = new AbortController()
  const said: string[] = []
  const rounds: RoundReport[] = []
  const done = runPull({
    url: game.url,
    contract,
    door: doorOf(chancery),
    schema: 'chancery_out',
    feed: 'pull',
    allowsDeletes: true,
    isOnce: false,
    pacing: { everyMs: 10, backOffMs: [5, 20], standbyMs: 10, silentMs: 60_000 },
    signal: ending.signal,
    say: message => void said.push(message),
    report: round => void rounds.push(round),
    ...options,
  })
  done.catch(() => {})
  return {
    said,
    rounds,
    done,
    async end() {
      ending.abort()
      await done
    },
  }
}

test('of two pullers one waits and says so, and takes over when the first goes', async () => {
  const first = running()
  await until(() => first.rounds.length > 0, 'the first has told all')
  const second = running()
  await until(() => second.said.length > 0, 'the second says that it waits')
  await setMotto(1, 'one')
  await until(async () => (await mottoOf(1)) === 'one', 'the first goes on')
  assert.deepEqual(second.rounds, [])
  await first.end()
  await setMotto(1, 'two')
  await until(async () => (await mottoOf(1)) === 'two', 'the second has taken over')
  assert.deepEqual(second.said, [
    'another pull is at work on this database: waiting until it goes',
    'the other pull has gone: going on in its place',
  ])
  await second.end()
})

test('a puller that is to look once does not wait for another', async () => {
  const first = running()
  await until(() => first.rounds.length > 0, 'the first has told all')
  await assert.rejects(running({ isOnce: true }).done, {
    name: 'ConnectError',
    message: 'another pull is at work on this database: stop it first',
  })
  await first.end()
})

test('a puller that was stopped in the middle of a round cannot turn back time when it wakes', async () => {
  const asleep = await handPuller(game, doorOf(chancery), { allowsDeletes: true })
  await asleep.round()
  await setMotto(1, 'old')
  // It has looked, and is stopped before it speaks.
  const gate = Promise.withResolvers<void>()
  const looked = Promise.withResolvers<void>()
  const door = doorOf(chancery)
  const slow: Door = {
    ...door,
    async *send(facts, options) {
      looked.resolve()
      await gate.promise
      yield* door.send(facts, options)
    },
  }
  const stopped = await handPuller(game, slow)
  const late = stopped.round()
  await looked.promise
  await setMotto(1, 'new')
  const other = await handPuller(game, door)
  await other.round()
  assert.equal(await mottoOf(1), 'new')
  gate.resolve()
  await assert.rejects(late, { name: 'Overtaken' })
  assert.equal(await mottoOf(1), 'new')
  for (const hand of [asleep, stopped, other]) await hand.close()
})

test('a service that is away is one line, and its return another; nothing is lost', async () => {
  let isAway = false
  const door = doorOf(chancery)
  const away: Door = {
    async *send(facts, options) {
      if (isAway) throw new ServiceAway('no Chancery answers')
      yield* door.send(facts, options)
    },
    async call(method, path) {
      if (isAway) throw new ServiceAway('no Chancery answers')
      return door.call(method, path)
    },
  }
  const puller = running({ door: away })
  await until(() => puller.rounds.length > 0, 'all is told')
  isAway = true
  await setMotto(1, 'meanwhile')
  await until(() => puller.said.length > 0, 'it is said')
  await sleep(100)
  isAway = false
  await until(async () => (await mottoOf(1)) === 'meanwhile', 'it is told')
  await until(() => puller.said.length > 1, 'its return is said')
  assert.deepEqual(puller.said, [
    'no Chancery answers; trying again until it answers',
    'the service answers again: going on',
  ])
  assert.equal(puller.rounds.at(-1)?.views.nation?.is_whole, true)
  await puller.end()
})

test('a batch whose answer is lost is told in whole again, and no event is doubled', async () => {
  let isDeaf = true
  const door = doorOf(chancery)
  const puller = running({
    door: {
      ...door,
      async *send(facts, options) {
        for await (const outcome of door.send(facts, options)) {
          if (isDeaf) {
            isDeaf = false
            throw new ServiceAway('the connection was cut')
          }
          yield outcome
        }
      },
    },
  })
  await until(() => puller.rounds.length > 0, 'all is told')
  assert.equal(puller.rounds[0]?.events, 0)
  const { data } = await chancery.read<{ data: { type: string }[] }>(`/events?nation_id=${n(1)}`)
  assert.deepEqual(
    data.map(({ type }) => type),
    ['nation.founded'],
  )
  await puller.end()
})

test("a game's database that ends the connection is entered again", async () => {
  const puller = running()
  await until(() => puller.rounds.length > 0, 'all is told')
  await game.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'chancery pull'",
  )
  await setMotto(1, 'after')
  await until(async () => (await mottoOf(1)) === 'after', 'it is told')
  await until(() => puller.said.length > 1, 'its return is said')
  assert.match(puller.said[0] ?? '', /^the game's database is away \(.*\); trying again until it answers$/)
  assert.deepEqual(puller.said.slice(1), ["the game's database answers again: going on"])
  await puller.end()
})

test('another sender of the feed is told of, and the puller begins anew', async () => {
  const puller = running()
  await until(() => puller.rounds.length > 0, 'all is told')
  const { last_batch: after } = (await (await chancery.operate('GET', '/feeds/pull')).json()) as {
    last_batch: string
  }
  await chancery.operate(
    'POST',
    '/facts',
    {
      facts: [{ op: 'put', resource: 'nation', data: { id: n(2), motto: 'by another' } }],
      feed: { name: 'pull', after },
    },
    { 'idempotency-key': `another-${start}` },
  )
  await setMotto(1, 'after')
  await until(async () => (await mottoOf(1)) === 'after', 'it is told')
  await until(() => puller.said.length > 0, 'it is said')
  assert.deepEqual(puller.said, ['overtaken: another sender of this feed was faster; beginning anew'])
  assert.equal(await mottoOf(2), null)
  await puller.end()
})

test('a wrong password or database ends the pull with one line', async () => {
  const url = new URL(game.url)
  url.pathname = '/no_such_database'
  await assert.rejects(running({ url: url.href }).done, (err: unknown) => {
    assert.ok(err instanceof ConnectError)
    return /lets nobody in: .* Check CHANCERY_GAME_DATABASE_URL$/.test(err.message)
  })
})

test('what the clock of the game says moves nothing: rows are told when they change', async () => {
  const puller = running()
  await until(() => puller.rounds.length > 0, 'all is told')
  await game.query("update nations set born = '2091-01-01 00:00+00', motto = 'from tomorrow' where id = $1", [
    n(1),
  ])
  await until(async () => (await mottoOf(1)) === 'from tomorrow', 'it is told')
  await game.query("update nations set born = '1801-01-01 00:00+00', motto = 'from long ago' where id = $1", [
    n(1),
  ])
  await until(async () => (await mottoOf(1)) === 'from long ago', 'it is told')
  await puller.end()
})

test('a puller with another profile than the service says so once, and one with the same says nothing', async () => {
  const profile = structuredClone(contract.profile)
  for (const unit of profile.units) unit.label += ' of another game'
  const other = contractFor(profile)
  const puller = running({ contract: other })
  await until(() => puller.rounds.length > 0, 'it has told all')
  await setMotto(1, 'again')
  await until(() => puller.rounds.length > 1, 'it goes on')
  await puller.end()
  assert.equal(puller.said.length, 1)
  assert.match(puller.said[0] ?? '', /^the service runs with another game profile than this one/)
  const ends = {
    url: game.url,
    door: doorOf(chancery),
    schema: 'chancery_out',
    feed: 'pull',
    keeps: new Set<never>(),
  }
  const found = await checkViews({ ...ends, contract: other, allowsDeletes: true })
  assert.deepEqual(found.complaints, puller.said)

  const same = running({ isOnce: true, contract: contractFor(JSON.parse(JSON.stringify(contract.profile))) })
  await same.done
  assert.deepEqual(same.said, [])
})
