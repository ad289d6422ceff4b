import { parseExactly } from '../coerce-value.ts'
import { GameDataError } from '../errors.ts'
import {
  type GameOptions,
  type GameViews,
  type Keys,
  type Relation,
  type ResultColumn,
  sampledMax,
  touchedKeysOf,
  touchedTable,
} from './game-views.ts'
import { openMysql } from './mysql.ts'

const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``
const relationText = ({ schema, name }: Relation) => `${quoted(schema)}.${quoted(name)}`

/** The most keys that a query lists. */
const keysMax = 1_000

/** Reads views of MySQL 8 and MariaDB. The schema of the views is a database. */
export async function openMysqlViews(url: string, options: GameOptions): Promise<GameViews> {
  const db = await openMysql(url, options)
  return {
    async tryLock(name) {
      // Names have at most 64 characters, and are those of the whole server.
      const [row] = await db.query('select get_lock(?, 0)', [`chancery ${name}`.slice(0, 64)])
      return row?.[0] === '1'
    },
    async keepAlive() {
      await db.query('select 1')
    },
    close: () => db.close(),

    async inSnapshot(work) {
      await db.query('start transaction with consistent snapshot, read only')
      try {
        return await work()
      } finally {
        await db.query('rollback').catch(() => undefined)
      }
    },

    // A failed statement does not end the transaction.
    inView: work => work(),

    async relations(schema) {
      const found = await db.query(
        'select table_name from information_schema.tables where table_schema = ? order by 1',
        [schema],
      )
      return found.map(([name]) => name ?? '')
    },

    async notes() {
      const found = await db.query(
        `select concat(table_schema, '.', table_name), engine from information_schema.tables
         where engine in ('MyISAM', 'Aria', 'MEMORY') and table_type = 'BASE TABLE'
           and table_schema not in ('mysql', 'information_schema', 'performance_schema', 'sys') order by 1 limit 100`,
      )
      return found.map(
        ([table, engine]) =>
          `the table ${table} uses ${engine}, which has no transactions: a pull may see half of a change, and corrects it in the next round`,
      )
    },

    async columns(relation) {
      // An invalid view fails here with its reason. From here on it cannot be changed.
      await db.query(`select * from ${relationText(relation)} limit 0`)
      const found = await db.query(
        `select column_name, column_type, data_type from information_schema.columns
         where table_schema = ? and table_name = ? order by ordinal_position`,
        [relation.schema, relation.name],
      )
      return found.map(([name, type, dataType]) => ({
        name: name ?? '',
        type: type ?? '',
        category: categoryOf(dataType ?? ''),
      }))
    },

    async hashes(relation, columns, keys) {
      // With its length, no value can look like two.
      const parts = columns.map(
        ({ name }) => `ifnull(concat(length(${quoted(name)}), ':', ${quoted(name)}), '-')`,
      )
      const hashes: [string | null, string][] = []
      for (const { condition, values } of whereKeys(relation, columns, keys)) {
        const rows = await db.query(
          `select cast(${quoted(relation.key)} as char), md5(concat_ws(',', ${parts.join(', ')})) from ${relationText(relation)} ${condition}`,
          values,
        )
        for (const [key = null, hash] of rows) {
          // Without a hash, no change of the row would be seen.
          if (hash == null) throw new GameDataError(`the row ${key} is larger than max_allowed_packet`)
          hashes.push([key, hash])
        }
      }
      return hashes
    },

    async someKeys(relation, max) {
      const rows = await db.query(
        `select k.row_key from (select cast(${quoted(relation.key)} as char) as row_key from ${relationText(relation)} limit ${sampledMax}) k order by rand() limit ?`,
        [max],
      )
      return rows.flatMap(([key]) => key ?? [])
    },

    async *rows(relation, columns, keys) {
      const selected = columns.map(({ name }) => quoted(name)).join(', ')
      for (const { condition, values } of whereKeys(relation, columns, keys))
        for await (const [rowKey = null, ...row] of db.stream(
          `select cast(${quoted(relation.key)} as char), ${selected} from ${relationText(relation)} ${condition}`,
          values,
        ))
          yield [
            rowKey,
            Object.fromEntries(
              columns.map((column, index) => [column.name, jsonValueOf(column, row[index])]),
            ),
          ]
    },

    async touched(schema, max) {
      const rows = await db.query(
        `select number, resource, id from ${quoted(schema)}.${touchedTable} order by number limit ?`,
        [max],
      )
      return touchedKeysOf(rows)
    },

    async deleteTouched(schema, numbers) {
      await db.query('start transaction read write')
      try {
        for (let at = 0; at < numbers.length; at += keysMax)
          await db.query(`delete from ${quoted(schema)}.${touchedTable} where number in (?)`, [
            numbers.slice(at, at + keysMax).map(BigInt),
          ])
        await db.query('commit')
      } catch (err) {
        await db.query('rollback').catch(() => undefined)
        throw err
      }
    },
  }
}

/** Conditions that together select the rows of these keys. */
function* whereKeys(
  relation: Relation,
  columns: readonly ResultColumn[],
  keys: Keys,
): Generator<{ condition: string; values: unknown[] }> {
  if (keys === 'all') return yield { condition: '', values: [] }
  const key = columns.find(({ name }) => name === relation.key)
  for (let at = 0; at < keys.length; at += keysMax)
    yield {
      condition: `where ${quoted(relation.key)} in (?)`,
      values: [keys.slice(at, at + keysMax).map(text => keyValue(text, key))],
    }
}

/** A number is compared as one: a text would be compared as a double, without an index. */
const keyValue = (key: string, column: ResultColumn | undefined) =>
  column?.category === 'n' && /^-?\d+$/.test(key) ? BigInt(key) : key

const integers = new Set(['tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'year', 'bit'])
const numbers = new Set(['decimal', 'float', 'double'])
const times = new Set(['date', 'datetime', 'timestamp'])

function categoryOf(dataType: string): string {
  if (integers.has(dataType)) return 'n'
  if (numbers.has(dataType)) return 'N'
  if (times.has(dataType)) return 'D'
  return dataType === 'time' ? 'T' : 's'
}

/** A value as in JSON. A date without a day is how these databases write "never". */
function jsonValueOf({ category, type }: ResultColumn, text: string | null | undefined): unknown {
  if (text === null || text === undefined) return null
  if (category === 'n' || category === 'N') return parseExactly(text.replace(/^(-?)0+(?=\d)/, '$1'))
  if (category === 'D' && text.startsWith('0000-00-00')) return null
  return type === 'json' ? parseExactly(text) : text
}
