import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { contractFor, demoProfile, webhooks } from '@chancery/contract'
import { createWorld, linesOf } from '@chancery/simulator'
import fc from 'fast-check'
import { type DeletedBlock, type EventsKept, retainEvents } from '../../src/events/retention.ts'
import { storedUses } from '../../src/profile/stored-uses.ts'
import type { DatabasePool } from '../../src/store/database.ts'
import { nation, put } from '../ingest/facts.ts'
import { createTestDatabase } from '../support/database.ts'
import { prepare, useFixture, useTestServer } from '../support/fixture.ts'
import { createTestPools } from '../support/pools.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { assertPages, type Event, type LoggedEvent, readEvents, readLog } from './log-model.ts'
import { openStream } from './stream-reader.ts'

const contract = contractFor(demoProfile)

const usePools = (server: { databaseUrl: string }) =>
  useFixture(async () => createTestPools({ connectionString: server.databaseUrl }))

interface Retained {
  dir: string
  deleted: DeletedBlock[]
  run(kept: EventsKept, archiveDir?: string): Promise<void>
}

const useRetention = (chancery: TestServer, pool: () => DatabasePool): Retained =>
  useFixture(
    async () => {
      const dir = await mkdtemp(join(tmpdir(), 'chancery-events-'))
      const deleted: DeletedBlock[] = []
      const onDeleted = (block: DeletedBlock) => void deleted.push(block)
      return {
        dir,
        deleted,
        async run(kept: EventsKept, archiveDir = join(dir, 'archive')) {
          const { signal } = new AbortController()
          await retainEvents({ pool: pool(), contract, kept, archiveDir, onDeleted, signal, blockLength: 40 })
          const [world] = await chancery.query<{ version: number }>(
            'select world_version::float8 as version from chancery_world.pulse',
          )
          const status = async () =>
            (await (await chancery.operate('GET', '/status')).json()) as { world_version: number }
          await until(
            async () => (await status()).world_version >= (world?.version ?? 0),
            'the process knows it',
          )
        },
      }
    },
    ({ dir }) => rm(dir, { recursive: true }),
  )

const linesOfFile = async (file: string) =>
  gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split('\n')

