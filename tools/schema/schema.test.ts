import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createTestDatabase } from '../../server/test/support/database.ts'
import { withConnection } from '../../server/test/support/database-url.ts'
import { readCatalog } from './catalog.ts'
import { freshSchema, schemaFile } from './fresh-schema.ts'

// With an external server this runs on its version as well: all versions give the same text.
test('schema.sql is what the migrations make', async () => {
  assert.equal(await freshSchema(), await readFile(schemaFile, 'utf8'))
})

const strays = {
  'a view': 'create view chancery_world.stray as select 1 as one',
  'a sequence': 'create sequence chancery_world.stray',
  'a function': 'create function chancery_world.stray() returns int language sql return 1',
  'an enumeration': "create type chancery_world.stray as enum ('one')",
  'a generated column': 'alter table chancery_world.era add stray int generated always as (1) stored',
}

for (const [name, statement] of Object.entries(strays)) {
  test(`${name} is not left out in silence`, async t => {
    const database = await createTestDatabase()
    t.after(() => database.drop())
    await withConnection(database.url, async client => {
      await client.query(statement)
      await assert.rejects(readCatalog(client), /does not know how to write .*(stray|batch)/)
    })
  })
}
