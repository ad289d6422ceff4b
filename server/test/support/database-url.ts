import pg from 'pg'
import type { EmbeddedServer } from '../../src/store/embedded/embedded-server.ts'

/** A host that is the directory of a Unix socket stands percent-encoded in the URL, as libpq and pg read it. */
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

/** One connection, for as long as the work takes. */
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

/** The same to the server's maintenance database. */
export function asAdministrator<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withConnection(withDatabase(url, 'postgres'), work)
}
