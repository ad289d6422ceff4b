import { type Contract, type FactResource, factResources, primaryKeys } from '@chancery/contract'
import { coerceValue, isNullable, parseExactly, type ValueSchema } from '../coerce-value.ts'
import { ConnectError, GameDataError } from '../errors.ts'
import type { GameDatabase } from '../game-database.ts'
import { readColumns, type ViewColumn, viewName } from './view-columns.ts'

/** The content of one view in the snapshot of a round. */
export interface ReadView {
  resource: FactResource
  /** `chancery_out.nation` */
  name: string
  columns: ViewColumn[]
  /** By key, a hash of the row. */
  hashes: Map<string, string>
  /** Keys of several rows. */
  duplicateKeys: Set<string>
  /** How many rows have no key. */
  rowsWithoutKey: number
}

/** A view that this round cannot read, and why. */
export interface UnreadableView {
  resource: FactResource
  name: string
  reason: string
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const fetchSize = 5_000

/** Reads the views of one schema as facts. */
export class ViewReader {
  #db: GameDatabase
  #contract: Contract
  #schema: string

  constructor(db: GameDatabase, contract: Contract, schema: string) {
    this.#db = db
    this.#contract = contract
    this.#schema = schema
  }

  /** Runs reads in one consistent snapshot. */
  async inSnapshot<T>(work: () => Promise<T>): Promise<T> {
    await this.#db.rows('begin isolation level repeatable read read only')
    try {
      return await work()
    } finally {
      await this.#db.rows('rollback').catch(() => undefined)
    }
  }

  /** The existing views, in the order of their references, and relations whose name is not a resource. */
  async find(): Promise<{ resources: FactResource[]; unknownRelations: string[] }> {
    const found = await this.#db.tuples(
      `select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1 and c.relkind in ('v', 'm', 'r', 'p', 'f') order by 1`,
      [this.#schema],
    )
    const names = new Set(found.map(([name]) => name ?? ''))
    const resources = factResources.filter(resource => names.delete(resource))
    for (const ours of ['outbox', 'outbox_identity']) names.delete(ours)
    if (resources.length === 0) {
      throw new ConnectError(
        `the game's database has no view to read: create ${this.#schema}.nation or another of ${factResources.join(', ')}; chancery pull sql prints templates`,
      )
    }
    return { resources, unknownRelations: [...names] }
  }

  /** Throws a ConnectError for columns that do not fit the contract. */
  async read(resource: FactResource): Promise<ReadView | UnreadableView> {
    const name = viewName(this.#schema, resource)
    await this.#db.rows('savepoint one_view')
    try {
      // Locks the view: its columns cannot change until the round ends.
      const found = await this.#db.columns(`select * from ${this.#relation(resource)} limit 0`)
      const columns = readColumns(this.#contract, resource, name, found)
      return { resource, name, columns, ...(await this.#readHashes(resource)) }
    } catch (err) {
      if (!(err instanceof GameDataError)) throw err
      await this.#db.rows('rollback to savepoint one_view')
      return { resource, name, reason: err.message }
    }
  }

  async #readHashes(resource: FactResource) {
    const hashes = new Map<string, string>()
    const duplicateKeys = new Set<string>()
    let rowsWithoutKey = 0
    const key = quoted(primaryKeys[resource])
    const rows = await this.#db.tuples(
      `select ${key}::text, hashtextextended(view_row::text, 0)::text from ${this.#relation(resource)} as view_row`,
    )
    for (const [rowKey, hash = ''] of rows) {
      if (rowKey === null || rowKey === undefined) rowsWithoutKey += 1
      else if (hashes.has(rowKey)) duplicateKeys.add(rowKey)
      else hashes.set(rowKey, hash ?? '')
    }
    return { hashes, duplicateKeys, rowsWithoutKey }
  }

  /** Rows as facts, by key. */
  async putLines({ resource, columns, hashes }: ReadView, keys: string[]): Promise<Map<string, string>> {
    const lines = new Map<string, string>()
    if (keys.length === 0) return lines
    const write = this.#writer(resource, columns)
    const key = quoted(primaryKeys[resource])
    const isMost = keys.length * 4 > hashes.size
    const wanted = new Set(keys)
    await this.#db.rows(
      `declare changed no scroll cursor for
       select ${key}::text, to_json(view_row)::text from ${this.#relation(resource)} as view_row
       ${isMost ? '' : `where ${key}::text = any($1::text[])`}`,
      isMost ? [] : [keys],
    )
    for (;;) {
      const rows = await this.#db.tuples(`fetch ${fetchSize} from changed`)
      for (const [rowKey, json] of rows) {
        if (typeof rowKey === 'string' && typeof json === 'string' && wanted.has(rowKey))
          lines.set(rowKey, write(rowKey, json))
      }
      if (rows.length < fetchSize) break
    }
    await this.#db.rows('close changed')
    return lines
  }

  #writer(resource: FactResource, columns: ViewColumn[]): PutWriter {
    return putWriter(resource, this.#contract.factSchemas[resource] as ValueSchema, columns)
  }

  #relation(resource: FactResource): string {
    return `${quoted(this.#schema)}.${quoted(resource)}`
  }
}

/** Writes a row of one view as a fact. `rowJson` is the result of `to_json`. */
type PutWriter = (key: string, rowJson: string) => string

/** A field with its column, or with its members. */
interface FieldNode {
  schema: ValueSchema
  column?: ViewColumn
  members?: Map<string, FieldNode>
}

function putWriter(resource: FactResource, whole: ValueSchema, columns: ViewColumn[]): PutWriter {
  const tree = treeOf(whole, columns)
  const keyField = primaryKeys[resource]
  return (key, rowJson) => {
    const row = parseExactly(rowJson) as Record<string, unknown>
    // The key as PostgreSQL writes it as text: it identifies the row.
    const data = { ...memberValues(tree, row), [keyField]: key }
    return JSON.stringify({ op: 'put', resource, data })
  }
}

function treeOf(whole: ValueSchema, columns: ViewColumn[]): Map<string, FieldNode> {
  const tree = new Map<string, FieldNode>()
  for (const column of columns) {
    let schema = whole
    let members = tree
    for (const [index, word] of column.path.entries()) {
      schema = schema.properties?.[word] ?? {}
      const node: FieldNode = members.get(word) ?? { schema }
      members.set(word, node)
      if (index === column.path.length - 1) node.column = column
      else {
        node.members ??= new Map()
        members = node.members
      }
    }
  }
  return tree
}

function memberValues(tree: Map<string, FieldNode>, row: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [word, { schema, column, members }] of tree) {
    const value = column ? columnValue(column, row) : objectValue(schema, members ?? new Map(), row)
    if (value !== undefined) values[word] = value
  }
  return values
}

function columnValue({ name, type, schema }: ViewColumn, row: Record<string, unknown>): unknown {
  const value = row[name]
  // The padding of a char(n) is not data.
  return coerceValue(
    schema,
    type === 'character' && typeof value === 'string' ? value.replace(/ +$/, '') : value,
  )
}

/** Null if all of its members are null. */
function objectValue(
  schema: ValueSchema,
  members: Map<string, FieldNode>,
  row: Record<string, unknown>,
): unknown {
  const isUnknown = isNullable(schema) && leafColumns(members).every(({ name }) => row[name] === null)
  return isUnknown ? null : memberValues(members, row)
}

function leafColumns(members: Map<string, FieldNode>): ViewColumn[] {
  return [...members.values()].flatMap(({ column, members: inner }) =>
    column ? [column] : leafColumns(inner ?? new Map()),
  )
}
