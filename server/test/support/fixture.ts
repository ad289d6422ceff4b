import { after, before } from 'node:test'
import pg from 'pg'
import { createPool, type DatabasePool } from '../../src/store/database.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { startTestServer, type TestServer } from './test-server.ts'

let prepared: Promise<unknown> = Promise.resolve()

/** `before`, but after the fixtures and the work above it: node starts all `before` hooks of a file at once. */
export function prepare(work: () => unknown): void {
  before(() => {
    prepared = prepared.then(work)
    return prepared
  })
}

/** A resource of a test file or a `describe`: opened before its tests and closed in `after`. It has its members once it is open. */
export function useFixture<T extends object>(
  open: () => Promise<T>,
  close: (resource: T) => unknown = resource => (resource as { close?(): unknown }).close?.(),
): T {
  let resource: T | undefined
  prepare(async () => {
    resource = await open()
  })
  after(() => resource && close(resource))
  const opened = (): T => {
    if (!resource) throw new Error('the fixture is not open yet: use `prepare` instead of `before`')
    return resource
  }
  return new Proxy({} as T, {
    get(_, name) {
      const value = Reflect.get(opened(), name)
      return typeof value === 'function' ? value.bind(opened()) : value
    },
    has: (_, name) => Reflect.has(opened(), name),
    ownKeys: () => Reflect.ownKeys(opened()),
    getOwnPropertyDescriptor: (_, name) => {
      const value = Reflect.getOwnPropertyDescriptor(opened(), name)
      return value && { ...value, configurable: true }
    },
  })
}

/** `startTestServer` as a fixture. */
export const useTestServer = (...options: Parameters<typeof startTestServer>): TestServer =>
  useFixture(() => startTestServer(...options))

/** `createTestDatabase` as a fixture. */
export const useTestDatabase = (): TestDatabase => useFixture(createTestDatabase, database => database.drop())

type WithDatabase = Pick<TestServer, 'databaseUrl'>

/** A connection to the database of a server. */
export const useClient = (server: WithDatabase): pg.Client =>
  useFixture(
    async () => {
      const client = new pg.Client({ connectionString: server.databaseUrl })
      // The database may be dropped before.
      client.on('error', () => {})
      await client.connect()
      return client
    },
    client => client.end().catch(() => undefined),
  )

/** A pool of one connection with the role of ingest, as ranking rounds use it. */
export const useIngestPool = (server: WithDatabase): DatabasePool =>
  useFixture(async () => {
    const target = { connectionString: server.databaseUrl }
    return createPool({ target, role: 'chancery_ingest', connectionsMax: 1 })
  })
