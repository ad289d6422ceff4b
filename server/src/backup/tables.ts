import { type Database, sql } from '../store/database.ts'

/** All schemas of Chancery. A game may lend the database: what else is in it is the game's. */
export const schemas = [
  'chancery_meta',
  'chancery_world',
  'chancery_secret',
  'chancery_access',
  'chancery_outbound',
]

/** What is made anew: migrations by applying them, places by the next ranking round, which needs no notes of what changed before. */
const derived = [
  'chancery_meta.migration',
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

/** The tables whose rows are in a backup, each after those that it refers to. Unlogged ones, which a crash may empty, are left out. */
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
  return inOrder(found)
}

function inOrder(found: FoundTable[]): Table[] {
  const placed = new Set<string>()
  const tables: Table[] = []
  let waiting = found
  while (waiting.length > 0) {
    const ready = waiting.filter(({ refers_to }) => refers_to.every(name => placed.has(name)))
    if (ready.length === 0) throw new Error('tables refer to each other in a circle')
    for (const { name, columns } of ready) {
      tables.push({ name, columns })
      placed.add(name)
    }
    waiting = waiting.filter(({ name }) => !placed.has(name))
  }
  return tables
}
