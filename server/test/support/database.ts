import { randomBytes } from 'node:crypto'
import type { ConnectionTarget } from '../../src/store/database.ts'
import { asAdministrator, databaseOf, withDatabase } from './database-url.ts'
import { templateVariable } from './global-setup.ts'
import { openTestPostgres, type TestPostgres } from './test-postgres.ts'

export interface TestDatabase {
  target: ConnectionTarget
  /** The same as a URL: for CHANCERY_DATABASE_URL of a process. */
  url: string
  /** Ends what is still connected to it. */
  drop(): Promise<void>
}

/**
 * A database of the caller's own, migrated and empty. For `before` of a test file, with `drop` in its `after`:
 *
 *     const database = await createTestDatabase()
 *     const pools = createPools({ target: database.target })
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await enterServer()
  const { templateUrl } = server
  const template = databaseOf(templateUrl)
  const name = template.replace(/template$/, randomBytes(6).toString('hex'))
  // Copied as files the bundled server makes one in a third of the time; one that syncs would write all that it holds first.
  const strategy = process.env.CHANCERY_TEST_DATABASE_URL ? '' : 'strategy file_copy'
  await asAdministrator(templateUrl, client =>
    client.query(`create database ${name} template ${template} ${strategy}`),
  )
  const url = withDatabase(templateUrl, name)
  return {
    target: { connectionString: url },
    url,
    async drop() {
      await asAdministrator(templateUrl, client =>
        client.query(`drop database if exists ${name} with (force)`),
      )
      await server.leave()
    },
  }
}

/** The server of a file that runs alone, and how many of its databases are in use. */
let own: { opening: Promise<TestPostgres>; users: number } | undefined

/** The server of the whole run; where a file runs alone, one that lives as long as its databases. */
async function enterServer(): Promise<{ templateUrl: string; leave(): Promise<void> }> {
  const templateUrl = process.env[templateVariable]
  if (templateUrl) return { templateUrl, leave: async () => {} }
  own ??= { opening: openTestPostgres(), users: 0 }
  const entered = own
  entered.users += 1
  const server = await entered.opening
  return {
    templateUrl: server.templateUrl,
    async leave() {
      entered.users -= 1
      if (entered.users > 0) return
      own = undefined
      await server.close()
    },
  }
}
