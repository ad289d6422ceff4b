import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPool, sql } from '../../src/store/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('a connection that does not take on its role is refused, with what to do', async () => {
  const elsewhere = new URL(database.url)
  // As behind a pooler that drops them: what is written here is what a session starts with, and not what we ask for.
  elsewhere.searchParams.set('options', '-c jit=off')
  const target = { connectionString: elsewhere.href }
  const pool = createPool({ target, role: 'chancery_public', connectionsMax: 1 })
  try {
    await assert.rejects(pool.rows(sql`select 1`), /has the role \w+ instead of chancery_public: connect to/)
  } finally {
    await pool.close()
  }
})

test('a connection that takes on its role is lent', async () => {
  const target = { connectionString: database.url }
  const pool = createPool({ target, role: 'chancery_public', connectionsMax: 1 })
  try {
    assert.deepEqual(await pool.rows(sql`select current_user as name`), [{ name: 'chancery_public' }])
  } finally {
    await pool.close()
  }
})
