import { type Contract, contractFor, parseProfile } from '@chancery/contract'
import { rebuildBlocks } from '../events/event-blocks.ts'
import type { LedgerEntry } from '../redaction/ledger.ts'
import { type CopySession, openCopySession } from '../store/copy.ts'
import { type ConnectionTarget, type Database, sql } from '../store/database.ts'
import { migrationLock } from '../store/locks.ts'
import { notifyPulse } from '../store/pulse.ts'
import { BackupError, type BackupTable, damagedError } from './format.ts'
import {
  advanceSequences,
  isEmptyWorld,
  keepRevocations,
  type PreviousDatabase,
  readPreviousDatabase,
} from './previous-database.ts'
import { type BackupSummary, readBackup } from './read-backup.ts'
import { type ReplayResult, replayRedactions } from './replay-redactions.ts'
import {
  analyzeTables,
  applyWithin,
  dropSchemas,
  emptyTables,
  type MigrationPlan,
  planMigrations,
  setSequences,
  setTriggers,
} from './schema.ts'

export interface RestoreOptions {
  target: ConnectionTarget
  /** The contract of the game, if the database does not contain its profile. */
  contract: Contract
  /** Redactions to apply, besides those in the ledger of the previous database. */
  redactions: readonly LedgerEntry[]
  nowMs: number
}

export interface ContinueResult extends ReplayResult {
  /** The number of the next event. */
  next_seq: number
}

export interface RestoreResult extends ContinueResult {
  backup: BackupSummary
  /** Names of the applied migrations that are newer than the backup. */
  migrated: string[]
}

/**
 * Restores a backup into a database, in one transaction.
 * @throws {BackupError} if the backup is incomplete or of a newer version, a service is running, or the database is not empty and
 * `replaces` is false.
 */
export async function restoreBackup(
  source: AsyncIterable<Buffer>,
  { replaces, ...options }: RestoreOptions & { replaces: boolean },
): Promise<RestoreResult> {
  return withExclusiveSession(options.target, async session => {
    let previous: PreviousDatabase | undefined
    let steps: MigrationPlan = { before: [], since: [] }
    const backup = await readBackup(source, {
      async header(header) {
        steps = await planMigrations(header)
        previous = await readPreviousUnlessEmpty(session, replaces)
        await dropSchemas(session)
        await applyWithin(session, steps.before)
        await emptyTables(session)
      },
      table: (table, text) => load(session, table, text),
    })
    await setTriggers(session, 'enable')
    await applyWithin(session, steps.since)
    await setSequences(session)
    await rebuildBlocks(session)
    if (previous) await keepRevocations(session, previous)
    const entries = [...(previous?.redactions ?? []), ...options.redactions]
    const continued = await continueAfterRestore(session, { ...options, redactions: entries }, previous)
    await analyzeTables(session)
    return { ...continued, backup, migrated: steps.since.map(({ name }) => name) }
  })
}

/**
 * Runs the steps after a restore on a database that was restored by other means.
 * @throws {BackupError} if a service is running.
 */
export async function continueRestored(options: RestoreOptions): Promise<ContinueResult> {
  return withExclusiveSession(options.target, session => continueAfterRestore(session, options))
}

async function continueAfterRestore(
  session: CopySession,
  { contract, redactions, nowMs }: RestoreOptions,
  previous?: PreviousDatabase,
): Promise<ContinueResult> {
  const next = await advanceSequences(session, nowMs, previous?.known)
  await clearEphemeralState(session)
  const game = (await servedContract(session)) ?? contract
  const replay = await replayRedactions(session, game, { entries: redactions, batch: `restore-${next}` })
  await session.rows(notifyPulse)
  return { next_seq: next, ...replay }
}

async function servedContract(session: CopySession): Promise<Contract | undefined> {
  const row = await session.first<{ profile: object }>(sql`select profile from chancery_meta.game_profile`)
  return row && contractFor(parseProfile(JSON.stringify(row.profile)))
}

/** Runs `work` in one transaction while no service, migration, backup or other restore uses the database. */
async function withExclusiveSession<T>(
  target: ConnectionTarget,
  work: (session: CopySession) => Promise<T>,
): Promise<T> {
  const session = await openCopySession(target)
  try {
    const lock = await session.first<{ is_ours: boolean }>(
      sql`select pg_try_advisory_lock(${migrationLock}) as is_ours`,
    )
    if (!lock?.is_ours)
      throw new BackupError(
        'a backup, a restore or a migration is running on this database: wait until it has ended',
      )
    await assertNoRunningService(session)
    await session.run('begin')
    const result = await work(session)
    // A service that started meanwhile has cached the previous state.
    await assertNoRunningService(session)
    await session.run('commit')
    return result
  } finally {
    await session.close()
  }
}

async function readPreviousUnlessEmpty(
  session: CopySession,
  replaces: boolean,
): Promise<PreviousDatabase | undefined> {
  const found = await session.first<{ is_there: boolean }>(
    sql`select to_regclass('chancery_access.pulse') is not null as is_there`,
  )
  if (!found?.is_there) return undefined
  if (!replaces && !(await isEmptyWorld(session)))
    throw new BackupError(
      'this database is not empty: restore into an empty one, or replace its contents with --replace',
    )
  return readPreviousDatabase(session)
}

async function load(
  session: CopySession,
  { table, columns }: BackupTable,
  text: AsyncIterable<Buffer>,
): Promise<number> {
  try {
    return await session.copyIn(table, columns, text)
  } catch (error) {
    const code = String((error as { code?: unknown }).code)
    // PostgreSQL's message may quote a row, which may contain secrets.
    if (/^(22...|23...|42703|42P01|57014)$/.test(code))
      throw damagedError(`the rows of ${table} are invalid, SQLSTATE ${code}`)
    throw error
  }
}

/** @throws {BackupError} if a service is connected: each keeps a session for its pulse. */
async function assertNoRunningService(db: Database): Promise<void> {
  const found = await db.first<{ sessions: number }>(sql`
    select count(*) as sessions from pg_stat_activity
    where datname = current_database() and application_name = 'chancery pulse'`)
  if (found?.sessions)
    throw new BackupError(
      `the service is running on this database (sessions named "chancery pulse": ${found.sessions}): stop every process of it, then restore`,
    )
}

/**
 * Deletes ephemeral state. Sessions, sign-in links and codes may have been used or ended since the backup: they must not work again.
 * Endpoints do not count as failing for the time since. Delivered webhooks are not sent again; pending ones and those in flight are, at once
 * and with the same id.
 */
async function clearEphemeralState(db: Database): Promise<void> {
  await db.rows(sql`delete from chancery_access.session`)
  await db.rows(sql`delete from chancery_access.handover`)
  await db.rows(sql`delete from chancery_access.verification_code where redeemed_at is null`)
  await db.rows(
    sql`update chancery_outbound.endpoint set failing_since = null where failing_since is not null`,
  )
  await db.rows(sql`delete from chancery_outbound.warning`)
  // The processes with these leases are gone.
  await db.rows(sql`
    update chancery_outbound.delivery set state = 'pending', due_at = clock_timestamp() where state = 'sending'`)
}
