import { isIP } from 'node:net'
import { type Connection, type ConnectionOptions, createConnection, type TypeCastField } from 'mysql2'
import {
  ConnectError,
  GameBusyError,
  GameDataError,
  GameSchemaError,
  GameUnavailableError,
} from '../errors.ts'
import type { GameOptions } from './game-views.ts'

/** One connection to a game's MySQL or MariaDB. Values are the text that the database writes, or null. */
export interface MysqlConnection {
  query(text: string, values?: unknown[]): Promise<(string | null)[][]>
  /** Rows one after the other, for large results. */
  stream(text: string, values?: unknown[]): AsyncIterable<(string | null)[]>
  close(): Promise<void>
}

const statementSeconds = 60
const lockSeconds = 10

/** Opens a connection whose results do not depend on settings of the database or its user. */
export async function openMysql(
  url: string,
  { name, isReadOnly, idleTimeoutMs }: GameOptions,
): Promise<MysqlConnection> {
  const connection = createConnection({
    ...readAddress(url),
    connectTimeout: 10_000,
    enableKeepAlive: true,
    keepAliveInitialDelay: 10_000,
    charset: 'utf8mb4',
    multipleStatements: false,
    connectAttributes: { program_name: name },
    typeCast: textOf,
  })
  let isOver = false
  const end = () => {
    isOver = true
  }
  connection.on('error', end)
  connection.on('end', end)
  const failed = (err: unknown) => explain(err, isOver)

  const query: MysqlConnection['query'] = (text, values = []) =>
    new Promise((resolve, reject) => {
      connection.query({ sql: text, rowsAsArray: true }, values, (err, rows) =>
        err ? reject(failed(err)) : resolve(Array.isArray(rows) ? (rows as (string | null)[][]) : []),
      )
    })
  const set = (settings: string) => query(`set session ${settings}`)

  try {
    await new Promise<void>((resolve, reject) => {
      connection.connect(err => (err ? reject(failed(err)) : resolve()))
    })
    await set(
      `time_zone = '+00:00', sql_mode = 'NO_ENGINE_SUBSTITUTION', character_set_results = 'utf8mb4', group_concat_max_len = 1048576,
       lock_wait_timeout = ${lockSeconds}, innodb_lock_wait_timeout = ${lockSeconds}, net_write_timeout = ${statementSeconds},
       wait_timeout = ${Math.max(1, Math.round(idleTimeoutMs / 1000))}`,
    )
    // The standard's statement, because the variable has two names.
    await set('transaction isolation level repeatable read')
    if (isReadOnly) await set('transaction read only')
    // MariaDB in seconds, else MySQL in milliseconds.
    await set(`max_statement_time = ${statementSeconds}`).catch(() =>
      set(`max_execution_time = ${statementSeconds * 1000}`),
    )
  } catch (err) {
    connection.destroy()
    throw err
  }

  return {
    query,
    async *stream(text, values = []) {
      const rows = connection.query({ sql: text, rowsAsArray: true }, values).stream()
      try {
        for await (const row of rows) yield row as (string | null)[]
      } catch (err) {
        throw failed(err)
      }
    },
    close: () => endConnection(connection),
  }
}

async function endConnection(connection: Connection): Promise<void> {
  await new Promise<void>(resolve => {
    const timer = setTimeout(resolve, 1_000)
    connection.end(() => {
      clearTimeout(timer)
      resolve()
    })
  })
  connection.destroy()
}

/** Every value as text; a bit as its number. */
function textOf(field: TypeCastField): string | null {
  if (field.type !== 'BIT') return field.string()
  const bytes = field.buffer()
  return bytes === null ? null : BigInt(`0x${bytes.toString('hex') || '0'}`).toString()
}

const sslModes: Record<string, ConnectionOptions['ssl'] | undefined> = {
  DISABLED: undefined,
  REQUIRED: { rejectUnauthorized: false },
  VERIFY_IDENTITY: { rejectUnauthorized: true, verifyIdentity: true },
}

/** `mysql://user:password@host:3306/database?ssl-mode=VERIFY_IDENTITY`, or with `?socket=/run/mysqld/mysqld.sock`. */
function readAddress(text: string): ConnectionOptions {
  const url = new URL(text)
  const known = new Set(['ssl-mode', 'socket'])
  for (const name of url.searchParams.keys())
    if (!known.has(name))
      throw new ConnectError(
        `CHANCERY_GAME_DATABASE_URL has an unknown parameter ${name}: use ssl-mode or socket`,
      )
  const mode = (url.searchParams.get('ssl-mode') ?? 'DISABLED').toUpperCase()
  if (!Object.hasOwn(sslModes, mode))
    throw new ConnectError(
      `CHANCERY_GAME_DATABASE_URL has ssl-mode=${mode}: use ${Object.keys(sslModes).join(', ')}`,
    )
  const ssl = sslModes[mode]
  if (mode === 'VERIFY_IDENTITY' && isIP(url.hostname.replace(/^\[|\]$/g, '')))
    throw new ConnectError(
      'CHANCERY_GAME_DATABASE_URL has ssl-mode=VERIFY_IDENTITY and an IP address: use the host name of the certificate',
    )
  const socket = url.searchParams.get('socket')
  const database = decodeURIComponent(url.pathname.slice(1))
  return {
    ...(socket
      ? { socketPath: socket }
      : { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 3306) }),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    ...(database && { database }),
    ...(ssl && { ssl }),
  }
}

/** Lock waits, deadlocks, statements that took too long or were stopped. */
const busy = new Set([1205, 1213, 1317, 1969, 3024])
const logIn = new Set([1044, 1045, 1049, 1251, 1698, 1524, 1820])
/** The server ends, is full, or has lost the connection. */
const unavailable = new Set([
  1040, 1053, 1077, 1152, 1158, 1159, 1160, 1161, 1203, 1226, 1927, 2006, 2013, 3169, 4031,
])
/** A value that a view cannot compute, and a view whose tables or columns no longer exist. */
const data = new Set([
  1242, 1264, 1292, 1356, 1365, 1366, 1406, 1441, 1690, 3140, 3141, 3142, 3143, 3156, 4038, 4042,
])

/** Classifies an error of the driver or of the database. */
function explain(err: unknown, isOver: boolean): unknown {
  if (!(err instanceof Error) || err instanceof ConnectError) return err
  const { errno, sqlState, code = '' } = err as { errno?: number; sqlState?: string; code?: string }
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code))
    return new ConnectError(
      `the certificate of the game's database is not trusted (${err.message}): the address needs a host name of the certificate, and NODE_EXTRA_CA_CERTS the file of a private authority`,
    )
  if (errno === undefined || sqlState === undefined || unavailable.has(errno))
    return new GameUnavailableError(err.message)
  if (logIn.has(errno))
    return new ConnectError(
      `cannot log in to the game's database: ${err.message}. Check CHANCERY_GAME_DATABASE_URL`,
    )
  if (isOver) return new GameUnavailableError(err.message)
  if (busy.has(errno)) return new GameBusyError(err.message)
  if (data.has(errno)) return new GameDataError(err.message)
  const message = `the game's database returned an error: ${err.message} (error ${errno})`
  return sqlState.startsWith('42') ? new GameSchemaError(message) : new ConnectError(message)
}
