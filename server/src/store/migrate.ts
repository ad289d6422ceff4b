import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import type { ConnectionTarget } from './database.ts'

const folder = new URL('./migrations/', import.meta.url)

/** Two processes that migrate at once take turns. */
export const migrationLock = 0x6368_616e

export interface Migration {
  number: number
  name: string
  text: string
  checksum: string
  /** A file that begins with `-- no transaction` runs outside one, statement by statement as PostgreSQL takes it. */
  isTransactional: boolean
}

/** Where applied migrations are noted. */
export const migrationTable = `
  create schema if not exists chancery_meta;
  create table if not exists chancery_meta.migration (number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`

/** The database is not one that this version can bring to itself. The message says why. */
export class MigrationError extends Error {}

/** All that this version knows, in order. */
export async function readMigrations(): Promise<Migration[]> {
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
    connectionTimeoutMillis: 5_000,
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
 * What this database still lacks.
 * @throws {MigrationError} where it is newer than this version, or an applied migration reads differently now.
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
        `the database was made by another build of Chancery: its migration ${migration.name} differs`,
      )
    }
  }
  return migrations.filter(({ number }) => !applied.has(number))
}

/** Names of the migrations that a database lacks. Throws as `migrate` does. */
export async function pendingMigrations(target: ConnectionTarget): Promise<string[]> {
  const migrations = await readMigrations()
  return withClient(target, async client =>
    pendingOf(migrations, await appliedNumbers(client)).map(migration => migration.name),
  )
}

/**
 * Brings a database to this version. Returns the names of what was applied.
 * @throws {MigrationError} where the database is newer than this version, or an applied migration was edited.
 */
export async function migrate(target: ConnectionTarget): Promise<string[]> {
  const migrations = await readMigrations()
  return withClient(target, async client => {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await client.query(migrationTable)
    const pending = pendingOf(migrations, await appliedNumbers(client))
    for (const migration of pending) await apply(client, migration)
    return pending.map(migration => migration.name)
  })
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  if (migration.isTransactional) await client.query('begin')
  try {
    await client.query(migration.text)
    await client.query('insert into chancery_meta.migration (number, name, checksum) values ($1, $2, $3)', [
      migration.number,
      migration.name,
      migration.checksum,
    ])
    if (migration.isTransactional) await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw new MigrationError(`migration ${migration.name}: ${error instanceof Error ? error.message : error}`)
  }
}
