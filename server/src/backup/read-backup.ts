import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { BackupError, damagedError } from './backup-error.ts'
import { type ByteReader, createByteReader } from './byte-reader.ts'
import {
  type BackupHeader,
  type BackupTable,
  formatVersion,
  isEnd,
  isHeader,
  isTable,
  lineBytesMax,
} from './format.ts'

/** Takes what a backup holds, in its order. */
export interface BackupConsumer {
  header(header: BackupHeader): Promise<void>
  /** Takes all rows of a table, as text of COPY. Returns how many there were. */
  table(table: BackupTable, text: AsyncIterable<Buffer>): Promise<number>
}

/** What was read, when all of it was whole. */
export interface BackupSummary extends BackupHeader {
  rows: Record<string, number>
}

/**
 * Reads a backup to its end and hands on what it holds.
 * @throws {BackupError} where it is none, is of a later format, is damaged or cut off. What `taker` was given before is then to be undone.
 */
export async function readBackup(
  source: AsyncIterable<Buffer>,
  taker: BackupConsumer,
): Promise<BackupSummary> {
  const gunzip = createGunzip()
  pipeline(Readable.from(source), gunzip, () => undefined)
  try {
    return await readContents(createByteReader(gunzip), taker)
  } catch (error) {
    throw isZlibError(error) ? damagedError('its compression is not whole') : error
  } finally {
    gunzip.destroy()
  }
}

async function readContents(reader: ByteReader, taker: BackupConsumer): Promise<BackupSummary> {
  const header = await readHeader(reader)
  await taker.header(header)
  const rows = new Map<string, number>()
  for (;;) {
    const digest = reader.digest()
    const line = parse(await reader.line(lineBytesMax))
    if (isEnd(line)) {
      const isWhole = line.sha256 === digest && isSame(rows, line.rows) && (await reader.isAtEnd())
      if (!isWhole) throw damagedError('its end does not fit what is before it')
      return { ...header, rows: line.rows }
    }
    if (!isTable(line) || rows.has(line.table)) throw damagedError('it does not say which table follows')
    rows.set(line.table, await taker.table(line, textOf(reader)))
  }
}

async function readHeader(reader: ByteReader): Promise<BackupHeader> {
  const header = parse(await reader.line(lineBytesMax))
  const { chancery_backup: format } = Object(header) as Partial<BackupHeader>
  if (typeof format !== 'number') throw new BackupError('this is no backup of Chancery')
  if (format !== formatVersion)
    throw new BackupError('the backup was made by a newer Chancery: restore it with that version')
  if (!isHeader(header)) throw damagedError('its first line is not whole')
  return header
}

/** The chunks of one table. */
async function* textOf(reader: ByteReader): AsyncGenerator<Buffer> {
  for (;;) {
    const line = await reader.line(16)
    if (!/^(0|[1-9]\d{0,14})$/.test(line)) throw damagedError('it does not say how much follows')
    if (line === '0') return
    yield* reader.bytes(Number(line))
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw line.startsWith('{')
      ? damagedError('a line is not whole')
      : new BackupError('this is no backup of Chancery')
  }
}

const isSame = (counted: ReadonlyMap<string, number>, said: Record<string, number>): boolean =>
  counted.size === Object.keys(said).length && [...counted].every(([table, count]) => said[table] === count)

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^Z_|^ERR_.*ZLIB/.test(String(error.code))

const newline = 0x0a

/** Looks whether a backup is whole, and says what it holds. Throws as `readBackup` does. */
export function checkBackup(source: AsyncIterable<Buffer>): Promise<BackupSummary> {
  return readBackup(source, {
    header: async () => undefined,
    async table(_table, text) {
      let rows = 0
      for await (const chunk of text) {
        for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) rows += 1
      }
      return rows
    },
  })
}
