import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from, to } from 'pg-copy-streams'
import {
  type ConnectionTarget,
  type Database,
  databaseOver,
  jobConnectTimeoutMs,
  sessionOptions,
} from './database.ts'

/** One connection on which whole tables go out and come in. */
export interface CopySession extends Database {
  /** Runs statements without values, several in one text. */
  run(text: string): Promise<void>
  /** The rows of a table as COPY text, a line each, in chunks of any size. Returns how many rows there were. */
  copyOut(table: string, columns: readonly string[]): AsyncGenerator<Buffer, number>
  /** Writes rows of COPY text into a table. Returns how many. */
  copyIn(table: string, columns: readonly string[], text: AsyncIterable<Buffer>): Promise<number>
  /** Ends the connection, and with it a transaction that is open. */
  close(): Promise<void>
}

/** Opens a connection that waits as long as it takes. Rejects if the database is unavailable. */
export async function openCopySession(target: ConnectionTarget): Promise<CopySession> {
  const client = new pg.Client({
    ...target,
    options: sessionOptions({ settings: { idle_in_transaction_session_timeout: 0 } }),
    connectionTimeoutMillis: jobConnectTimeoutMs,
    application_name: 'chancery copy',
  })
  // A connection that breaks fails the next statement; without a listener it would end the process.
  client.on('error', () => undefined)
  await client.connect()
  const db = databaseOver(client, { namesStatements: false })

  return {
    ...db,
    async run(text) {
      await client.query(text)
    },
    async *copyOut(table, columns) {
      const stream = client.query(to(`copy ${nameOf(table)} (${listOf(columns)}) to stdout`))
      yield* stream
      // The count comes after the last row; the next result comes after the count.
      await client.query('')
      return stream.rowCount
    },
    async copyIn(table, columns, text) {
      const stream = client.query(from(`copy ${nameOf(table)} (${listOf(columns)}) from stdin`))
      await pipeline(Readable.from(text), stream)
      return stream.rowCount
    },
    close: () => client.end(),
  }
}

/** `schema.table` as an identifier. */
const nameOf = (table: string) => table.split('.').map(pg.escapeIdentifier).join('.')
const listOf = (columns: readonly string[]) => columns.map(pg.escapeIdentifier).join(', ')
