import type { CopySession } from '../store/copy.ts'
import { type Database, sql } from '../store/database.ts'
import {
  actAsOwnRoles,
  type Migration,
  MigrationError,
  migrationTable,
  pendingOf,
  readMigrations,
} from '../store/migrations.ts'
import { BackupError, type BackupHeader } from './format.ts'

/** The migrations of a backup's schema, and the newer ones. */
export interface MigrationPlan {
  before: Migration[]
  since: Migration[]
}

/** @throws {BackupError} if the backup is of a newer version or of another build. */
export async function planMigrations({ migrations }: BackupHeader): Promise<MigrationPlan> {
  const known = await readMigrations()
  const applied = new Map(migrations.map(({ number, checksum }) => [number, checksum]))
  try {
    const since = pendingOf(known, applied)
    return { before: known.filter(migration => !since.includes(migration)), since }
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    const isNewer = migrations.some(({ number }) => !known.some(migration => migration.number === number))
    throw new BackupError(
      isNewer
        ? 'the backup was made by a newer Chancery: restore it with that version'
        : 'the backup was made by another build of Chancery, whose migrations differ: restore it with that build',
    )
  }
}

/** Drops Chancery's schemas. Throws if an object outside of them depends on their tables. */
export async function dropSchemas(session: CopySession): Promise<void> {
  const tables = await session.rows<{ name: string }>(sql`
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${schemas}) and c.relkind = 'r'`)
  const functions = await session.rows<{ name: string }>(sql`
    select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = any(${schemas})`)
  try {
    // Triggers use the functions.
    if (tables.length > 0) await session.run(`drop table ${tables.map(({ name }) => name).join(', ')}`)
    for (const { name } of functions) await session.run(`drop function ${name}`)
    for (const schema of schemas) await session.run(`drop schema if exists ${schema}`)
  } catch (error) {
    if ((error as { code?: unknown }).code !== '2BP01') throw error
    throw new BackupError(
      "an object outside of Chancery's schemas (a view, a foreign key) depends on their tables: drop it, and create it again after the restore",
    )
  }
}

/** Applies migrations inside the open transaction. */
export async function applyWithin(session: CopySession, migrations: readonly Migration[]): Promise<void> {
  await session.run(actAsOwnRoles)
  await session.run(migrationTable)
  for (const { number, name, text, checksum, isTransactional } of migrations) {
    if (!isTransactional)
      throw new BackupError(
        `migration ${name} runs outside a transaction: restore with the Chancery that made the backup, then migrate`,
      )
    await session.run(text)
    await session.rows(
      sql`insert into chancery_meta.migration (number, name, checksum) values (${number}, ${name}, ${checksum})`,
    )
  }
}

const namesOfTables = async (session: CopySession) =>
  (await listTables(session)).map(({ name }) => name).join(', ')

/** Deletes rows that migrations inserted, the backup has its own, and lets no trigger log the rows that are loaded. */
export async function emptyTables(session: CopySession): Promise<void> {
  await session.run(`truncate ${await namesOfTables(session)}`)
  await setTriggers(session, 'disable')
}

export async function setTriggers(session: CopySession, state: 'enable' | 'disable'): Promise<void> {
  for (const { name } of await listTables(session))
    await session.run(`alter table ${name} ${state} trigger user`)
}

/** Updates the planner's statistics for the first queries. */
export async function analyzeTables(session: CopySession): Promise<void> {
  await session.run(`analyze ${await namesOfTables(session)}`)
}

/** Sets identity columns to continue after the restored rows. */
export async function setSequences(session: CopySession): Promise<void> {
  const columns = await session.rows<{ name: string; column: string }>(sql`
    select n.nspname || '.' || c.relname as name, a.attname as column
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${schemas}) and a.attidentity <> ''`)
  for (const { name, column } of columns) {
    await session.run(
      `select setval(pg_get_serial_sequence('${name}', '${column}'), coalesce(max(${column}), 0) + 1, false) from ${name}`,
    )
  }
}

/** All schemas of Chancery. The database may contain others, of a game. */
const schemas = ['chancery_meta', 'chancery_world', 'chancery_secret', 'chancery_access', 'chancery_outbound']

/** Not backed up: migrations are applied again, rankings are computed by the next round, blocks of events are written again, and a new snapshot
 * is made, from which copies of the world start again. */
const derived = [
  'chancery_meta.migration',
  'chancery_world.nation_ranking',
  'chancery_world.nation_ranking_dirty',
  'chancery_world.alliance_ranking',
  'chancery_world.nation_attribute_ranking',
  'chancery_world.nation_attribute_ranking_gap',
  'chancery_world.alliance_attribute_ranking',
  'chancery_secret.nation_ranking_log',
  'chancery_world.event_block',
  'chancery_world.change',
  'chancery_world.change_block',
  'chancery_world.change_day',
  'chancery_world.snapshot',
  'chancery_world.snapshot_chunk',
  // Their names before migration 0033.
  'chancery_world.nation_place',
  'chancery_world.nation_moved',
  'chancery_world.alliance_place',
  'chancery_secret.nation_changed',
]

export interface Table {
  /** With its schema. */
  name: string
  columns: string[]
}

interface FoundTable extends Table {
  refers_to: string[]
}

/** The tables of a backup, each after those that it refers to. Unlogged tables, which a crash may empty, are left out. */
export async function listTables(db: Database): Promise<Table[]> {
  const found = await db.rows<FoundTable>(sql`
    select n.nspname || '.' || c.relname as name,
      (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      array(select rn.nspname || '.' || r.relname
       from pg_constraint k join pg_class r on r.oid = k.confrelid join pg_namespace rn on rn.oid = r.relnamespace
       where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as refers_to
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${schemas}) and c.relkind = 'r' and c.relpersistence = 'p'
      and n.nspname || '.' || c.relname <> all(${derived})
    order by name`)
  return sortByReferences(found)
}

function sortByReferences(found: FoundTable[]): Table[] {
  const sorted = new Set<string>()
  const tables: Table[] = []
  let waiting = found
  while (waiting.length > 0) {
    const ready = waiting.filter(({ refers_to }) => refers_to.every(name => sorted.has(name)))
    if (ready.length === 0) throw new Error('foreign keys of tables form a cycle')
    for (const { name, columns } of ready) {
      tables.push({ name, columns })
      sorted.add(name)
    }
    waiting = waiting.filter(({ name }) => !sorted.has(name))
  }
  return tables
}
