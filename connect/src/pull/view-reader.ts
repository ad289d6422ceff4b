import { type Contract, type FactResource, factResources, primaryKeys } from '@chancery/contract'
import { coerceValue, isNullable, typedValue, type ValueSchema } from '../coerce-value.ts'
import { ConnectError, GameDataError, GameSchemaError } from '../errors.ts'
import {
  type GameViews,
  type Keys,
  type Relation,
  type TouchedKey,
  touchedTable,
} from '../game-database/game-views.ts'
import { readColumns, type ViewColumn, viewName } from './view-columns.ts'

/** The content of one view in the snapshot of a round. */
export interface ReadView {
  resource: FactResource
  /** `chancery_out.nation` */
  name: string
  columns: ViewColumn[]
  /** By key, a hash of the row. */
  hashes: RowHashes
  /** The keys that were read, where not all rows were. `hashes` has the others as they were sent. */
  readKeys?: ReadonlySet<string>
  /** Keys of several rows. */
  duplicateKeys: Set<string>
  /** How many rows have no key. */
  rowsWithoutKey: number
}

export type RowHashes = Pick<ReadonlyMap<string, string>, 'get' | 'has' | 'keys' | 'size'>

/** A view that this round cannot read, and why. */
export interface UnreadableView {
  resource: FactResource
  name: string
  reason: string
}

/** Reads the views of one schema as facts. */
export class ViewReader {
  #views: GameViews
  #contract: Contract
  #schema: string

  constructor(views: GameViews, contract: Contract, schema: string) {
    this.#views = views
    this.#contract = contract
    this.#schema = schema
  }

  /** Runs reads in one consistent snapshot. */
  inSnapshot<T>(work: () => Promise<T>): Promise<T> {
    return this.#views.inSnapshot(work)
  }

  /** The existing views, in the order of their references, and relations whose name is not a resource. */
  async find(): Promise<{ resources: FactResource[]; unknownRelations: string[]; hasTouched: boolean }> {
    const names = new Set(await this.#views.relations(this.#schema))
    const resources = factResources.filter(resource => names.delete(resource))
    for (const ours of ['outbox', 'outbox_identity']) names.delete(ours)
    const hasTouched = names.delete(touchedTable)
    if (resources.length === 0) {
      throw new ConnectError(
        `the game's database has no view to read: create ${this.#schema}.nation or another of ${factResources.join(', ')}; chancery pull sql prints templates`,
      )
    }
    return { resources, unknownRelations: [...names], hasTouched }
  }

  /** The first touched keys, at most this number. */
  touched(max: number): Promise<TouchedKey[]> {
    return this.#views.touched(this.#schema, max)
  }

  /** Reads all rows, or those of some keys. Throws a ConnectError for columns that do not fit the contract. */
  async read(resource: FactResource, some?: SomeRows): Promise<ReadView | UnreadableView> {
    const name = viewName(this.#schema, resource)
    const relation = this.#relation(resource)
    try {
      return await this.#views.inView(async () => {
        const columns = readColumns(this.#contract, resource, name, await this.#views.columns(relation))
        const found = await this.#readHashes(relation, columns, some ? [...some.keys] : 'all')
        if (!some) return { resource, name, columns, ...found }
        const hashes = overlay(some.known, some.keys, found.hashes)
        return { resource, name, columns, ...found, hashes, readKeys: some.keys }
      })
    } catch (err) {
      if (!(err instanceof GameDataError || err instanceof GameSchemaError)) throw err
      return { resource, name, reason: err.message }
    }
  }

  /** Some rows as facts, by key, at most this number. Throws as `read`, and a GameDataError. */
  async sample(resource: FactResource, max: number): Promise<{ name: string; lines: Map<string, string> }> {
    const name = viewName(this.#schema, resource)
    const relation = this.#relation(resource)
    return this.#views.inView(async () => {
      const columns = readColumns(this.#contract, resource, name, await this.#views.columns(relation))
      const keys = await this.#views.someKeys(relation, max)
      const view = {
        resource,
        name,
        columns,
        hashes: new Map(),
        readKeys: new Set(keys),
        duplicateKeys: new Set<string>(),
        rowsWithoutKey: 0,
      }
      return { name, lines: await this.putLines(view, keys) }
    })
  }

  async #readHashes(relation: Relation, columns: ViewColumn[], keys: Keys) {
    const hashes = new Map<string, string>()
    const duplicateKeys = new Set<string>()
    let rowsWithoutKey = 0
    for (const [key, hash] of await this.#views.hashes(relation, columns, keys)) {
      if (key === null) rowsWithoutKey += 1
      else if (hashes.has(key)) duplicateKeys.add(key)
      else hashes.set(key, hash)
    }
    return { hashes, duplicateKeys, rowsWithoutKey }
  }

  /** Rows as facts, by key. */
  async putLines(
    { resource, columns, hashes, readKeys }: ReadView,
    keys: string[],
  ): Promise<Map<string, string>> {
    const lines = new Map<string, string>()
    if (keys.length === 0) return lines
    const write = this.#writer(resource, columns)
    const wanted = new Set(keys)
    const isMost = !readKeys && keys.length * 4 > hashes.size
    for await (const [key, row] of this.#views.rows(this.#relation(resource), columns, isMost ? 'all' : keys))
      if (key !== null && wanted.has(key)) lines.set(key, write(key, row))
    return lines
  }

  #writer(resource: FactResource, columns: ViewColumn[]): PutWriter {
    return putWriter(resource, this.#contract.factSchemas[resource] as ValueSchema, columns)
  }

  #relation(resource: FactResource): Relation {
    return { schema: this.#schema, name: resource, key: primaryKeys[resource] }
  }
}

/** Some rows of a view, and what is known of the others. */
export interface SomeRows {
  keys: ReadonlySet<string>
  known: KnownRows
}

interface KnownRows {
  hashes: ReadonlyMap<string, string>
  quarantined: ReadonlyMap<string, { hash: string }>
}

/** The known hashes, but for the keys that were read. */
export const overlay = (
  { hashes, quarantined }: KnownRows,
  keys: ReadonlySet<string>,
  read: ReadonlyMap<string, string>,
): RowHashes => {
  const get = (key: string) =>
    keys.has(key) ? read.get(key) : (quarantined.get(key)?.hash ?? hashes.get(key))
  return { get, has: key => get(key) !== undefined, keys: () => hashes.keys(), size: hashes.size }
}

/** Writes a row of one view as a fact. */
type PutWriter = (key: string, row: Record<string, unknown>) => string

/** A field with its column, or with its members. */
interface FieldNode {
  schema: ValueSchema
  column?: ViewColumn
  members?: Map<string, FieldNode>
}

function putWriter(resource: FactResource, whole: ValueSchema, columns: ViewColumn[]): PutWriter {
  const tree = treeOf(whole, columns)
  const keyField = primaryKeys[resource]
  return (key, row) => {
    // The key as the database writes it as text: it identifies the row.
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

function columnValue({ name, type, category, schema }: ViewColumn, row: Record<string, unknown>): unknown {
  const value = 'nsv'.includes(category) ? typedValue(schema, row[name]) : row[name]
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