describe('events that are no longer kept', () => {
  const chancery = useTestServer()
  const pools = usePools(chancery)
  const retention = useRetention(chancery, () => pools.ingest)
  const setAge = (days: number, after: number, last: number) =>
    chancery.query(`
      update chancery_world.event_log_span set logged_at = (current_date - ${days})::timestamptz
      where first_seq > ${after} and last_seq <= ${last}`)
  const passAnHour = (hours = 1) =>
    chancery.query(`
      update chancery_world.pulse set events_expired_at = events_expired_at - interval '${hours} hours'`)
  const stored = () =>
    chancery.query<{ events: number; first: number }>(`
      select count(*)::int as events, min(seq)::int as first from chancery_world.event
      union all select count(distinct seq)::int, min(seq)::int from chancery_world.event_nation
      union all select null, min(seq)::int from chancery_world.event_alliance`)
  let log: LoggedEvent[]
  let events: Event[]
  let first: number

  prepare(async () => {
    const world = createWorld({ nations: 40, days: 25, seed: 5, endsAt: '2026-05-27T18:00:00Z' })
    await chancery.send([...world.history()].map(linesOf).join(''))
    log = await readLog(chancery.databaseUrl)
    events = await readEvents(chancery)
    const [middle] = await chancery.query<{ last_seq: string }>(`
      select last_seq from chancery_world.event_log_span where last_seq >= ${log.length / 2} order by last_seq limit 1`)
    first = Number(middle?.last_seq) + 1
  })

  test('are not returned, and positions before them have expired', async () => {
    await setAge(60, 0, first - 1)
    await retention.run({ days: 60 })
    assert.equal((await readEvents(chancery)).length, log.length, 'days are whole')
    await setAge(61, 0, first - 1)
    await retention.run({ days: 60 })

    const kept = (await readLog(chancery.databaseUrl)).filter(({ seq }) => seq >= first)
    assert.deepEqual(await readEvents(chancery), events.slice(first - 1))
    const after = fc.oneof(
      fc.constant(undefined),
      fc.nat({ max: log.length + 2 }),
      fc.constantFrom(first - 2, first - 1, first),
    )
    const bounds = { last: log.length, isLost: (seq: number) => seq !== 0 && seq < first - 1 }
    const types = ['war.*', 'nation.founded', 'battle.fought', 'alliance.*']
    await assertPages(chancery, kept, { types, after, bounds, numRuns: randomRuns(400) })
    const stream = await openStream(`${chancery.url}/api/v1/events/stream?after=${first - 2}`)
    assert.equal(stream.status, 410)
    const backlog = await openStream(`${chancery.url}/api/v1/events/stream?after=0`)
    await backlog.until(({ id }) => id === log.length)
    assert.equal(backlog.seqs()[0], first)
    backlog.close()
  })

  test('prevent no change of the game profile', async () => {
    const expired = new Set(log.slice(0, first - 1).map(event => event.type))
    const type = log.slice(first - 1).find(event => expired.has(event.type))?.type ?? ''
    const change = { path: `event_kinds.${type}`, part: 'event_kinds', key: type, kind: 'removed' } as const
    const [use] = await storedUses(pools.ingest, change, demoProfile)
    assert.equal(use?.count, log.slice(first - 1).filter(event => event.type === type).length)
  })

  test('stay in the database when the service closes', async () => {
    const { ingest: pool } = pools
    const signal = AbortSignal.abort()
    const options = { pool, contract, kept: { days: 60 }, archiveDir: undefined, onDeleted: () => {}, signal }
    await passAnHour()
    await assert.rejects(retainEvents(options), { name: 'AbortError' })
    await passAnHour(-1)
    assert.equal((await stored())[0]?.first, 1)
  })

  test('stay in the database if they cannot be archived', async () => {
    const file = join(retention.dir, 'file')
    await writeFile(file, '')
    await retention.run({ days: 60 })
    assert.equal((await stored())[0]?.first, 1, 'they expired less than an hour ago')
    await passAnHour()
    await assert.rejects(retention.run({ days: 60 }, file), { code: 'EEXIST' })
    assert.equal((await stored())[0]?.first, 1)
  })

  test('are archived and deleted, while the log is read', async () => {
    const statuses: number[] = []
    let isRunning = true
    const reading = [1, 2, 3].map(async limit => {
      while (isRunning)
        statuses.push(
          (await chancery.get(`/events?type=war.*&limit=${limit}&page=${statuses.length + 1}`)).status,
        )
    })
    await retention.run({ days: 60 })
    isRunning = false
    await Promise.all(reading)
    assert.ok(statuses.length > 0 && statuses.every(status => status === 200), `${statuses}`)

    const files = (await readdir(join(retention.dir, 'archive'))).toSorted(
      (one, other) => Number(one.split('-')[1]) - Number(other.split('-')[1]),
    )
    const archived = await Promise.all(files.map(file => linesOfFile(join(retention.dir, 'archive', file))))
    assert.deepEqual(
      archived.flat().map(line => JSON.parse(line)),
      events.slice(0, first - 1),
    )
    const lengths = archived.map(({ length }) => length)
    assert.ok(lengths.length > 2 && lengths.slice(0, -1).every(length => length === 40), `${lengths}`)
    assert.deepEqual(
      retention.deleted.map(({ rows }) => rows),
      lengths,
    )
    const about = (ids: 'nation_ids' | 'alliance_ids') =>
      events.slice(first - 1).filter(event => event[ids].length > 0)
    assert.deepEqual(await stored(), [
      { events: log.length - first + 1, first },
      { events: about('nation_ids').length, first: about('nation_ids')[0]?.seq },
      { events: null, first: about('alliance_ids')[0]?.seq },
    ])
    assert.deepEqual(await readEvents(chancery), events.slice(first - 1))
  })

  test('end their deliveries', async () => {
    await chancery.query(`
      insert into chancery_outbound.endpoint (id, player_id, url, description, status, created_at, secret, secret_created_at)
      values ('whk_0', 'p0', 'https://receiver.example', '', 'active', now(), 'secret', now());
      insert into chancery_outbound.delivery (endpoint_id, seq, state, due_at, created_at) values ('whk_0', 1, 'pending', now(), now())`)
    const list = async () =>
      (await (await chancery.operate('GET', '/webhooks/whk_0/deliveries')).json()) as {
        data: { type: string; state: string }[]
      }
    await until(async () => (await list()).data[0]?.state === 'failed', 'it has failed')
    assert.equal((await list()).data[0]?.type, webhooks.expiredType)
  })

  test('may be all, and the log continues', async () => {
    await setAge(90, 0, log.length)
    await retention.run({ days: 60 })
    await passAnHour()
    await retention.run({ days: 60 })
    assert.equal((await stored())[0]?.events, 0)
    const { data } = await chancery.read<{ data: Event[] }>('/events')
    assert.deepEqual(data, [])
    assert.equal((await chancery.get(`/events?after=${log.length}`)).status, 200)
    assert.equal((await chancery.get(`/events?after=${log.length - 1}`)).status, 410)
    const { last_seq } = await chancery.ingest([nation('after-all')])
    const next = await chancery.read<{ data: Event[] }>(`/events?after=${log.length}`)
    assert.deepEqual(
      next.data.map(({ seq }) => seq),
      [last_seq],
    )
  })
})

