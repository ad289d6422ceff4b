import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { contractFor, type operatorOperations, type ResponseOf } from '@chancery/contract'
import { readStatus } from '../../server/test/support/read-status.ts'
import { until } from '../../server/test/support/until.ts'
import { ConnectError, ServiceUnavailableError } from '../src/errors.ts'
import { checkViews } from '../src/pull/check-views.ts'
import { type RunPullOptions, runPull } from '../src/pull/puller.ts'
import type { RoundReport } from '../src/pull/round-result.ts'
import type { ServiceClient } from '../src/service-client.ts'
import { usePullFixture } from './fixture.ts'
import { clientOf, contract } from './service-client.ts'

const fixture = usePullFixture({ nations: 30 })
const { chancery, n, open, query, read } = fixture

type Sender = NonNullable<ResponseOf<typeof operatorOperations.statusGet>['senders']>[number]

const mottoOf = async (index: number) => (await read(`/nations/${n(index)}`)).motto
const setMotto = (index: number, motto: string) =>
  query('update nations set motto = $2 where id = $1', [n(index), motto])

/** A puller that runs in this process until it is ended. */
function running(options: Partial<RunPullOptions> = {}) {
  const ending = new AbortController()
  const messages: string[] = []
  const rounds: RoundReport[] = []
  const done = runPull({
    url: fixture.game.url,
    contract,
    client: clientOf(chancery),
    schema: 'chancery_out',
    feed: 'pull',
    allowsDeletes: true,
    isOnce: false,
    pacing: { everyMs: 10, backOffMs: [5, 20], standbyMs: 10, idleTimeoutMs: 60_000, heartbeatMs: 20 },
    signal: ending.signal,
    log: message => void messages.push(message),
    report: round => void rounds.push(round),
    ...options,
  })
  done.catch(() => {})
  return {
    messages,
    rounds,
    done,
    async end() {
      ending.abort()
      await done
    },
  }
}

test('a second puller reports that it waits, and takes over when the first stops', async () => {
  const first = running()
  await until(() => first.rounds.length > 0, 'the first has sent everything')
  const second = running()
  await until(() => second.messages.length > 0, 'the second logs that it waits')
  await setMotto(1, 'one')
  await until(async () => (await mottoOf(1)) === 'one', 'the first continues')
  assert.deepEqual(second.rounds, [])
  await first.end()
  await setMotto(1, 'two')
  await until(async () => (await mottoOf(1)) === 'two', 'the second has taken over')
  assert.deepEqual(second.messages, [
    'another pull is running on this database: waiting for it to stop',
    'the other pull has stopped: taking over',
  ])
  await second.end()
})

test('a puller with --once does not wait for another', async () => {
  const first = running()
  await until(() => first.rounds.length > 0, 'the first has sent everything')
  await assert.rejects(running({ isOnce: true }).done, {
    name: 'ConnectError',
    message: 'another pull is running on this database: stop it first',
  })
  await first.end()
})

test('the status has the heartbeat of the puller that runs, its waiting views and quarantined rows', async () => {
  const senders = async () => (await readStatus<{ senders: Sender[] }>(chancery)).senders
  const sender = async () => (await senders()).find(({ feed }) => feed === 'beating')
  const first = running({ feed: 'beating' })
  await until(async () => {
    const now = await sender()
    return now?.rows === 30 && now.read_at !== null
  }, 'its rows are in the status')
  const { read_at, heartbeat_at, heartbeat_age_seconds, read_age_seconds, ...rest } =
    (await sender()) as Sender
  assert.deepEqual(rest, {
    feed: 'beating',
    sender: 'chancery pull',
    next_within_seconds: 60,
    error: null,
    rows: 30,
    set_aside: 0,
    waiting_views: [],
    is_overdue: false,
  })
  assert.ok(read_age_seconds !== null && heartbeat_age_seconds < 60)
  // The standby does not speak for the one that runs.
  const second = running({ feed: 'beating' })
  await until(() => second.messages.length > 0, 'the second waits')
  await query(`update nations set name = '' where id = $1`, [n(1)])
  await query('delete from nations where id <> $1', [n(1)])
  await until(async () => {
    const now = await sender()
    return now?.set_aside === 1 && now.waiting_views.length === 1
  }, 'the row and the view are in the status')
  assert.match((await sender())?.waiting_views[0]?.reason ?? '', /^chancery_out\.nation lacks 29 of 30 rows/)
  await query('alter view chancery_out.nation rename column nation_name to other')
  // The second takes over, and fails as well.
  for (const { done } of [first, second]) await done.catch(() => undefined)
  assert.match((await sender())?.error ?? '', /the column other is not a field/)
})

