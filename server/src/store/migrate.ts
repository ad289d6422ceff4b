import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import type { ConnectionTarget } from './database.ts'

const folder = new URL('./migrations/', import.meta.url)

/** Two processes that migrate at once take turns. */
const migrationLock = 0x6368_616e

interface Migration {
  number: number
  name: string
  text: string
  checksum: string
  /** A file that begins with `-- no transaction` runs outside one, statement by statement as PostgreSQL takes it. */
  isTransactional: boolean
}

/** What stands between a database and this version. */
export interface MigrationState {
  applied: number
  pending: string[]
  /** Migrations in the database that this version does not know: it is newer. */
  unknown: number[]
}

export class MigrationError extends Error {}

async function readMigrations(): Promise<Migration[]> {
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

function stateOf(migrations: Migration[], applied: Map<number, string>): MigrationState {
  const known = new Set(migrations.map(migration => migration.number))
  return {
    applied: applied.size,
    pending: migrations.filter(migration => !applied.has(migration.number)).map(migration => migration.name),
    unknown: [...applied.keys()].filter(number => !known.has(number)),
  }
}

export async function migrationState(target: ConnectionTarget): Promise<MigrationState> {
  const migrations = await readMigrations()
  return withClient(target, async client => stateOf(migrations, await appliedNumbers(client)))
}

/**
 * Brings a database to this version. Returns the names of what was applied.
 * @throws {MigrationError} where the database is newer than this version, or an applied migration was edited.
 */
export async function migrate(target: ConnectionTarget): Promise<string[]> {
  const migrations = await readMigrations()
  return withClient(target, async client => {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await client.query('create schema if not exists chancery_meta')
    await client.query(
      'create table if not exists chancery_meta.migration (number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())',
    )
    const applied = await appliedNumbers(client)
    const { unknown } = stateOf(migrations, applied)
    if (unknown.length > 0) {
      throw new MigrationError(
        `the database is newer than this version: it has migration ${Math.max(...unknown)}`,
      )
    }
    const done: string[] = []
    for (const migration of migrations) {
      const checksum = applied.get(migration.number)
      if (checksum === undefined) {
        await apply(client, migration)
        done.push(migration.name)
      } else if (checksum !== migration.checksum) {
        throw new MigrationError(`migration ${migration.name} differs from the one that this database has`)
      }
    }
    return done
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
