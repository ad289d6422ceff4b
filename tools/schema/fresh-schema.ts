import { createTestDatabase } from '../../server/test/support/database.ts'
import { withConnection } from '../../server/test/support/database-url.ts'
import { readCatalog } from './catalog.ts'
import { schemaText } from './schema-text.ts'

export const schemaFile = new URL('../../server/src/store/schema.sql', import.meta.url)

/** What schema.sql should hold: read from a database that was just migrated. */
export async function freshSchema(): Promise<string> {
  const database = await createTestDatabase()
  try {
    return schemaText(await withConnection(database.url, readCatalog))
  } finally {
    await database.drop()
  }
}
