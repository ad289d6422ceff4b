import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Migration, MigrationError, migrate, readMigrations } from '../../src/store/migrate.ts'
import { smallWorld } from '../http/world.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withConnection } from '../support/database-url.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'

let database: TestDatabase
let chancery: TestServer
let key: string
before(async () => {
  database = await createTestDatabase()
  chancery = await startTestServer({}, { databaseUrl: database.url })
  await chancery.tell(smallWorld())
  ;({ key } = await chancery.makeKey({ nation_id: 'n1' }))
})
after(async () => {
  await chancery?.close()
  await database.drop()
})

/** A migration of a version to come, which keeps what this one reads. */
const later = (number: number, text: string): Migration => ({
  number,
  name: `${number}_later.sql`,
  text,
  checksum: `checksum of ${number}`,
  isTransactional: true,
})
const adding = (number: number) =>
  later(
    number,
    `alter table chancery_world.nation add column later_${number} integer not null default 0;
     create index nation_later_${number} on chancery_world.nation (later_${number});
     alter table chancery_secret.nation_private add column later_${number} text;
     alter table chancery_access.api_key add column later_${number} text;
     alter table chancery_world.event add column later_${number} text;
     create table chancery_world.later_${number} (id text primary key)`,
  )

/** Less than for how long readers would wait behind a migration that does not let go. */
const standstillMsMax = 4_000

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
      const tell = () => chancery.operate('POST', '/facts', { facts }, batch)
      while ((await answered(tell)) !== 200) await sleep(50)
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

/** A busy machine may put somebody off for a moment; nothing fails, and nothing stands still. */
function assertAnswered({ statuses, standstillMs }: Load): void {
  const { 200: good = 0, 503: putOff = 0, ...others } = Object.fromEntries(statuses)
  assert.deepEqual(others, {})
  assert.ok(good > 100 && putOff < good / 20, JSON.stringify([...statuses]))
  assert.ok(standstillMs() < standstillMsMax, `${standstillMs()} ms without an answer`)
}

test('while migrations are applied callers are answered, and every batch is applied once', {
  timeout: 120_000,
}, async () => {
  const known = await readMigrations()
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
  assertAnswered(load)
  const { data } = await chancery.read<{ data: { national_score: number } }>('/nations/n1')
  assert.equal(data.national_score, load.applied)
})

test('a migration that has to wait for somebody lets readers pass meanwhile', {
  timeout: 60_000,
}, async () => {
  const migrations = [...(await readMigrations())]
  for (let number = 9001; number <= 9004; number += 1) migrations.push(adding(number))
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
      60_000,
    )
    assert.equal(isDone, false)
    await client.query('rollback')
    assert.deepEqual(await migrated, ['9004_later.sql'])
  })
  await load.end()
  assertAnswered(load)
})

test('a process of an older version is told so at its start, and its neighbours that run go on', async () => {
  await assert.rejects(startTestServer({}, { databaseUrl: database.url }), /newer version of Chancery/)
  await chancery.read('/nations/n1')
})

test('a migration that cannot be applied changes nothing, and says which it is', async () => {
  const migrations = [...(await readMigrations())]
  for (let number = 9001; number <= 9004; number += 1) migrations.push(adding(number))
  const wrong = later(9005, 'alter table chancery_world.nation add column half text; select 1 / 0')
  await assert.rejects(migrate(database.target, [...migrations, wrong]), (error: Error) => {
    assert.ok(error instanceof MigrationError)
    assert.match(error.message, /^migration 9005_later\.sql: division by zero$/)
    return true
  })
  await withConnection(database.url, async client => {
    const { rows } = await client.query("select from information_schema.columns where column_name = 'half'")
    assert.equal(rows.length, 0)
  })
})
