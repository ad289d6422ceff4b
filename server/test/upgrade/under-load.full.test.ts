import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate, readMigrations } from '../../src/store/migrations.ts'
import { smallWorld } from '../http/world.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withConnection } from '../support/database-url.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { adding } from './later-migrations.ts'

let database: TestDatabase
let chancery: TestServer
let key: string
before(async () => {
  database = await createTestDatabase()
  chancery = await startTestServer({}, { databaseUrl: database.url })
  await chancery.ingest(smallWorld())
  ;({ key } = await chancery.makeKey({ nation_id: 'n1' }))
})
after(async () => {
  await chancery?.close()
  await database.drop()
})

interface Load {
  /** Answers by status. */
  statuses: Map<number, number>
  /** The longest time in which nobody was answered with 200. */
  standstillMs(): number
  /** Batches that were applied, each once. */
  applied: number
  end(): Promise<void>
}

/** Readers and a game, each asking again as soon as it was answered. What is told to come again comes again, as it is. */
function startLoad(): Load {
  let isOver = false
  let answeredAt = performance.now()
  let standstillMs = 0
  const load: Load = {
    statuses: new Map(),
    standstillMs: () => standstillMs,
    applied: 0,
    end: async () => {},
  }
  const answered = async (ask: () => Promise<Response>) => {
    const response = await ask()
    await response.arrayBuffer()
    if (response.status === 200) {
      standstillMs = Math.max(standstillMs, performance.now() - answeredAt)
      answeredAt = performance.now()
    }
    load.statuses.set(response.status, (load.statuses.get(response.status) ?? 0) + 1)
    return response.status
  }
  const reads = [
    '/nations',
    '/nations/n1',
    '/nations?search=val',
    '/events?limit=5',
    '/me/nation',
    '/wars',
  ].map(async path => {
    while (!isOver) await answered(() => chancery.get(path, path.startsWith('/me') ? { key } : {}))
  })
  const began = Date.now()
  const game = async () => {
    for (let turn = 1; !isOver; turn += 1) {
      const facts = [
        {
          op: 'put',
          resource: 'nation',
          data: { id: 'n1', national_score: turn, economy: { credits: turn } },
        },
        { op: 'put', resource: 'nation', data: { id: `n-turn-${turn}`, nation_name: `Turn ${turn}` } },
      ]
      const batch = { 'idempotency-key': `turn-${turn}-of-${began}` }
      const ingest = () => chancery.operate('POST', '/facts', { facts }, batch)
      while ((await answered(ingest)) !== 200) await sleep(50)
      load.applied += 1
    }
  }
  const all = Promise.all([...reads, game()])
  load.end = async () => {
    isOver = true
    await all
  }
  return load
}

/**
 * The longest time in which nobody was answered while nothing was migrated: how busy the machine is. Readers would wait behind a
 * migration that does not let go for as long as it waits itself.
 */
async function usualStandstillMs(): Promise<number> {
  const load = startLoad()
  await until(() => load.applied >= 20, 'batches are applied')
  await load.end()
  return load.standstillMs()
}

/** A busy machine may put somebody off for a moment; nothing fails, and nothing stands still. */
function assertAnswered({ statuses, standstillMs }: Load, usualMs: number): void {
  const { 200: good = 0, 503: putOff = 0, ...others } = Object.fromEntries(statuses)
  assert.deepEqual(others, {})
  assert.ok(good > 100 && putOff < good / 4, JSON.stringify([...statuses]))
  const limitMs = 4_000 + 10 * usualMs
  assert.ok(standstillMs() < limitMs, `${standstillMs()} ms without an answer, and ${usualMs} ms before`)
}

test('while migrations are applied requests are answered, and every batch is applied once', async () => {
  const known = await readMigrations()
  const usualMs = await usualStandstillMs()
  const load = startLoad()
  await until(() => load.applied >= 5, 'batches are applied')
  const migrations = [...known]
  for (let number = 9001; number <= 9003; number += 1) {
    migrations.push(adding(number))
    const before = load.applied
    assert.deepEqual(await migrate(database.target, migrations), [`${number}_later.sql`])
    await until(() => load.applied >= before + 5, 'batches are applied after it')
  }
  await load.end()
  assertAnswered(load, usualMs)
  const { data } = await chancery.read<{ data: { national_score: number } }>('/nations/n1')
  assert.equal(data.national_score, load.applied)
})

test('a migration that has to wait for somebody lets readers pass meanwhile', async () => {
  const migrations = [...(await readMigrations())]
  for (let number = 9001; number <= 9004; number += 1) migrations.push(adding(number))
  const usualMs = await usualStandstillMs()
  const load = startLoad()
  await withConnection(database.url, async client => {
    // Somebody's report, which reads for long.
    await client.query('begin')
    await client.query('select count(*) from chancery_world.nation')
    const migrated = migrate(database.target, migrations)
    let isDone = false
    void migrated.then(() => {
      isDone = true
    })
    const began = performance.now()
    const before = load.applied
    await until(
      () => performance.now() - began > 8_000 && load.applied > before + 3,
      'the game goes on',
      120_000,
    )
    assert.equal(isDone, false)
    await client.query('rollback')
    assert.deepEqual(await migrated, ['9004_later.sql'])
  })
  await load.end()
  assertAnswered(load, usualMs)
})
