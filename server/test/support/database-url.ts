import pg from 'pg'
import type { EmbeddedServer } from '../../src/store/embedded/embedded-server.ts'
import { roundLock } from '../../src/store/locks.ts'

/** The URL of a database. The directory of a Unix socket is percent-encoded, as libpq and pg expect. */
export function urlOf(connection: EmbeddedServer['connection'], database: string): string {
  const { host, port, user, password } = connection
  const credentials = [user, password].flatMap(part => (part === undefined ? [] : encodeURIComponent(part)))
  return `postgres://${credentials.join(':')}@${encodeURIComponent(host)}:${port}/${database}`
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}

export function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1)
}

/** Runs work on a connection of its own. */
export async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    options: '-c client_min_messages=warning',
    application_name: 'chancery test',
    connectionTimeoutMillis: 60_000,
  })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Connections for single statements, by URL: opening one takes PostgreSQL longer than most statements. */
const pools = new Map<string, pg.Pool>()

function poolOf(url: string): pg.Pool {
  const known = pools.get(url)
  if (known) return known
  const pool = new pg.Pool({
    connectionString: url,
    options: '-c client_min_messages=warning',
    application_name: 'test statements',
    connectionTimeoutMillis: 60_000,
    idleTimeoutMillis: 5_000,
    allowExitOnIdle: true,
  })
  // A test that ends connections, or their server, may end these.
  pool.on('error', () => {})
  pools.set(url, pool)
  return pool
}

/** Closes the idle connections to a database. */
export async function closePool(url: string): Promise<void> {
  const pool = pools.get(url)
  pools.delete(url)
  await pool?.end()
}

/** Runs work on a connection to the server's maintenance database. */
export async function asAdministrator<T>(
  url: string,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await poolOf(withDatabase(url, 'postgres')).connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

/** Runs one statement as the owner of the database. */
export async function query<R = Record<string, unknown>>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  return (await poolOf(url).query(text, values)).rows as R[]
}

/** Runs work on a connection that holds the lock of ranking rounds: none starts meanwhile. */
export const withoutRounds = <T>(
  { databaseUrl }: { databaseUrl: string },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> =>
  withConnection(databaseUrl, async client => {
    await client.query('select pg_advisory_lock($1)', [roundLock])
    return work(client)
  })

/** Every row of every table as text, a line each, after its table's name. */
export async function dump(url: string, except: readonly string[] = []): Promise<string> {
  return withConnection(url, async client => {
    const { rows: tables } = await client.query<{ name: string }>(`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname like 'chancery%' order by 1`)
    const texts: string[] = []
    for (const { name } of tables) {
      if (except.includes(name)) continue
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t order by 1`)
      texts.push(...rows.map(({ row }) => `${name} ${row}`))
    }
    return texts.join('\n')
  })
}

/** The number of rows of each table. */
export async function rowCounts(url: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const line of (await dump(url)).split('\n')) {
    const [table = ''] = line.split(' ', 1)
    // A text in a row may contain a line break.
    if (/^chancery_[a-z]+\.[a-z_]+$/.test(table)) counts.set(table, (counts.get(table) ?? 0) + 1)
  }
  return counts
}
