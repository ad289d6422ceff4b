import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createTestDatabase } from './database.ts'
import { asAdministrator, databaseOf, withConnection } from './database-url.ts'
import { isOver, newTestRun, runOf } from './test-postgres.ts'

const query = (url: string, text: string) =>
  withConnection(url, async client => (await client.query(text)).rows)

test('databases created concurrently are migrated and separate', async t => {
  const made = await Promise.all(Array.from({ length: 4 }, () => createTestDatabase()))
  t.after(() => Promise.all(made.map(database => database.drop())))
  const [one, other] = made
  assert.ok(one && other)
  await query(one.url, 'create table chancery_world.only_here ()')
  const isThere = "select to_regclass('chancery_world.only_here') is not null as is_there"
  assert.deepEqual(await query(one.url, isThere), [{ is_there: true }])
  assert.deepEqual(await query(other.url, isThere), [{ is_there: false }])
})

test('a dropped database is gone although a client was connected', async t => {
  const kept = await createTestDatabase()
  t.after(() => kept.drop())
  const dropped = await createTestDatabase()
  const client = new pg.Client({ connectionString: dropped.url })
  await client.connect()
  const ended = new Promise(resolve => client.on('error', resolve))
  await dropped.drop()
  await ended
  const names = await asAdministrator(kept.url, async admin => {
    const { rows } = await admin.query('select datname from pg_database')
    return rows.map(row => row.datname)
  })
  assert.ok(names.includes(databaseOf(kept.url)) && !names.includes(databaseOf(dropped.url)))
})

test('the run of a database is read from its name', () => {
  const now = new Date('2026-05-27T18:04:11Z')
  const run = newTestRun(now)
  assert.deepEqual(runOf(`${run.name}_template`), run)
  assert.equal(runOf('chancery_test_1'), undefined)
  assert.equal(runOf('chancery'), undefined)
  assert.equal(isOver(run, now), false)
  assert.equal(isOver(run, new Date('2026-05-27T21:05:00Z')), true, 'too old')
  assert.equal(isOver({ ...run, pid: 2 ** 22 + 1 }, now), true, 'its process is gone')
})
