import { createTestDatabase } from '../../server/test/support/database.ts'
import { withConnection } from '../../server/test/support/database-url.ts'
import { readCatalog } from './catalog.ts'
import { schemaText } from './schema-text.ts'

export const schemaFile = new URL('../../server/src/store/schema.sql', import.meta.url)

/** The expected text of schema.sql, from a newly migrated database. */
export async function freshSchema(): Promise<string> {
  const database = await createTestDatabase()
  try {
    return schemaText(await withConnection(database.url, readCatalog))
  } finally {
    await database.drop()
  }
}
