import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { assetUrl } from '../start/asset-url.ts'
import { type ConnectionTarget, jobConnectTimeoutMs } from './database.ts'
import { ingestLock, migrationLock } from './locks.ts'

const folder = assetUrl('server/src/store/migrations/')

/** Readers of a table queue behind a migration that waits for its lock, and time out after 2 s: the migration gives up earlier and retries. */
const lockTimeoutMs = 700
const retryMs = 500
const attemptsMax = 60
/** lock_not_available, deadlock_detected */
const lockErrors = new Set(['55P03', '40P01'])

export interface Migration {
  number: number
  name: string
  text: string
  checksum: string
  /** A file that begins with `-- no transaction` runs outside a transaction. */
  isTransactional: boolean
}

/**
 * From PostgreSQL 16 on, a user who creates a role without being a superuser may neither act as it nor change its objects without this
 * setting. Earlier versions do not know it.
 */
export const actAsOwnRoles = `
  select set_config('createrole_self_grant', 'set, inherit', false) where current_setting('server_version_num')::int >= 160000`

/** Creates the table of applied migrations. */
export const migrationTable = `
  create schema if not exists chancery_meta;
  create table if not exists chancery_meta.migration (number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`

/** The database cannot be migrated to this version. The message says why. */
export class MigrationError extends Error {}

let migrations: Promise<Migration[]> | undefined

/** All migrations of this version, in order. */
export function readMigrations(): Promise<Migration[]> {
  migrations ??= readFiles()
  return migrations
}

async function readFiles(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter(name => /^\d{4}_.+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async name => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return {
        number: Number(name.slice(0, 4)),
        name,
        text,
        checksum: createHash('sha256').update(text).digest('hex'),
        isTransactional: !text.startsWith('-- no transaction'),
      }
    }),
  )
}

async function appliedNumbers(client: pg.Client): Promise<Map<number, string>> {
  const exists = await client.query("select to_regclass('chancery_meta.migration') is not null as is_there")
  if (!exists.rows[0].is_there) return new Map()
  const result = await client.query('select number, checksum from chancery_meta.migration order by number')
  return new Map(result.rows.map(row => [row.number, row.checksum]))
}

async function withClient<T>(target: ConnectionTarget, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    ...target,
    options: '-c TimeZone=UTC -c client_min_messages=warning',
    connectionTimeoutMillis: jobConnectTimeoutMs,
    application_name: 'chancery migrate',
  })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * The migrations that a database lacks.
 * @throws {MigrationError} if it is newer than this version, or an applied migration has another checksum.
 */
export function pendingOf(migrations: Migration[], applied: Map<number, string>): Migration[] {
  const known = new Map(migrations.map(migration => [migration.number, migration]))
  for (const [number, checksum] of applied) {
    const migration = known.get(number)
    if (!migration) {
      throw new MigrationError('the database belongs to a newer version of Chancery: run that version')
    }
    if (migration.checksum !== checksum) {
      throw new MigrationError(
        `the database was made by another build of Chancery: its migration ${migration.name} differs; run that build, or restore a backup`,
      )
    }
  }
  return migrations.filter(({ number }) => !applied.has(number))
}

/** Names of the migrations that a database lacks. Throws like `migrate`. */
export async function pendingMigrations(target: ConnectionTarget): Promise<string[]> {
  const migrations = await readMigrations()
  return withClient(target, async client =>
    pendingOf(migrations, await appliedNumbers(client)).map(migration => migration.name),
  )
}

/**
 * Migrates a database to this version, also while it is in use. Returns the names of the applied migrations.
 * @throws {MigrationError} if the database is newer than this version, an applied migration was edited, or one fails.
 */
export async function migrate(target: ConnectionTarget, known?: Migration[]): Promise<string[]> {
  const migrations = known ?? (await readMigrations())
  return withClient(target, async client => {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await client.query(actAsOwnRoles)
    await client.query(migrationTable)
    const pending = pendingOf(migrations, await appliedNumbers(client))
    for (const migration of pending) await apply(client, migration)
    return pending.map(migration => migration.name)
  })
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptTo(client, migration)
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      const { code, message } = error as { code?: string; message?: string }
      const isLocked = migration.isTransactional && lockErrors.has(code ?? '')
      if (!isLocked) throw new MigrationError(`migration ${migration.name}: ${message ?? error}`)
      if (attempt === attemptsMax)
        throw new MigrationError(
          `migration ${migration.name}: a table was locked for a minute: look for long transactions in pg_stat_activity, or stop the service, and migrate again`,
        )
      await sleep(retryMs)
    }
  }
}

async function attemptTo(
  client: pg.Client,
  { name, number, checksum, text, isTransactional }: Migration,
): Promise<void> {
  if (isTransactional) {
    await client.query('begin')
    // Batches lock many tables, in their own order: the migration waits for them here, without the lock timeout.
    await client.query('select pg_advisory_xact_lock($1)', [ingestLock])
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
  }
  await client.query(text)
  await client.query('insert into chancery_meta.migration (number, name, checksum) values ($1, $2, $3)', [
    number,
    name,
    checksum,
  ])
  if (isTransactional) await client.query('commit')
}

/** Identifies a database among those of all servers: by its name and the time of its first migration. */
export const readDatabaseId = (target: ConnectionTarget): Promise<string> =>
  withClient(target, async client => {
    const { rows } = await client.query(
      'select current_database() as name, extract(epoch from min(applied_at))::text as since from chancery_meta.migration',
    )
    const { name, since } = rows[0]
    return createHash('sha256').update(`${since} ${name}`).digest('hex').slice(0, 16)
  })

/** The number of the last migration: an open database has all. */
export const lastMigration = async (): Promise<number> => (await readMigrations()).at(-1)?.number ?? 0