test('heartbeats that fail do not disturb the pull, and one that runs once is never overdue', async () => {
  const client = clientOf(chancery)
  const rejecting: ServiceClient = {
    ...client,
    call: (operation, ...request) =>
      operation.id === 'feeds.heartbeat'
        ? Promise.reject(new Error('rejected'))
        : client.call(operation, ...request),
  }
  const once = running({ isOnce: true, feed: 'rejected', client: rejecting })
  await once.done
  assert.equal(once.rounds.length, 1)
  const accepted = running({ isOnce: true, feed: 'once' })
  await accepted.done
  const { senders } = await readStatus<{ senders: Sender[] }>(chancery)
  assert.deepEqual(
    senders
      .filter(({ feed }) => ['rejected', 'once'].includes(feed))
      .map(({ feed, next_within_seconds, rows }) => [feed, next_within_seconds, rows]),
    [['once', null, 30]],
  )
})

test('a puller that was suspended in the middle of a round cannot apply stale state when it resumes', async () => {
  const first = await open({ allowsDeletes: true })
  await first.round()
  await setMotto(1, 'old')
  // It has read the views, and is suspended before it sends.
  const gate = Promise.withResolvers<void>()
  const hasRead = Promise.withResolvers<void>()
  const client = clientOf(chancery)
  const slow: ServiceClient = {
    ...client,
    async *send(facts, options) {
      hasRead.resolve()
      await gate.promise
      yield* client.send(facts, options)
    },
  }
  const stopped = await open({}, slow)
  const late = stopped.round()
  await hasRead.promise
  await setMotto(1, 'new')
  const other = await open({}, client)
  await other.round()
  assert.equal(await mottoOf(1), 'new')
  gate.resolve()
  await assert.rejects(late, { name: 'StaleFeedError' })
  assert.equal(await mottoOf(1), 'new')
})

test('an outage of the service is one line, its end another, and nothing is lost', async () => {
  let isUnavailable = false
  const client = clientOf(chancery)
  const unavailable: ServiceClient = {
    async *send(facts, options) {
      if (isUnavailable) throw new ServiceUnavailableError('the service is not reachable')
      yield* client.send(facts, options)
    },
    async call(operation, ...request) {
      if (isUnavailable) throw new ServiceUnavailableError('the service is not reachable')
      return client.call(operation, ...request)
    },
  }
  const puller = running({ client: unavailable })
  await until(() => puller.rounds.length > 0, 'everything is sent')
  isUnavailable = true
  await setMotto(1, 'meanwhile')
  await until(() => puller.messages.length > 0, 'it is logged')
  await sleep(100)
  isUnavailable = false
  await until(async () => (await mottoOf(1)) === 'meanwhile', 'it is sent')
  await until(() => puller.messages.length > 1, 'the recovery is logged')
  assert.deepEqual(puller.messages, [
    'the service is not reachable; retrying',
    'the service is available again',
  ])
  assert.equal(puller.rounds.at(-1)?.views.nation?.is_whole, true)
  await puller.end()
})

