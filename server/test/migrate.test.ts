import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MigrationError, migrate, pendingMigrations } from '../src/store/migrations.ts'
import { useTestDatabase } from './support/fixture.ts'

const database = useTestDatabase()

test('a database of this version has no pending migrations, and migrating it again does nothing', async () => {
  assert.deepEqual(await pendingMigrations(database.target), [])
  assert.deepEqual(await migrate(database.target), [])
})

test('a database whose migrations differ is refused, not used', async () => {
  await database.query(`update chancery_meta.migration set checksum = 'another' where number = 3`)
  await assert.rejects(pendingMigrations(database.target), MigrationError)
  await assert.rejects(migrate(database.target), /0003_log\.sql differs/)
})

test('a database of a newer version is refused, not used', async () => {
  await database.query(`delete from chancery_meta.migration where number = 3`)
  await database.query(
    `insert into chancery_meta.migration (number, name, checksum) values (9999, 'later', 'x')`,
  )
  await assert.rejects(pendingMigrations(database.target), /newer version/)
})

test('a failed migration is rolled back, and named', async () => {
  await database.query(`delete from chancery_meta.migration where number = 9999`)
  await assert.rejects(migrate(database.target), /0003_log\.sql: relation "event" already exists/)
  assert.deepEqual(await pendingMigrations(database.target), ['0003_log.sql'])
})
