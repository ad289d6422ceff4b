import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import {
  BackupError,
  type BackupHeader,
  type BackupTable,
  damagedError,
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

/** Reads lines and counted bytes from chunks of any size. */
export interface ByteReader {
  /** The next line without its end. @throws {BackupError} where there is none, or none so short. */
  line(bytesMax: number): Promise<string>
  /** The next so many bytes, in chunks. @throws {BackupError} where there are fewer. */
  bytes(count: number): AsyncGenerator<Buffer>
  isAtEnd(): Promise<boolean>
  /** The SHA-256 (hex) of all that was read so far. */
  digest(): string
}

const newline = 0x0a

export function createByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  const hash = createHash('sha256')
  let held: Buffer = Buffer.alloc(0)

  async function hasMore(): Promise<boolean> {
    while (held.length === 0) {
      const next = await chunks.next()
      if (next.done) return false
      held = next.value
    }
    return true
  }

  function take(count: number): Buffer {
    const taken = held.subarray(0, count)
    held = held.subarray(count)
    hash.update(taken)
    return taken
  }

  return {
    async line(bytesMax) {
      const parts: Buffer[] = []
      let length = 0
      for (;;) {
        if (!(await hasMore())) throw damagedError('it ends in the middle')
        const end = held.indexOf(newline)
        const part = take(end === -1 ? held.length : end + 1)
        length += part.length
        if (length > bytesMax) throw damagedError('a line is too long')
        parts.push(part)
        if (end !== -1) return Buffer.concat(parts).toString('utf8', 0, length - 1)
      }
    },
    async *bytes(count) {
      for (let left = count; left > 0; ) {
        if (!(await hasMore())) throw damagedError('it ends in the middle')
        const part = take(left)
        left -= part.length
        yield part
      }
    },
    isAtEnd: async () => !(await hasMore()),
    digest: () => hash.copy().digest('hex'),
  }
}
