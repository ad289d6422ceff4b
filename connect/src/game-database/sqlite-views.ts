import { createHash } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ConnectError, GameBusyError, GameDataError, GameUnavailableError } from '../errors.ts'
import {
  type GameViews,
  type Keys,
  type Relation,
  sampledMax,
  touchedKeysOf,
  touchedTable,
} from './game-views.ts'
import { lockName } from './name-lock.ts'

type Value = null | number | bigint | string | Uint8Array

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
/** SQLite has no schemas: the view of nations is chancery_out_nation. */
const relationText = ({ schema, name }: Relation) => quoted(`${schema}_${name}`)

/** After this number of rows other work of the process has its turn: reads of SQLite block it. */
const rowsAtOnce = 2_000
const busyTimeoutMs = 10_000
/** The most keys that a query lists. */
const keysMax = 1_000

/** Reads views of a SQLite file, which it never writes. */
export async function openSqliteViews(url: string): Promise<GameViews> {
  const path = pathOf(url)
  const { DatabaseSync } = await import('node:sqlite')
  const { db, file } = explained(() => ({
    db: new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs }),
    file: statSync(path).ino,
  }))
  let unlock = () => {}

  function* read(text: string, values: Value[] = []): Generator<Value[]> {
    const statement = db.prepare(text)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    yield* statement.iterate(...values) as Iterable<unknown> as Iterable<Value[]>
  }
  const all = (text: string, values?: Value[]) => explained(() => [...read(text, values)])

  async function* rowsOf(text: string, values?: Value[]): AsyncGenerator<Value[]> {
    const rows = read(text, values)
    for (let count = 1; ; count += 1) {
      const { done, value } = explained(() => rows.next())
      if (done) return
      yield value
      if (count % rowsAtOnce === 0) await setImmediate()
    }
  }

  return {
    async tryLock(name) {
      const realPath = explained(() => realpathSync(path))
      const lock = await lockName(`${name} ${realPath}`)
      if (lock) unlock = lock
      return lock !== undefined
    },
    async keepAlive() {},
    async close() {
      unlock()
      explained(() => db.close())
    },

    async inSnapshot(work) {
      // A file that replaces this one, as after a restore, is another database.
      if (explained(() => statSync(path).ino) !== file)
        throw new GameUnavailableError(`${path} is another file now`)
      explained(() => db.exec('begin'))
      try {
        // The snapshot begins with the first read.
        all('select count(*) from sqlite_schema')
        return await work()
      } finally {
        explained(() => db.exec('rollback'))
      }
    },

    inView: work => work(),

    async relations(schema) {
      const prefix = `${schema}_`
      const found = all("select name from sqlite_schema where type in ('view', 'table') order by 1")
      const names = found.map(([name]) => String(name)).filter(name => name.startsWith(prefix))
      return names.map(name => name.slice(prefix.length))
    },

    async notes() {
      const [row] = all('pragma journal_mode')
      if (row?.[0] === 'wal') return []
      return [
        `the journal mode is ${row?.[0]}: the game waits while a pull reads. Set it once: pragma journal_mode = wal`,
      ]
    },

    async columns({ schema, name }) {
      const found = all('select name, type from pragma_table_info(?)', [`${schema}_${name}`])
      // The declared type says little: the value decides.
      return found.map(([column, type]) => ({ name: String(column), type: String(type), category: 'v' }))
    },

    async hashes(relation, columns, keys) {
      const selected = columns.map(({ name }) => quoted(name)).join(', ')
      const hashes: [string | null, string][] = []
      for (const { condition, listed } of whereKeys(relation, keys))
        for await (const [key = null, ...values] of rowsOf(
          `select cast(${quoted(relation.key)} as text), ${selected} from ${relationText(relation)} ${condition}`,
          listed,
        ))
          hashes.push([key === null ? null : String(key), hashOf(values)])
      return hashes
    },

    async someKeys(relation, max) {
      const rows = all(
        `select key from (select cast(${quoted(relation.key)} as text) as key from ${relationText(relation)} limit ${sampledMax}) order by random() limit ?`,
        [max],
      )
      return rows.flatMap(([key = null]) => (key === null ? [] : [String(key)]))
    },

    async *rows(relation, columns, keys) {
      const selected = columns.map(({ name }) => quoted(name)).join(', ')
      for (const { condition, listed } of whereKeys(relation, keys))
        for await (const [rowKey = null, ...values] of rowsOf(
          `select cast(${quoted(relation.key)} as text), ${selected} from ${relationText(relation)} ${condition}`,
          listed,
        ))
          yield [
            rowKey === null ? null : String(rowKey),
            Object.fromEntries(columns.map(({ name }, index) => [name, jsonValueOf(values[index] ?? null)])),
          ]
    },

    async touched(schema, max) {
      const rows = all(
        `select rowid, resource, id from ${quoted(`${schema}_${touchedTable}`)} order by rowid limit ?`,
        [max],
      )
      return touchedKeysOf(rows)
    },

    async deleteTouched(schema, numbers) {
      // For this table alone: the connection that reads cannot write.
      const writing = explained(() => new DatabaseSync(path, { timeout: busyTimeoutMs }))
      try {
        explained(() => {
          for (let at = 0; at < numbers.length; at += keysMax) {
            const listed = numbers.slice(at, at + keysMax)
            writing
              .prepare(
                `delete from ${quoted(`${schema}_${touchedTable}`)} where rowid in (${listed.map(() => '?').join(', ')})`,
              )
              .run(...listed.map(BigInt))
          }
        })
      } finally {
        writing.close()
      }
    },
  }
}