test('a batch whose outcome is lost is sent again as a snapshot, without duplicate events', async () => {
  let losesOutcome = true
  const client = clientOf(chancery)
  const puller = running({
    client: {
      ...client,
      async *send(facts, options) {
        for await (const outcome of client.send(facts, options)) {
          if (losesOutcome) {
            losesOutcome = false
            throw new ServiceUnavailableError('the connection was cut')
          }
          yield outcome
        }
      },
    },
  })
  await until(() => puller.rounds.length > 0, 'everything is sent')
  assert.equal(puller.rounds[0]?.events, 0)
  const { data } = await chancery.read<{ data: { type: string }[] }>(`/events?nation_id=${n(1)}`)
  assert.deepEqual(
    data.map(({ type }) => type),
    ['nation.founded'],
  )
  await puller.end()
})

test("a lost connection to the game's database is opened again", async () => {
  const puller = running()
  await until(() => puller.rounds.length > 0, 'everything is sent')
  await query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'chancery pull'",
  )
  await setMotto(1, 'after')
  await until(async () => (await mottoOf(1)) === 'after', 'it is sent')
  await until(() => puller.messages.length > 1, 'the recovery is logged')
  assert.match(puller.messages[0] ?? '', /^the game's database is unavailable \(.*\); retrying$/)
  assert.deepEqual(puller.messages.slice(1), ["the game's database is available again"])
  await puller.end()
})

test('another sender of the feed is reported, and the puller sends everything again', async () => {
  const puller = running()
  await until(() => puller.rounds.length > 0, 'everything is sent')
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
    { 'idempotency-key': `another-${fixture.start}` },
  )
  await setMotto(1, 'after')
  await until(async () => (await mottoOf(1)) === 'after', 'it is sent')
  await until(() => puller.messages.length > 0, 'it is logged')
  assert.deepEqual(puller.messages, ['another sender has advanced this feed; sending everything again'])
  assert.equal(await mottoOf(2), null)
  await puller.end()
})

test('a wrong password or database ends the pull with one line', async () => {
  const url = new URL(fixture.game.url)
  url.pathname = '/no_such_database'
  await assert.rejects(running({ url: url.href }).done, (err: unknown) => {
    assert.ok(err instanceof ConnectError)
    return /cannot log in to the game's database: .* Check CHANCERY_GAME_DATABASE_URL$/.test(err.message)
  })
})

test('the clock of the game has no effect: rows are sent when they change', async () => {
  const puller = running()
  await until(() => puller.rounds.length > 0, 'everything is sent')
  await query("update nations set born = '2091-01-01 00:00+00', motto = 'from tomorrow' where id = $1", [
    n(1),
  ])
  await until(async () => (await mottoOf(1)) === 'from tomorrow', 'it is sent')
  await query("update nations set born = '1801-01-01 00:00+00', motto = 'from long ago' where id = $1", [
    n(1),
  ])
  await until(async () => (await mottoOf(1)) === 'from long ago', 'it is sent')
  await puller.end()
})

test('a puller with another profile than the service reports it once, and one with the same does not', async () => {
  const profile = structuredClone(contract.profile)
  for (const unit of profile.units) unit.label += ' of another game'
  const other = contractFor(profile)
  const puller = running({ contract: other })
  await until(() => puller.rounds.length > 0, 'it has sent everything')
  await setMotto(1, 'again')
  await until(() => puller.rounds.length > 1, 'it continues')
  await puller.end()
  assert.equal(puller.messages.length, 1)
  assert.match(puller.messages[0] ?? '', /^the service runs with another game profile than this one/)
  const ends = {
    url: fixture.game.url,
    client: clientOf(chancery),
    schema: 'chancery_out',
    feed: 'pull',
    keptResources: new Set<never>(),
  }
  const found = await checkViews({ ...ends, contract: other, allowsDeletes: true })
  assert.deepEqual(found.warnings, puller.messages)

  const same = running({ isOnce: true, contract: contractFor(JSON.parse(JSON.stringify(contract.profile))) })
  await same.done
  assert.deepEqual(same.messages, [])
})
