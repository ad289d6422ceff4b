import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPool, type DatabasePool, sql } from '../src/store/database.ts'
import { MigrationError, migrate, pendingMigrations } from '../src/store/migrations.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
let pool: DatabasePool
before(async () => {
  database = await createTestDatabase()
  pool = createPool({ target: database.target, connectionsMax: 1 })
})
after(async () => {
  await pool.close()
  await database.drop()
})

test('a database of this version lacks nothing, and migrating it again does nothing', async () => {
  assert.deepEqual(await pendingMigrations(database.target), [])
  assert.deepEqual(await migrate(database.target), [])
})

test('a database whose migrations read differently is refused, not used', async () => {
  await pool.rows(sql`update chancery_meta.migration set checksum = 'another' where number = 3`)
  await assert.rejects(pendingMigrations(database.target), MigrationError)
  await assert.rejects(migrate(database.target), /0003_log\.sql differs/)
})

test('a database of a newer version is refused, not used', async () => {
  await pool.rows(sql`delete from chancery_meta.migration where number = 3`)
  await pool.rows(
    sql`insert into chancery_meta.migration (number, name, checksum) values (9999, 'later', 'x')`,
  )
  await assert.rejects(pendingMigrations(database.target), /newer version/)
})

test('a migration that fails leaves nothing of itself, and is named', async () => {
  await pool.rows(sql`delete from chancery_meta.migration where number = 9999`)
  await assert.rejects(migrate(database.target), /0003_log\.sql: relation "event" already exists/)
  assert.deepEqual(await pendingMigrations(database.target), ['0003_log.sql'])
})
