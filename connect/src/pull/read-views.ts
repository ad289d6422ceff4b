import { type Contract, type FactResource, factResources, primaryKeys } from '@chancery/contract'
import { ConnectError, GameDataError } from '../errors.ts'
import type { ValueSchema } from '../fit-value.ts'
import type { GameDatabase } from '../game-database.ts'
import { readColumns, type ViewColumn, viewName } from './columns.ts'
import { type PutWriter, putWriter } from './put-line.ts'

/** What one view holds at the moment of the round. */
export interface ReadView {
  resource: FactResource
  /** As people call it. */
  name: string
  columns: ViewColumn[]
  /** By key, a hash of the row. */
  hashes: Map<string, string>
  /** Keys that several rows have. */
  doubled: Set<string>
  /** How many rows have no key at all. */
  keyless: number
}

/** A view that this round cannot read, and why. */
export interface UnreadableView {
  resource: FactResource
  name: string
  reason: string
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const fetchedAtOnce = 5_000

export class ViewReader {
  #db: GameDatabase
  #contract: Contract
  #schema: string

  constructor(db: GameDatabase, contract: Contract, schema: string) {
    this.#db = db
    this.#contract = contract
    this.#schema = schema
  }

  /** All in one consistent snapshot. */
  async inSnapshot<T>(work: () => Promise<T>): Promise<T> {
    await this.#db.rows('begin isolation level repeatable read read only')
    try {
      return await work()
    } finally {
      await this.#db.rows('rollback').catch(() => undefined)
    }
  }

  /** The views that there are, in the order in which facts build on each other; and relations whose name is no resource. */
  async find(): Promise<{ resources: FactResource[]; strangers: string[] }> {
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
        `the game's database has no view to read: make ${this.#schema}.nation or another of ${factResources.join(', ')}; chancery pull sql prints one to begin with`,
      )
    }
    return { resources, strangers: [...names] }
  }

  /** Throws a ConnectError for a view whose columns are not what the contract takes. */
  async read(resource: FactResource): Promise<ReadView | UnreadableView> {
    const name = viewName(this.#schema, resource)
    await this.#db.rows('savepoint one_view')
    try {
      // Locks the view as it is now: until the round ends nobody gives it other columns.
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
    const doubled = new Set<string>()
    let keyless = 0
    const key = quoted(primaryKeys[resource])
    const rows = await this.#db.tuples(
      `select ${key}::text, hashtextextended(view_row::text, 0)::text from ${this.#relation(resource)} as view_row`,
    )
    for (const [rowKey, hash = ''] of rows) {
      if (rowKey === null || rowKey === undefined) keyless += 1
      else if (hashes.has(rowKey)) doubled.add(rowKey)
      else hashes.set(rowKey, hash ?? '')
    }
    return { hashes, doubled, keyless }
  }

  /** The rows of these keys as facts, by key. */
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
      const rows = await this.#db.tuples(`fetch ${fetchedAtOnce} from changed`)
      for (const [rowKey, json] of rows) {
        if (typeof rowKey === 'string' && typeof json === 'string' && wanted.has(rowKey))
          lines.set(rowKey, write(rowKey, json))
      }
      if (rows.length < fetchedAtOnce) break
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
