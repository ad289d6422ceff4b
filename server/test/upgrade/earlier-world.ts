import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { migrate, readMigrations } from '../../src/store/migrations.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withConnection } from '../support/database-url.ts'

/**
 * What Chancery of migration 0012 answered, recorded from it: a simulated world (`simulate --nations 14 --days 12 --seed 7`), a key and
 * a webhook of the player who leads the first nation.
 */
export interface EarlierAnswers {
  key: string
  /** By path below the base: to everybody, and to the key. */
  public: Record<string, unknown>
  own: Record<string, unknown>
}

const unpacked = async (name: string) =>
  gunzipSync(await readFile(new URL(`./fixtures/${name}.gz`, import.meta.url))).toString()

export const readEarlierAnswers = async (): Promise<EarlierAnswers> =>
  JSON.parse(await unpacked('answers-at-0012.json'))

/** A database as that Chancery left it: its migrations and its rows (`pg_dump --data-only`), and nothing later. */
export async function createEarlierDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  await withConnection(database.url, async client => {
    const { rows } = await client.query<{ name: string }>(
      `select nspname as name from pg_namespace where nspname like 'chancery\\_%'`,
    )
    for (const { name } of rows) await client.query(`drop schema ${name} cascade`)
  })
  const migrations = await readMigrations()
  await migrate(
    database.target,
    migrations.filter(({ number }) => number <= 12),
  )
  await withConnection(database.url, async client => {
    // Migrations leave rows of their own, as they were before anything happened.
    const { rows } = await client.query<{ name: string }>(`
      select string_agg(schemaname || '.' || tablename, ', ') as name from pg_tables
      where schemaname like 'chancery\\_%' and schemaname <> 'chancery_meta'`)
    await client.query(`truncate ${rows[0]?.name} cascade`)
    // Rows come table by table: what they refer to may come later.
    await client.query('set session_replication_role = replica')
    await client.query(await unpacked('world-at-0012.sql'))
    // Left as it was, the first round would begin a new day, before which everybody had a place.
    await client.query('update chancery_world.ranking_round set day = current_date')
  })
  return database
}
