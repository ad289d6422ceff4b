import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { MigrationError, migrate, readMigrations } from '../../src/store/migrations.ts'
import { smallWorld } from '../http/world.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withConnection } from '../support/database-url.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { adding, later } from './later-migrations.ts'

let database: TestDatabase
let chancery: TestServer
before(async () => {
  database = await createTestDatabase()
  chancery = await startTestServer({}, { databaseUrl: database.url })
  await chancery.ingest(smallWorld())
})
after(async () => {
  await chancery?.close()
  await database.drop()
})

test('requests succeed while a migration is applied, and after it', async () => {
  let isOver = false
  const reading = (async () => {
    while (!isOver) await chancery.read('/nations/n1')
  })()
  assert.deepEqual(await migrate(database.target, [...(await readMigrations()), adding(9001)]), [
    '9001_later.sql',
  ])
  isOver = true
  await reading
  await chancery.ingest([{ op: 'put', resource: 'nation', data: { id: 'n1', national_score: 7 } }])
  const { data } = await chancery.read<{ data: { national_score: number } }>('/nations/n1')
  assert.equal(data.national_score, 7)
})

test('a process of an older version fails at its start with the reason, and running ones continue', async () => {
  await assert.rejects(startTestServer({}, { databaseUrl: database.url }), /newer version of Chancery/)
  await chancery.read('/nations/n1')
})

test('a migration that cannot be applied changes nothing, and is named', async () => {
  const migrations = [...(await readMigrations()), adding(9001)]
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
