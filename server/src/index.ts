import type { Readable } from 'node:stream'
import { version } from '@chancery/contract'
import { backupDatabase } from './backup/index.ts'
import type { Config } from './start/config.ts'
import { ensureDataDir } from './start/data-dir.ts'
import { openStore } from './store/open-store.ts'

export { BackupError } from './backup/format.ts'
export { continueDatabase, type RestoreRequest, restoreDatabase } from './backup/index.ts'
export { type BackupSummary, checkBackup } from './backup/read-backup.ts'
export type { ContinueResult, RestoreResult } from './backup/restore-backup.ts'
export type { ComparisonDocument } from './profile/adopt-profile.ts'
export { compareWithDatabase } from './profile/adopt-profile.ts'
export { type Config, type ConfigDefaults, ConfigError, readConfig } from './start/config.ts'
export { type RunningServer, startServer } from './start/server.ts'
export { StartupError } from './start/startup-error.ts'

/** Brings the database to this version. Returns the names of the migrations that it has applied. */
export async function migrateDatabase(config: Config): Promise<string[]> {
  await ensureDataDir(config.dataDir)
  const store = await openStore({ ...config, migrates: true }, () => undefined)
  await store.close()
  return store.migrated
}

/** Hands a backup of the database to `write`. Throws a BackupError or a StartupError that says what to do. */
export const backUp = <T>(config: Config, write: (backup: Readable) => Promise<T>): Promise<T> =>
  backupDatabase(config, version, write)
