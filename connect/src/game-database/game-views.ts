/**
 * One connection to the game's database. Methods throw GameUnavailableError, GameBusyError or GameDataError, and ConnectError if the
 * operator has to act.
 */
export interface GameConnection {
  /** Takes a lock that ends with the connection. false if another connection has it. */
  tryLock(name: string): Promise<boolean>
  keepAlive(): Promise<void>
  close(): Promise<void>
}

export interface GameOptions {
  /** The name of the program, where the database shows it. */
  name: string
  isReadOnly: boolean
  /** After this idle time the database closes the connection, which releases its locks. */
  idleTimeoutMs: number
}

/**
 * A column of a view. `category` as in PostgreSQL's pg_type.typcategory: N number, B boolean, S text, D time, A array, and so on. Where
 * a database has no type for booleans or JSON: n integer, which may be a boolean or seconds since 1970; s text, which may be JSON; v any of them.
 */
export interface ResultColumn {
  name: string
  type: string
  category: string
}

export interface Relation {
  schema: string
  name: string
  /** The column that identifies a row. */
  key: string
}

/** Reads the views of a game, in the dialect of its database. */
export interface GameViews extends GameConnection {
  /** Runs reads in one consistent snapshot. */
  inSnapshot<T>(work: () => Promise<T>): Promise<T>
  /** Runs the reads of one view. A GameDataError or GameSchemaError of them does not end the snapshot. */
  inView<T>(work: () => Promise<T>): Promise<T>
  /** The names of the views and tables of a schema, sorted. */
  relations(schema: string): Promise<string[]>
  /** What the operator should know about the database, a sentence each. */
  notes(): Promise<string[]>
  /** Until the snapshot ends they cannot change, where the database can lock them. */
  columns(relation: Relation): Promise<ResultColumn[]>
  /** Key and hash of each row, or of those of some keys. */
  hashes(
    relation: Relation,
    columns: readonly ResultColumn[],
    keys: Keys,
  ): Promise<[key: string | null, hash: string][]>
  /** The keys of some of the first rows, at most this number, at random. */
  someKeys(relation: Relation, max: number): Promise<string[]>
  /** Rows: key, and value by column as in JSON. */
  rows(
    relation: Relation,
    columns: readonly ResultColumn[],
    keys: Keys,
  ): AsyncIterable<[key: string | null, row: Record<string, unknown>]>
  /** The first rows of the table of touched keys. */
  touched(schema: string, max: number): Promise<TouchedKey[]>
  /** Deletes rows of that table, outside of a snapshot. */
  deleteTouched(schema: string, numbers: readonly string[]): Promise<void>
}

/** A sample is drawn from this number of rows: the first alone would often be the oldest. */
export const sampledMax = 100_000

export type Keys = readonly string[] | 'all'

/** Touched keys of the columns number, resource and id. */
export const touchedKeysOf = (rows: readonly unknown[][]): TouchedKey[] =>
  rows.map(([number, resource, id]) => ({
    number: String(number),
    resource: String(resource),
    id: String(id),
  }))

/** The table into which the triggers of a game write the keys of changed rows. */
export const touchedTable = 'touched'

/** A row of it. */
export interface TouchedKey {
  number: string
  resource: string
  id: string
}