/** Conditions that together select the rows of these keys. A column without a type may have 7 or '7': an index finds both. */
function* whereKeys(relation: Relation, keys: Keys): Generator<{ condition: string; listed: Value[] }> {
  if (keys === 'all') return yield { condition: '', listed: [] }
  for (let at = 0; at < keys.length; at += keysMax) {
    const listed = keys
      .slice(at, at + keysMax)
      .flatMap(key => (/^-?(0|[1-9]\d{0,17})$/.test(key) ? [key, BigInt(key)] : [key]))
    yield { condition: `where ${quoted(relation.key)} in (${listed.map(() => '?').join(', ')})`, listed }
  }
}

/** `sqlite:/path/game.db`, or relative: `sqlite:game.db`. */
function pathOf(url: string): string {
  const path = url.startsWith('sqlite://')
    ? fileURLToPath(url.replace('sqlite:', 'file:'))
    : url.slice('sqlite:'.length)
  if (path === '')
    throw new ConnectError('CHANCERY_GAME_DATABASE_URL names no file: use sqlite:/path/game.db')
  return path
}

/** With type and length, no two rows look the same. */
function hashOf(values: Value[]): string {
  const hash = createHash('md5')
  for (const value of values) {
    const bytes = value instanceof Uint8Array ? value : Buffer.from(String(value))
    hash.update(`${value === null ? 'null' : typeof value} ${bytes.length} `).update(bytes)
  }
  return hash.digest('base64')
}

function jsonValueOf(value: Value): unknown {
  // JSON would make null of it; the service rejects the text, and names it.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  return value instanceof Uint8Array ? Buffer.from(value).toString() : value
}

/** Classifies an error of SQLite, by its primary result code. */
function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (err) {
    const { errcode, code, message } = err as { errcode?: number; code?: string; message: string }
    if (code === 'ENOENT') throw new GameUnavailableError(message)
    if (errcode === undefined) throw err
    const primary = errcode & 0xff
    if (primary === 1 || primary === 20 || primary === 25) throw new GameDataError(message)
    if (primary === 5 || primary === 6) throw new GameBusyError(message)
    if (primary === 26) throw new ConnectError(`the file is not a SQLite database: ${message}`)
    throw new GameUnavailableError(message)
  }
}
