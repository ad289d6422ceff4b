import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { StartupError } from '../start/startup-error.ts'
import { createGuardedPool, type DatabaseHealth } from './guarded-pool.ts'

export { default as sql, join, raw, type Sql } from 'sql-template-tag'
export { isUnavailable } from './database-errors.ts'

/** Runs statements as one role. */
export interface Database {
  /** All rows of one statement. */
  rows<R>(statement: Sql): Promise<R[]>
  /** The first row, or undefined. */
  first<R>(statement: Sql): Promise<R | undefined>
}

/** A pool of connections that all act as one role. */
export interface DatabasePool extends Database {
  /** Runs `work` on one connection inside a transaction: commits what it did, or nothing of it. */
  transaction<T>(work: (db: Database) => Promise<T>): Promise<T>
  /** Runs `work` on one connection, outside a transaction. */
  connection<T>(work: (db: Database, client: pg.PoolClient) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Is told of a statement that was run. Its text has placeholders: the values are not passed. */
export type StatementListener = (statement: {
  role: string
  text: string
  rows: number
  durationMs: number
}) => void

/** Where a PostgreSQL is: a connection string, or the parts of one. */
export type ConnectionTarget =
  | { connectionString: string }
  | { host: string; port: number; user: string; password?: string; database: string }

export interface PoolOptions {
  target: ConnectionTarget
  /** The role that every connection takes on. Without: the one that signs in. */
  role?: string
  connectionsMax: number
  statementTimeoutMs?: number
  lockTimeoutMs?: number
  /** Default: as long as a start, a migration or a backup waits. */
  connectTimeoutMs?: number
  /** Further settings of its sessions. */
  settings?: Record<string, string | number>
  /** Send statements under names, so that they are planned once. Off behind a pooler that shares sessions. */
  namesStatements?: boolean
  onError?: (error: Error) => void
  /** Called after each statement, but for those that begin and end transactions. */
  onStatement?: StatementListener | undefined
  /** Whether the database is heard: while it is not, nothing is asked of it. Without, whoever asks waits for the time limits. */
  health?: DatabaseHealth | undefined
  /** How long work under way goes on waiting when the database falls silent. Default: not at all. */
  graceMs?: number
}

/** Numbers stay numbers (all are at most 2^53-1 or exact decimals of the contract) and times are RFC 3339 in UTC. */
const parsers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.NUMERIC]: Number,
  [pg.types.builtins.TIMESTAMPTZ]: timeText,
  [pg.types.builtins.DATE]: text => text,
}