test('a service with CHANCERY_EVENTS_KEEP lets events expire at its start, and archives and deletes them later', async t => {
  const database = await createTestDatabase()
  t.after(() => database.drop())
  const start = (keep: string) =>
    startTestServer({ CHANCERY_EVENTS_KEEP: keep }, { databaseUrl: database.url })
  const firstSeq = async (server: TestServer) =>
    (await server.read<{ data: Event[] }>('/events?after=0&limit=1')).data[0]?.seq

  const all = await start('')
  await all.ingest([nation('n1')])
  await all.ingest([nation('n2')])
  await all.query(
    `update chancery_world.event_log_span set logged_at = now() - interval '40 days' where first_seq = 1`,
  )
  assert.equal(await firstSeq(all), 1)
  await all.close()

  const keeping = await start('30 days')
  await until(async () => (await firstSeq(keeping)) !== 1, 'the first event has expired')
  await keeping.query(`update chancery_world.pulse set events_expired_at = now() - interval '2 hours'`)
  await keeping.close()

  const later = await start('30 days')
  t.after(() => later.close())
  const archive = join(later.dataDir, 'events')
  const files = () =>
    readdir(archive).then(
      names => names.filter(name => name.endsWith('.gz')),
      () => [],
    )
  await until(async () => (await files()).length === 1, 'the archive is written')
  await until(
    async () => (await later.query('select from chancery_world.event where seq = 1')).length === 0,
    'the event is deleted',
  )
  assert.deepEqual(
    (await linesOfFile(join(archive, (await files())[0] ?? ''))).map(line => JSON.parse(line).seq),
    [1],
  )
})

describe('the latest eras', () => {
  const chancery = useTestServer()
  const pools = usePools(chancery)
  const retention = useRetention(chancery, () => pools.ingest)
  const era = (number: number) =>
    put('era', {
      id: `era-${number}`,
      number,
      name: `Era ${number}`,
      status: 'active',
      started_at: `2026-0${number}-01T00:00:00Z`,
    })
  const firstSeq = async () => {
    const { data } = await chancery.read<{ data: Event[] }>('/events?after=0&limit=1')
    return data[0]?.type === 'era.started' ? data[0].data.era : data[0]?.seq
  }

  test('are kept, and at least 30 days', async () => {
    for (const number of [1, 2, 3]) {
      if (number > 1)
        await chancery.ingest([
          put('era', { id: `era-${number - 1}`, status: 'ended', ended_at: `2026-0${number}-01T00:00:00Z` }),
        ])
      await chancery.ingest([era(number)])
    }
    const eraOf = (number: number) => ({ era_id: `era-${number}`, name: `Era ${number}` })
    await retention.run({ eras: 1 })
    assert.deepEqual(await firstSeq(), eraOf(1), 'they are of today')
    await chancery.query(
      `update chancery_world.event_log_span set logged_at = logged_at - interval '31 days'`,
    )
    await retention.run({ eras: 4 })
    assert.deepEqual(await firstSeq(), eraOf(1))
    await chancery.ingest([
      put('era', {
        id: 'era-0',
        number: 0,
        name: 'Sent late',
        status: 'ended',
        started_at: '2025-12-01T00:00:00Z',
        ended_at: '2026-01-01T00:00:00Z',
      }),
    ])
    await retention.run({ eras: 3 })
    assert.deepEqual(await firstSeq(), eraOf(1), 'the latest eras are those that began last')
    await retention.run({ eras: 2 })
    assert.deepEqual(await firstSeq(), eraOf(2))
    await retention.run({ eras: 1 })
    assert.deepEqual(await firstSeq(), eraOf(3))
  })
})
