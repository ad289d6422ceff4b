/**
 * PostgreSQL: connection pools with one database role each, transactions, migrations, the heartbeat and the bundled server. A public read
 * cannot reach a secret, because its role has no permission. Start reading here; `pools.ts` lists the roles, `pulse.ts` has the heartbeat and
 * the health signal, `open-store.ts` opens the database at start.
 */
import { createHash } from 'node:crypto'
import pg from 'pg'
import sql, { type Sql } from 'sql-template-tag'
import { StartupError } from '../start/startup-error.ts'
import { createQueryTimeout, OtherServerError } from './database-errors.ts'
import { createGuardedPool, type DatabaseHealth } from './guarded-pool.ts'

export { default as sql, join, raw, type Sql } from 'sql-template-tag'
export { isUnavailable } from './database-errors.ts'

/** A text as part of a statement without values. */
export const literal = pg.escapeLiteral

/** Runs SQL statements as one role. */
export interface Database {
  /** All rows of one statement. */
  rows<R>(statement: Sql): Promise<R[]>
  /** The first row, or undefined. */
  first<R>(statement: Sql): Promise<R | undefined>
}

export interface Transaction extends Database {
  /** Several statements without values, sent together. */
  run(statements: string[]): Promise<void>
}

/** A pool of connections that all act as one role. */
export interface DatabasePool extends Database {
  /** Runs `work` in a transaction, and rolls back if it fails. */
  transaction<T>(work: (db: Transaction) => Promise<T>): Promise<T>
  /** Runs `work` on one connection, outside a transaction. */
  connection<T>(work: (db: Database, client: pg.PoolClient) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Called after a statement. Its text has placeholders; the values are not passed. */
export type StatementListener = (statement: {
  role: string
  text: string
  rows: number
  durationMs: number
}) => void

/** A PostgreSQL database: a connection string, or its parts. */
export type ConnectionTarget =
  | { connectionString: string }
  | { host: string; port: number; user: string; password?: string; database: string }

export interface PoolOptions {
  target: ConnectionTarget
  /** The role of every session. Default: the user that connects. */
  role?: string
  /** Whether sessions may be of this server, by the time of its start. Default: any that is not a replica. */
  isExpectedServer?: ((startedAt: string) => boolean) | undefined
  connectionsMax: number
  statementTimeoutMs?: number
  lockTimeoutMs?: number
  /** Default: jobConnectTimeoutMs. */
  connectTimeoutMs?: number
  /** Further session settings. */
  settings?: Record<string, string | number>
  /** Use named prepared statements, which are planned once. Off behind a pooler that shares sessions. */
  namesStatements?: boolean
  onError?: (error: Error) => void
  /** Called after each statement, but for those that begin and end transactions. */
  onStatement?: StatementListener | undefined
  /** While the database does not respond, checkouts fail at once. Without, only the timeouts apply. */
  health?: DatabaseHealth | undefined
  /** How long queries in flight continue after the database stopped responding. Default: 0. */
  graceMs?: number
}

/** Numbers stay numbers (all are at most 2^53-1 or decimals that come back exactly; sums of scores are rounded) and times are RFC 3339 in UTC. */
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

/** A time as the value of a parameter. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()

/** Session settings. No parallel workers and no JIT: for short statements both cost more than they save. */
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

/** How long a start, a migration or a backup waits for a connection. */
export const jobConnectTimeoutMs = 20_000

/** Added to the statement timeout for the network. */
const queryGraceMs = 1_000

interface SendOptions {
  namesStatements: boolean
  /** A server that died without closing the connection enforces no statement timeout: this does, a little later. */
  timeoutMs?: number | undefined
}

export function createPool(options: PoolOptions): DatabasePool {
  const timeoutMs = options.statementTimeoutMs && options.statementTimeoutMs + queryGraceMs
  const pool = new pg.Pool({
    ...options.target,
    max: options.connectionsMax,
    options: sessionOptions(options),
    types,
    connectionTimeoutMillis: options.connectTimeoutMs ?? jobConnectTimeoutMs,
    idleTimeoutMillis: 30_000,
    application_name: `chancery ${options.role ?? 'migrate'}`,
    allowExitOnIdle: true,
    keepAlive: true,
    // Detects a dead host within half a minute, also without a statement timeout.
    keepAliveInitialDelayMillis: 10_000,
    ...(options.role && { verify: verifySession(options.role, options.isExpectedServer, timeoutMs) }),
  })
  // The next query replaces a broken idle connection; without a listener the error would exit the process.
  pool.on('error', error => options.onError?.(error))

  const guarded = createGuardedPool(pool, options)
  const sendOptions = { namesStatements: options.namesStatements ?? true, timeoutMs }
  const over = (client: pg.ClientBase) => withListener(databaseOver(client, sendOptions), options)
  const rollBack = (client: pg.ClientBase) => send(client, 'rollback', timeoutMs)
  const rows = <R>(statement: Sql) =>
    guarded.withConnection(client =>
      options.onStatement ? over(client).rows<R>(statement) : rowsOf<R>(client, statement, sendOptions),
    )
  return {
    rows,
    first: async <R>(statement: Sql) => (await rows<R>(statement))[0],
    connection(work) {
      return guarded.withConnection(client => work(over(client), client), rollBack)
    },
    transaction(work) {
      return guarded.withConnection(async client => {
        await send(client, 'begin', timeoutMs)
        const result = await work({
          ...over(client),
          run: statements => runTogether(client, statements, options, timeoutMs),
        })
        await send(client, 'commit', timeoutMs)
        return result
      }, rollBack)
    },
    close: guarded.close,
  }
}

interface Session {
  role: string
  isReplica: boolean
  startedAt: string
}

/**
 * A pooler may drop the startup options: the session would then have the rights of the user that connects, which are too wide. And an
 * address may lead to another server after a failover, or to one that has not been promoted yet and lacks what was revoked since.
 */
function verifySession(
  role: string,
  isExpectedServer: PoolOptions['isExpectedServer'],
  timeoutMs: number | undefined,
) {
  const problemOf = (session: Session | undefined): Error | undefined => {
    if (session?.role !== role)
      return new StartupError(
        `a database session has the role ${session?.role} instead of ${role}: connect to PostgreSQL directly, or through a pooler in session mode that passes startup options on`,
      )
    const isExpected = isExpectedServer ? isExpectedServer(session.startedAt) : !session.isReplica
    return isExpected ? undefined : new OtherServerError()
  }
  return (client: pg.ClientBase, done: (error?: Error) => void): void => {
    const text = `select current_user as role, pg_is_in_recovery() as "isReplica", pg_postmaster_start_time() as "startedAt"`
    send<Session>(client, { text, types }, timeoutMs).then(
      ({ rows: [session] }) => done(problemOf(session)),
      done,
    )
  }
}

export function databaseOver(client: pg.ClientBase, options: SendOptions): Database {
  const rows = <R>(statement: Sql) => rowsOf<R>(client, statement, options)
  return { rows, first: async <R>(statement: Sql) => (await rows<R>(statement))[0] }
}

/** The same with `onStatement` called after each statement. */
function withListener(db: Database, options: PoolOptions): Database {
  if (!options.onStatement) return db
  const rows = <R>(statement: Sql) => observed(options, statement.text, () => db.rows<R>(statement))
  return { rows, first: async <R>(statement: Sql) => (await rows<R>(statement))[0] }
}

async function observed<R>(
  { onStatement, role = 'owner' }: PoolOptions,
  text: string,
  run: () => Promise<R[]>,
): Promise<R[]> {
  const began = performance.now()
  const found = await run()
  const durationMs = Math.round((performance.now() - began) * 10) / 10
  onStatement?.({ role, text, rows: found.length, durationMs })
  return found
}

/** PostgreSQL takes several statements in one message without values and names only. */
async function runTogether(
  client: pg.ClientBase,
  statements: string[],
  options: PoolOptions,
  timeoutMs: number | undefined,
): Promise<void> {
  const text = statements.join(';\n')
  await observed(options, text, async () => {
    await send(client, text, timeoutMs)
    return []
  })
}

async function rowsOf<R>(
  client: pg.ClientBase,
  { text, values }: Sql,
  { namesStatements, timeoutMs }: SendOptions,
): Promise<R[]> {
  const name = namesStatements ? { name: statementName(text) } : {}
  return (await send<R & object>(client, { text, values, types, ...name }, timeoutMs)).rows
}

/**
 * Sends a statement, and stops waiting for its result after `timeoutMs`. Not with the promise and the `query_timeout` of the driver: with
 * them a query and its rows stay in V8's old generation until that is collected, and so do those after it.
 */
async function send<R extends object>(
  client: pg.ClientBase,
  statement: string | pg.QueryConfig,
  timeoutMs: number | undefined,
): Promise<pg.QueryResult<R>> {
  try {
    return await new Promise((resolve, reject) => {
      const timer = timeoutMs && setTimeout(() => reject(createQueryTimeout()), timeoutMs)
      client.query<R>(statement as pg.QueryConfig, (error, result) => {
        clearTimeout(timer)
        if (error) reject(error)
        else resolve(result)
      })
    })
  } catch (error) {
    // The driver's stack ends at its socket; this one leads to the caller.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}

/** Bounded: statement texts are few, because they contain no values. */
const statementNames = new Map<string, string>()

function statementName(text: string): string {
  const known = statementNames.get(text)
  if (known !== undefined) return known
  const name = `c${createHash('sha256').update(text).digest('base64url').slice(0, 20)}`
  statementNames.set(text, name)
  return name
}

const rowsPerStep = 5_000

/** Deletes rows in steps. Skips rows that another process is deleting or updating. Returns how many were deleted. */
export async function deleteInSteps(db: Database, table: Sql, condition: Sql): Promise<number> {
  const step = sql`
    delete from ${table} where ctid = any(array(
      select ctid from ${table} where ${condition} limit ${rowsPerStep} for update skip locked))
    returning 1`
  let deleted = 0
  for (let rows = rowsPerStep; rows === rowsPerStep; deleted += rows) rows = (await db.rows(step)).length
  return deleted
}