/** `2026-05-27 18:04:11.25+00` as `2026-05-27T18:04:11.25Z`: connections are in UTC. */
function timeText(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, -3)}Z`
}

const types = {
  getTypeParser(id: number, format?: 'text' | 'binary') {
    return parsers[id] ?? pg.types.getTypeParser(id, format)
  },
} as pg.CustomTypesConfig

/** Settings of a session. No parallel workers and no JIT: statements here are short, and both cost more than they give. */
export function sessionOptions({
  role,
  statementTimeoutMs,
  lockTimeoutMs,
  settings: further,
}: Pick<PoolOptions, 'role' | 'statementTimeoutMs' | 'lockTimeoutMs' | 'settings'>): string {
  const settings: Record<string, string | number> = {
    ...(role ? { role } : {}),
    TimeZone: 'UTC',
    DateStyle: 'ISO',
    jit: 'off',
    max_parallel_workers_per_gather: 0,
    statement_timeout: statementTimeoutMs ?? 0,
    lock_timeout: lockTimeoutMs ?? 0,
    idle_in_transaction_session_timeout: 60_000,
    client_min_messages: 'warning',
    ...further,
  }
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

/** How long a start, a migration or a backup waits for a connection: a database that is only slow has accepted it by then. */
export const jobConnectTimeoutMs = 20_000

/** What an answer may take on its way beyond the statement's own limit. */
const answerGraceMs = 1_000

export function createPool(options: PoolOptions): DatabasePool {
  const pool = new pg.Pool({
    ...options.target,
    max: options.connectionsMax,
    options: sessionOptions(options),
    types,
    connectionTimeoutMillis: options.connectTimeoutMs ?? jobConnectTimeoutMs,
    // A server that is gone without a word ends no statement: whoever waits for one gives up a little after its limit.
    query_timeout: options.statementTimeoutMs && options.statementTimeoutMs + answerGraceMs,
    idleTimeoutMillis: 30_000,
    application_name: `chancery ${options.role ?? 'migrate'}`,
    allowExitOnIdle: true,
    keepAlive: true,
    // A host that is gone acknowledges nothing: who waits for it is told within half a minute, also where no limit is set.
    keepAliveInitialDelayMillis: 10_000,
    ...(options.role && { verify: refuseOtherRole(options.role) }),
  })
  // An idle connection that breaks is replaced by the next query; without a listener it would end the process.
  pool.on('error', error => options.onError?.(error))

  const guarded = createGuardedPool(pool, options)
  const namesStatements = options.namesStatements ?? true
  const over = (client: pg.ClientBase) => listenedTo(databaseOver(client, namesStatements), options)
  const rows = <R>(statement: Sql) =>
    guarded.withConnection(client =>
      options.onStatement ? over(client).rows<R>(statement) : rowsOf<R>(client, statement, namesStatements),
    )
  return {
    rows,
    first: async <R>(statement: Sql) => (await rows<R>(statement))[0],
    connection(work) {
      return guarded.withConnection(client => work(over(client), client), rollBack)
    },
    transaction(work) {
      return guarded.withConnection(async client => {
        await client.query('begin')
        const result = await work(over(client))
        await client.query('commit')
        return result
      }, rollBack)
    },
    close: guarded.close,
  }
}

/** A pooler may drop what a session starts with. What then acts as whoever signs in may read what its door must not show. */
function refuseOtherRole(role: string) {
  return (client: pg.ClientBase, done: (error?: Error) => void): void => {
    client.query<{ name: string }>('select current_user as name').then(({ rows }) => {
      const name = rows[0]?.name
      if (name === role) done()
      else
        done(
          new StartupError(
            `a connection to the database acts as ${name} and not as ${role}: connect to PostgreSQL itself, or through a pooler that hands out whole sessions and passes on the options that they start with`,
          ),
        )
    }, done)
  }
}

const rollBack = (client: pg.ClientBase) => client.query('rollback')

export function databaseOver(client: pg.ClientBase, namesStatements: boolean): Database {
  const rows = <R>(statement: Sql) => rowsOf<R>(client, statement, namesStatements)
  return { rows, first: async <R>(statement: Sql) => (await rows<R>(statement))[0] }
}

/** The same, with a listener to its statements where there is one. */
function listenedTo(db: Database, { onStatement, role = 'owner' }: PoolOptions): Database {
  if (!onStatement) return db
  const rows = async <R>(statement: Sql): Promise<R[]> => {
    const began = performance.now()
    const found = await db.rows<R>(statement)
    const durationMs = Math.round((performance.now() - began) * 10) / 10
    onStatement({ role, text: statement.text, rows: found.length, durationMs })
    return found
  }
  return { rows, first: async <R>(statement: Sql) => (await rows<R>(statement))[0] }
}

async function rowsOf<R>(
  client: pg.ClientBase,
  { text, values }: Sql,
  namesStatements: boolean,
): Promise<R[]> {
  const result = await client.query({
    text,
    values,
    types,
    ...(namesStatements ? { name: statementName(text) } : {}),
  })
  return result.rows as R[]
}

/** Statement texts are few: they hold no values. */
const statementNames = new Map<string, string>()

function statementName(text: string): string {
  const known = statementNames.get(text)
  if (known !== undefined) return known
  const name = `c${createHash('sha256').update(text).digest('base64url').slice(0, 20)}`
  statementNames.set(text, name)
  return name
}
