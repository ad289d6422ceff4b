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

/** The database of a configuration, which no service runs on if it is the bundled one, for as long as `work` takes. */
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
 * A backup of a database, written by `write`.
 * @throws {BackupError} where there is nothing to back up. @throws {StartupError} where the database cannot be reached.
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
  /** A file of redactions, besides that in the data directory. */
  redactionsFile: string | undefined
}

/**
 * Puts a backup into the database of a configuration: all of it, or nothing is changed.
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

/** Lets a database go on that was brought back by other means. Throws as `restoreDatabase` does. */
export async function continueDatabase(
  config: Config,
  { redactionsFile }: Pick<RestoreRequest, 'redactionsFile'>,
): Promise<ContinueResult> {
  await ensureDataDir(config.dataDir)
  const options = await optionsFor(config, redactionsFile)
  // It has to be of this version: what goes on is written as this version has it.
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

/** The file is made by the first redaction. */
async function ledgerUnlessMissing(file: string): Promise<LedgerEntry[]> {
  try {
    return await readLedgerFile(file)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return []
    throw error
  }
}
