import { StartupError } from '../start/startup-error.ts'
import type { ConnectionTarget } from './database.ts'
import { startEmbedded } from './embedded/embedded-server.ts'
import { EmbeddedError } from './embedded/errors.ts'
import { MigrationError, migrate, pendingMigrations } from './migrations.ts'

export interface StoreOptions {
  dataDir: string
  databaseUrl: string | undefined
  migrates: boolean
}

/** A database that is there and has this version's schema. */
export interface OpenStore {
  target: ConnectionTarget
  /** Names of the migrations that were applied while it was opened. */
  migrated: string[]
  /** Called when the bundled server has ended by itself. */
  onExit(listener: (reason: string) => void): void
  close(): Promise<void>
}

/**
 * Opens the operator's PostgreSQL, or starts the bundled one.
 * @throws {StartupError} where it cannot be reached, or has another version's schema.
 */
export async function openStore(options: StoreOptions, log: (message: string) => void): Promise<OpenStore> {
  const store = await openStoreAtAnyVersion(options, log)
  try {
    const migrated = await bringToVersion(store.target, options.databaseUrl === undefined || options.migrates)
    return { ...store, migrated }
  } catch (error) {
    await store.close()
    throw toStartupError(error, options.databaseUrl)
  }
}

type Reached = Omit<OpenStore, 'migrated'>

/**
 * The same with the schema that it has, of whatever version, or none.
 * @throws {StartupError} where the bundled one does not start.
 */
export const openStoreAtAnyVersion = async (
  options: Pick<StoreOptions, 'dataDir' | 'databaseUrl'>,
  log: (message: string) => void,
): Promise<Reached> =>
  options.databaseUrl === undefined ? openBundled(options, log) : openOwn(options.databaseUrl)

async function openBundled(
  { dataDir }: Pick<StoreOptions, 'dataDir'>,
  log: (message: string) => void,
): Promise<Reached> {
  try {
    const server = await startEmbedded({ dataDir, log })
    return { target: server.connection, onExit: server.onExit, close: server.close }
  } catch (error) {
    throw error instanceof EmbeddedError ? new StartupError(error.message) : error
  }
}

const openOwn = (databaseUrl: string): Reached => ({
  target: { connectionString: databaseUrl },
  onExit: () => undefined,
  close: async () => undefined,
})

async function bringToVersion(target: ConnectionTarget, mayMigrate: boolean): Promise<string[]> {
  const pending = await pendingMigrations(target)
  if (pending.length === 0) return []
  if (!mayMigrate) {
    throw new StartupError(
      `the database lacks ${pending.length} migrations: run \`chancery migrate\`, or serve with --migrate`,
    )
  }
  return migrate(target)
}

/** What a failure to reach the database says to whoever starts something on it. */
export function toStartupError(error: unknown, databaseUrl: string | undefined): unknown {
  if (error instanceof StartupError) return error
  if (error instanceof MigrationError) return new StartupError(error.message)
  const { code, message } = error as { code?: string; message?: string }
  if (databaseUrl === undefined || code === undefined) return error
  // Of the URL only host and database are said: it may hold a password.
  const { host, pathname } = new URL(databaseUrl)
  return new StartupError(
    `CHANCERY_DATABASE_URL: PostgreSQL at ${host}${pathname} does not answer as it should (${message || code})`,
  )
}
