import pg from 'pg'
import {
  ConnectError,
  GameBusyError,
  GameDataError,
  GameSchemaError,
  GameUnavailableError,
} from '../errors.ts'
import type { GameConnection, GameOptions, ResultColumn } from './game-views.ts'

/**
 * One connection to a game's PostgreSQL. Values are the text that PostgreSQL writes, or null.
 * Methods throw GameUnavailableError, GameBusyError or GameDataError, and ConnectError if the operator has to act.
 */
export interface GameDatabase extends GameConnection {
  rows(text: string, values?: unknown[]): Promise<Record<string, string | null>[]>
  /** Rows without names: cheaper for large results. */
  tuples(text: string, values?: unknown[]): Promise<(string | null)[][]>
  /** Names and types of the columns of a query. */
  columns(text: string): Promise<ResultColumn[]>
  /** Calls back on each notification of a channel. */
  listen(channel: string, onNotice: () => void): Promise<void>
}

/** "chan": the first half of the advisory locks in a game's database. */
const lockSpace = 0x6368_616e

const statementMs = 60_000
const lockMs = 10_000

/** Opens a connection whose results do not depend on settings of the database or its user. */
export async function openGame(
  url: string,
  { name, isReadOnly, idleTimeoutMs }: GameOptions,
): Promise<GameDatabase> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: () => (value: unknown) => value },
  })
  let isOver = false
  client.on('error', () => {
    isOver = true
  })
  client.on('end', () => {
    isOver = true
  })

  async function run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (err) {
      throw explain(err, isOver)
    }
  }
  const types = new Map<number, { type: string; category: string }>()

  await run(() => client.connect())
  // As statements and not as options of the connection, which some poolers refuse.
  await run(() =>
    client.query(`
      set timezone = 'UTC'; set datestyle = 'ISO, MDY'; set intervalstyle = 'iso_8601'; set extra_float_digits = 1;
      set bytea_output = 'hex'; set lc_monetary = 'C'; set standard_conforming_strings = on;
      set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs};
      set idle_in_transaction_session_timeout = ${idleTimeoutMs};
      set jit = off; set max_parallel_workers_per_gather = 0;
      set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'};
      select set_config(name, '${idleTimeoutMs}', false) from pg_settings where name = 'idle_session_timeout'`),
  )

  const tuples: GameDatabase['tuples'] = (text, values) =>
    run(async () => (await client.query({ text, values, rowMode: 'array' })).rows)

  return {
    async tryLock(name) {
      const [row] = await tuples(`select pg_try_advisory_lock(${lockSpace}, hashtext($1))`, [name])
      return row?.[0] === 't'
    },
    async keepAlive() {
      await tuples('select 1')
    },
    rows: (text, values) => run(async () => (await client.query({ text, values })).rows),
    tuples,
    columns: text =>
      run(async () => {
        const { fields } = await client.query(text)
        const unknown = fields.map(field => field.dataTypeID).filter(oid => !types.has(oid))
        if (unknown.length > 0) {
          const found = await tuples(
            'select oid, format_type(oid, null), typcategory from pg_type where oid = any($1::oid[])',
            [unknown],
          )
          for (const [oid, type, category] of found)
            types.set(Number(oid), { type: type ?? '', category: category ?? '' })
        }
        return fields.map(field => ({
          name: field.name,
          ...(types.get(field.dataTypeID) ?? { type: 'unknown', category: 'X' }),
        }))
      }),
    listen: (channel, onNotice) =>
      run(async () => {
        client.on('notification', notice => {
          if (notice.channel === channel) onNotice()
        })
        await client.query(`listen ${channel}`)
      }),
    async close() {
      await client.end().catch(() => undefined)
    },
  }
}

/** Classifies an error of the driver or of PostgreSQL. */
function explain(err: unknown, isOver: boolean): unknown {
  if (err instanceof ConnectError || err instanceof GameUnavailableError || err instanceof GameBusyError)
    return err
  if (!(err instanceof Error)) return err
  const { code } = err as { code?: unknown }
  const state = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
  if (state === undefined || /^(08|57P|53)/.test(state) || state === '25P03')
    return new GameUnavailableError(err.message)
  if (/^(28|3D)/.test(state))
    return new ConnectError(
      `cannot log in to the game's database: ${err.message}. Check CHANCERY_GAME_DATABASE_URL`,
    )
  if (isOver) return new GameUnavailableError(err.message)
  if (/^(40001|40P01|55P03|57014)$/.test(state)) return new GameBusyError(err.message)
  if (/^(2[12]|3[89]|54|P0)/.test(state)) return new GameDataError(err.message)
  const message = `the game's database returned an error: ${err.message} (SQLSTATE ${state})`
  return state.startsWith('42') ? new GameSchemaError(message) : new ConnectError(message)
}
