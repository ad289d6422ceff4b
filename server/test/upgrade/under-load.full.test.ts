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
  /** Responses by status. */
  statuses: Map<number, number>
  /** The longest time without a response with 200. */
  standstillMs(): number
  /** Batches that were applied, each once. */
  applied: number
  end(): Promise<void>
}

/** Readers and a game, each sending its next request after the response. Batches with 503 are retried. */
function startLoad(): Load {
  let isOver = false
  let succeededAt = performance.now()
  let standstillMs = 0
  const load: Load = {
    statuses: new Map(),
    standstillMs: () => standstillMs,
    applied: 0,
    end: async () => {},
  }
  const send = async (request: () => Promise<Response>) => {
    const response = await request()
    await response.arrayBuffer()
    if (response.status === 200) {
      standstillMs = Math.max(standstillMs, performance.now() - succeededAt)
      succeededAt = performance.now()
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
    while (!isOver) await send(() => chancery.get(path, path.startsWith('/me') ? { key } : {}))
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
      while ((await send(ingest)) !== 200) await sleep(50)
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
 * The longest time without a response while no migration runs, as a measure of how busy the machine is. Without a lock timeout readers
 * would wait behind a waiting migration.
 */
async function usualStandstillMs(): Promise<number> {
  const load = startLoad()
  await until(() => load.applied >= 20, 'batches are applied')
  await load.end()
  return load.standstillMs()
}

/** On a busy machine some requests may be 503; no other fails, and responses never stop for long. */
function assertServed({ statuses, standstillMs }: Load, usualMs: number): void {
  const { 200: good = 0, 503: unavailable = 0, ...others } = Object.fromEntries(statuses)
  assert.deepEqual(others, {})
  assert.ok(good > 100 && unavailable < good / 4, JSON.stringify([...statuses]))
  const limitMs = 4_000 + 10 * usualMs
  assert.ok(standstillMs() < limitMs, `${standstillMs()} ms without a response, and ${usualMs} ms before`)
}

test('while migrations are applied requests succeed, and every batch is applied once', async () => {
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
  assertServed(load, usualMs)
  const { data } = await chancery.read<{ data: { national_score: number } }>('/nations/n1')
  assert.equal(data.national_score, load.applied)
})

test('a migration that waits for a lock does not block readers', async () => {
  const migrations = [...(await readMigrations())]
  for (let number = 9001; number <= 9004; number += 1) migrations.push(adding(number))
  const usualMs = await usualStandstillMs()
  const load = startLoad()
  await withConnection(database.url, async client => {
    // A long report.
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
      'batches are applied',
      120_000,
    )
    assert.equal(isDone, false)
    await client.query('rollback')
    assert.deepEqual(await migrated, ['9004_later.sql'])
  })
  await load.end()
  assertServed(load, usualMs)
})
