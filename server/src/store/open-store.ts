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

/** A reachable database with the schema of this version. */
export interface OpenStore {
  target: ConnectionTarget
  /** Names of the migrations that were applied at opening. */
  migrated: string[]
  /** Called if the bundled server exits by itself. */
  onExit(listener: (reason: string) => void): void
  close(): Promise<void>
}

/**
 * Opens the operator's PostgreSQL, or starts the bundled one.
 * @throws {StartupError} if it cannot be reached, or has the schema of another version.
 */
export async function openStore(options: StoreOptions, log: (message: string) => void): Promise<OpenStore> {
  const store = await openStoreAtAnyVersion(options, log)
  try {
    const migrated = await migrateIfAllowed(
      store.target,
      options.databaseUrl === undefined || options.migrates,
    )
    return { ...store, migrated }
  } catch (error) {
    await store.close()
    throw toStartupError(error, options.databaseUrl)
  }
}

type StoreAtAnyVersion = Omit<OpenStore, 'migrated'>

/**
 * The same without looking at the schema.
 * @throws {StartupError} if the bundled server does not start.
 */
export const openStoreAtAnyVersion = async (
  options: Pick<StoreOptions, 'dataDir' | 'databaseUrl'>,
  log: (message: string) => void,
): Promise<StoreAtAnyVersion> =>
  options.databaseUrl === undefined ? openBundled(options, log) : openExternal(options.databaseUrl)

async function openBundled(
  { dataDir }: Pick<StoreOptions, 'dataDir'>,
  log: (message: string) => void,
): Promise<StoreAtAnyVersion> {
  try {
    const server = await startEmbedded({ dataDir, log })
    return { target: server.connection, onExit: server.onExit, close: server.close }
  } catch (error) {
    throw error instanceof EmbeddedError ? new StartupError(error.message) : error
  }
}

const openExternal = (databaseUrl: string): StoreAtAnyVersion => ({
  target: { connectionString: databaseUrl },
  onExit: () => undefined,
  close: async () => undefined,
})

async function migrateIfAllowed(target: ConnectionTarget, mayMigrate: boolean): Promise<string[]> {
  const pending = await pendingMigrations(target)
  if (pending.length === 0) return []
  if (!mayMigrate) {
    throw new StartupError(
      `the database lacks ${pending.length} migrations: run \`chancery migrate\`, or serve with --migrate`,
    )
  }
  return migrate(target)
}

/** Turns errors of the database into a StartupError where an operator can act on them. */
export function toStartupError(error: unknown, databaseUrl: string | undefined): unknown {
  if (error instanceof StartupError) return error
  if (error instanceof MigrationError) return new StartupError(error.message)
  const { code, message } = error as { code?: string; message?: string }
  if (databaseUrl === undefined || code === undefined) return error
  // Only host and database: the URL may contain a password.
  const { host, pathname } = new URL(databaseUrl)
  return new StartupError(
    `CHANCERY_DATABASE_URL: PostgreSQL at ${host}${pathname} cannot be used (${message || code})`,
  )
}
