import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createPool, sql } from '../../src/store/database.ts'
import { useTestDatabase } from '../support/fixture.ts'

const database = useTestDatabase()

function openPool(t: TestContext, connectionString: string) {
  const pool = createPool({ target: { connectionString }, role: 'chancery_public', connectionsMax: 1 })
  t.after(() => pool.close())
  return pool
}

test('a connection that does not assume its role is rejected, with instructions', async t => {
  const elsewhere = new URL(database.url)
  // As behind a pooler that drops the options of a session.
  elsewhere.searchParams.set('options', '-c jit=off')
  const rows = openPool(t, elsewhere.href).rows(sql`select 1`)
  await assert.rejects(rows, /has the role \w+ instead of chancery_public: connect to/)
})

test('a connection that assumes its role is used', async t => {
  const rows = await openPool(t, database.url).rows(sql`select current_user as name`)
  assert.deepEqual(rows, [{ name: 'chancery_public' }])
})
