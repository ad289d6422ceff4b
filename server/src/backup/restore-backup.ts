import { type Contract, contractFor, parseProfile } from '@chancery/contract'
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
} from './schema.ts'

export interface RestoreOptions {
  target: ConnectionTarget
  /** The game whose world it is, where the database does not say for which it was served. */
  contract: Contract
  /** A ledger of redactions, besides that of the database that is replaced. */
  redactions: readonly LedgerEntry[]
  nowMs: number
}

/** A database that goes on. */
export interface ContinueResult extends ReplayResult {
  /** The number that the next event gets. */
  next_seq: number
}

export interface RestoreResult extends ContinueResult {
  backup: BackupSummary
  /** Names of the migrations that came after the backup, and were applied. */
  migrated: string[]
}

/**
 * Puts a backup into a database, in one transaction: all of it, or nothing is changed.
 * @throws {BackupError} where the backup is not whole or not of this version, where a service runs, or where something is there and
 * is not to be replaced.
 */
export async function restoreBackup(
  source: AsyncIterable<Buffer>,
  { replaces, ...options }: RestoreOptions & { replaces: boolean },
): Promise<RestoreResult> {
  return withExclusiveSession(options.target, async session => {
    let replaced: PreviousDatabase | undefined
    let steps: MigrationPlan = { before: [], since: [] }
    const backup = await readBackup(source, {
      async header(header) {
        steps = await planMigrations(header)
        replaced = await readWhatIsThere(session, replaces)
        await dropSchemas(session)
        await applyWithin(session, steps.before)
        await emptyTables(session)
      },
      table: (table, text) => load(session, table, text),
    })
    await applyWithin(session, steps.since)
    await setSequences(session)
    if (replaced) await keepRevocations(session, replaced)
    const entries = [...(replaced?.redactions ?? []), ...options.redactions]
    const continued = await continueAfterRestore(session, { ...options, redactions: entries }, replaced)
    await analyzeTables(session)
    return { ...continued, backup, migrated: steps.since.map(({ name }) => name) }
  })
}

/**
 * Does what a restore does after its rows are in, on a database that was brought back by other means.
 * @throws {BackupError} where a service runs.
 */
export async function continueRestored(options: RestoreOptions): Promise<ContinueResult> {
  return withExclusiveSession(options.target, session => continueAfterRestore(session, options))
}

async function continueAfterRestore(
  session: CopySession,
  { contract, redactions, nowMs }: RestoreOptions,
  replaced?: PreviousDatabase,
): Promise<ContinueResult> {
  const next = await advanceSequences(session, nowMs, replaced?.known)
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

/** Runs `work` in one transaction while no service, no migration and no other restore is at it. */
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
        'a backup, a restore or a migration is under way on this database: let it end first',
      )
    await refuseRunningService(session)
    await session.run('begin')
    const result = await work(session)
    // One that started meanwhile has seen the world from before.
    await refuseRunningService(session)
    await session.run('commit')
    return result
  } finally {
    await session.close()
  }
}

async function readWhatIsThere(
  session: CopySession,
  replaces: boolean,
): Promise<PreviousDatabase | undefined> {
  const found = await session.first<{ is_there: boolean }>(
    sql`select to_regclass('chancery_access.pulse') is not null as is_there`,
  )
  if (!found?.is_there) return undefined
  if (!replaces && !(await isEmptyWorld(session)))
    throw new BackupError(
      'this database holds a world already: restore into an empty one, or replace what is there with --replace',
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
    // What PostgreSQL says may quote a row, and rows hold secrets.
    if (/^(22...|23...|42703|42P01|57014)$/.test(code))
      throw damagedError(`${table} does not take its rows, SQLSTATE ${code}`)
    throw error
  }
}

/** @throws {BackupError} while a service is connected to this database: every one keeps a session that waits for the pulse. */
export async function refuseRunningService(db: Database): Promise<void> {
  const found = await db.first<{ sessions: number }>(sql`
    select count(*) as sessions from pg_stat_activity
    where datname = current_database() and application_name = 'chancery pulse'`)
  if (found?.sessions)
    throw new BackupError(
      `a Chancery is running on this database (sessions named "chancery pulse": ${found.sessions}): stop every process of it, then restore`,
    )
}

/**
 * Forgets what holds for a moment, and what may have ended since a backup was taken. Sessions, links to sign in and codes work
 * once or until they are ended: those of then must not work again. And the time since is held against no receiver of webhooks.
 * What was delivered is not sent again; what was waiting or under way is, at once and under its own id.
 */
export async function clearEphemeralState(db: Database): Promise<void> {
  await db.rows(sql`delete from chancery_access.session`)
  await db.rows(sql`delete from chancery_access.handover`)
  await db.rows(sql`delete from chancery_access.verification_code where redeemed_at is null`)
  await db.rows(
    sql`update chancery_outbound.endpoint set failing_since = null where failing_since is not null`,
  )
  await db.rows(sql`delete from chancery_outbound.warning`)
  // Whoever had them is gone: nobody waits for a lease to end.
  await db.rows(sql`
    update chancery_outbound.delivery set state = 'pending', due_at = clock_timestamp() where state = 'sending'`)
}
