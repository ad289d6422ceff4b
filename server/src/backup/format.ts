import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * The format of a backup, version 1. Compressed by gzip; inside, in UTF-8:
 *
 * 1. A line of JSON: the header.
 * 2. For each table a line of JSON, `{ "table": "chancery_world.nation", "columns": ["id", …] }`, and its rows as text of
 *    PostgreSQL's COPY, in chunks: a line with the number of bytes, in decimal digits, then that many bytes. A line `0` ends
 *    the table. A table comes after those that it refers to.
 * 3. A line of JSON: the end. It has the rows of each table, and the SHA-256 (hex) of every byte before this line. A file
 *    without it was cut off.
 */

export const formatVersion = 1

const headerSchema = Type.Object({
  /** The version of this format. */
  chancery_backup: Type.Integer({ minimum: 1 }),
  /** The version of Chancery that made it. */
  chancery: Type.String(),
  /** The `server_version` of the database. */
  postgresql: Type.String(),
  /** When the snapshot was taken: everything committed before is in it. */
  taken_at: Type.String(),
  /** The newest number in its event log. */
  seq: Type.Integer({ minimum: 0 }),
  /** The migrations of its schema. */
  migrations: Type.Array(
    Type.Object({ number: Type.Integer(), name: Type.String(), checksum: Type.String() }),
    { minItems: 1 },
  ),
})
const tableSchema = Type.Object({
  table: Type.String({ pattern: '^chancery_[a-z]+\\.[a-z_]+$' }),
  columns: Type.Array(Type.String(), { minItems: 1 }),
})
const endSchema = Type.Object({
  end: Type.Literal(true),
  rows: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})

export type BackupHeader = Static<typeof headerSchema>
export type BackupTable = Static<typeof tableSchema>
export type BackupEnd = Static<typeof endSchema>

const headers = Compile(headerSchema)
const tables = Compile(tableSchema)
const ends = Compile(endSchema)
export const isHeader = (value: unknown): value is BackupHeader => headers.Check(value)
export const isTable = (value: unknown): value is BackupTable => tables.Check(value)
export const isEnd = (value: unknown): value is BackupEnd => ends.Check(value)

/** The longest line of JSON, in bytes. */
export const lineBytesMax = 1_048_576

/** A backup cannot be made or restored. The message is one line that says what to do. */
export class BackupError extends Error {
  override name = 'BackupError'
}

export const damagedError = (what: string): BackupError =>
  new BackupError(`the backup is damaged or cut off (${what}): nothing of it was restored; take another copy`)
