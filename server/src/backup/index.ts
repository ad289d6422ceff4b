import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type LedgerEntry, ledgerPath, readLedgerFile } from '../redaction/ledger.ts'
import type { Config } from '../start/config.ts'
import { readContract } from '../start/contract.ts'
import { ensureDataDir } from '../start/data-dir.ts'
import { type ConnectionTarget, isUnavailable } from '../store/database.ts'
import { openStore, openStoreAtAnyVersion, toStartupError } from '../store/open-store.ts'
import { BackupError } from './format.ts'
import {
  type ContinueResult,
  continueRestored,
  type RestoreOptions,
  type RestoreResult,
  restoreBackup,
} from './restore-backup.ts'
import { takeBackup } from './take-backup.ts'

/**
 * Backup and restore of the whole database, as one compressed file (`format.ts`). A backup is one consistent snapshot of a running service. A
 * restore is one transaction: all or nothing; it applies later migrations, keeps later revocations, applies later redactions again, and
 * gives out higher event numbers than before. Start reading at `backupDatabase` and `restoreDatabase`.
 */

/** Runs `work` on the configured database, of whatever version. The bundled one must not be in use by a service. */
async function withDatabase<T>(config: Config, work: (target: ConnectionTarget) => Promise<T>): Promise<T> {
  const store = await openStoreAtAnyVersion(config, () => undefined)
  try {
    return await work(store.target)
  } catch (error) {
    throw isUnavailable(error) ? toStartupError(error, config.databaseUrl) : error
  } finally {
    await store.close()
  }
}

/**
 * Passes a backup to `write`.
 * @throws {BackupError} if there is nothing to back up. @throws {StartupError} if the database cannot be reached.
 */
export async function backupDatabase<T>(
  config: Config,
  version: string,
  write: (backup: Readable) => Promise<T>,
): Promise<T> {
  const isMissing = () =>
    lstat(join(config.dataDir, 'postgres')).then(
      () => false,
      () => true,
    )
  if (config.databaseUrl === undefined && (await isMissing()))
    throw new BackupError(
      `there is no database in ${config.dataDir}: set CHANCERY_DATA_DIR or CHANCERY_DATABASE_URL to what is to be backed up`,
    )
  return withDatabase(config, target => write(takeBackup(target, version)))
}

export interface RestoreRequest {
  replaces: boolean
  /** A further redaction ledger, besides that in the data directory. */
  redactionsFile: string | undefined
}

/**
 * Restores a backup into the configured database, all or nothing.
 * @throws {BackupError | LedgerError | StartupError} with one line that says what to do.
 */
export async function restoreDatabase(
  config: Config,
  source: AsyncIterable<Buffer>,
  { replaces, redactionsFile }: RestoreRequest,
): Promise<RestoreResult> {
  await ensureDataDir(config.dataDir)
  const options = await optionsFor(config, redactionsFile)
  return withDatabase(config, target => restoreBackup(source, { ...options, target, replaces }))
}

/** Runs the steps after a restore on a database that was restored by other means. Throws like `restoreDatabase`. */
export async function continueDatabase(
  config: Config,
  { redactionsFile }: Pick<RestoreRequest, 'redactionsFile'>,
): Promise<ContinueResult> {
  await ensureDataDir(config.dataDir)
  const options = await optionsFor(config, redactionsFile)
  // Fails if the schema is not of this version, which the steps require.
  const store = await openStore(config, () => undefined)
  await store.close()
  return withDatabase(config, target => continueRestored({ ...options, target }))
}

async function optionsFor(
  config: Config,
  redactionsFile: string | undefined,
): Promise<Omit<RestoreOptions, 'target'>> {
  return {
    contract: await readContract(config.gameFile),
    redactions: [
      ...(await ledgerUnlessMissing(ledgerPath(config.dataDir))),
      ...(redactionsFile === undefined ? [] : await readLedgerFile(redactionsFile)),
    ],
    nowMs: Date.now(),
  }
}

/** The first redaction creates the file. */
async function ledgerUnlessMissing(file: string): Promise<LedgerEntry[]> {
  try {
    return await readLedgerFile(file)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return []
    throw error
  }
}
