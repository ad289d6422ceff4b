import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createTestDatabase } from '../../server/test/support/database.ts'
import { withConnection } from '../../server/test/support/database-url.ts'
import { readCatalog } from './catalog.ts'
import { freshSchema, schemaFile } from './fresh-schema.ts'

// With an external server this also runs on its version: all versions give the same text.
test('schema.sql is the result of the migrations', async () => {
  assert.equal(await freshSchema(), await readFile(schemaFile, 'utf8'))
})

const strays = {
  'a view': 'create view chancery_world.stray as select 1 as one',
  'a sequence': 'create sequence chancery_world.stray',
  'an aggregate': 'create aggregate chancery_world.stray (int) (sfunc = int4pl, stype = int)',
  'an enumeration': "create type chancery_world.stray as enum ('one')",
  'statistics of another owner':
    'create statistics chancery_world.stray on (position / 2) from chancery_world.nation_ranking',
  'a generated column': 'alter table chancery_world.era add stray int generated always as (1) stored',
}

test('a function is dumped with its grants', async t => {
  const database = await createTestDatabase()
  t.after(() => database.drop())
  await withConnection(database.url, async client => {
    await client.query('create function chancery_world.stray(number int) returns int language sql return 1')
    const { functions, grants } = await readCatalog(client)
    assert.match(functions.at(-1)?.definition ?? '', /FUNCTION chancery_world.stray\(number integer\)/)
    assert.deepEqual(
      grants.filter(({ on }) => on.includes('stray')),
      [{ on: 'function chancery_world.stray(number integer)', role: 'public', privileges: ['execute'] }],
    )
  })
})

for (const [name, statement] of Object.entries(strays)) {
  test(`${name} is rejected, not left out`, async t => {
    const database = await createTestDatabase()
    t.after(() => database.drop())
    await withConnection(database.url, async client => {
      await client.query(statement)
      await assert.rejects(readCatalog(client), /does not support .*(stray|batch)/)
    })
  })
}
