import type { Config } from './config.ts'
import { ensureDataDir } from './data-dir.ts'
import { openStore } from './store/open-store.ts'

export { type Config, type ConfigDefaults, ConfigError, readConfig } from './config.ts'
export { type RunningServer, startServer, version } from './main.ts'
export { StartupError } from './startup-error.ts'

/** Brings the database to this version. Returns the names of the migrations that it has applied. */
export async function migrateDatabase(config: Config): Promise<string[]> {
  await ensureDataDir(config.dataDir)
  const store = await openStore({ ...config, migrates: true }, () => undefined)
  await store.close()
  return store.migrated
}
