import { randomBytes } from 'node:crypto'
import type { ConnectionTarget } from '../../src/store/database.ts'
import { asAdministrator, closePool, databaseOf, query, withDatabase } from './database-url.ts'
import { templateVariable } from './global-setup.ts'
import { openTestPostgres, type TestPostgres } from './test-postgres.ts'

export interface TestDatabase {
  target: ConnectionTarget
  /** For CHANCERY_DATABASE_URL of a process. */
  url: string
  /** Runs one statement as the owner. */
  query<R = Record<string, unknown>>(text: string, values?: unknown[]): Promise<R[]>
  /** Ends remaining connections. */
  drop(): Promise<void>
}

/**
 * Creates an empty migrated database. For `before` of a test file, with `drop` in its `after`:
 *
 *     const database = await createTestDatabase()
 *     const pools = createTestPools(database.target)
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await acquireServer()
  const { templateUrl } = server
  const template = databaseOf(templateUrl)
  const name = template.replace(/template$/, randomBytes(6).toString('hex'))
  // Copying files takes the bundled server a third of the time; a server with fsync would write a checkpoint first.
  const strategy = process.env.CHANCERY_TEST_DATABASE_URL ? '' : 'strategy file_copy'
  await asAdministrator(templateUrl, client =>
    client.query(`create database ${name} template ${template} ${strategy}`),
  )
  const url = withDatabase(templateUrl, name)
  return {
    target: { connectionString: url },
    url,
    query: (text, values) => query(url, text, values),
    async drop() {
      await closePool(url)
      await asAdministrator(templateUrl, client =>
        client.query(`drop database if exists ${name} with (force)`),
      )
      await server.release()
    },
  }
}

/** The server of a test file that runs alone, and the number of its databases in use. */
let own: { opening: Promise<TestPostgres>; users: number } | undefined

/** The server of the test run; for a file that runs alone, one that is closed with its last database. */
async function acquireServer(): Promise<{ templateUrl: string; release(): Promise<void> }> {
  const templateUrl = process.env[templateVariable]
  if (templateUrl) return { templateUrl, release: async () => {} }
  own ??= { opening: openTestPostgres(), users: 0 }
  const acquired = own
  acquired.users += 1
  const server = await acquired.opening
  return {
    templateUrl: server.templateUrl,
    async release() {
      acquired.users -= 1
      if (acquired.users > 0) return
      own = undefined
      await server.close()
    },
  }
}
