import pg from 'pg'
import { createTestDatabase } from '../../server/test/support/database.ts'
import { readCatalog } from './catalog.ts'
import { schemaText } from './schema-text.ts'

export const schemaFile = new URL('../../server/src/store/schema.sql', import.meta.url)

/** What schema.sql should hold: read from a database that was just migrated. */
export async function freshSchema(): Promise<string> {
  const database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  try {
    await client.connect()
    return schemaText(await readCatalog(client))
  } finally {
    await client.end()
    await database.drop()
  }
}
