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

/** Receives the parts of a backup in their order. */
export interface BackupConsumer {
  header(header: BackupHeader): Promise<void>
  /** Receives the rows of a table as text of COPY. Returns their number. */
  table(table: BackupTable, text: AsyncIterable<Buffer>): Promise<number>
}

/** The header and the rows of each table of a complete backup. */
export interface BackupSummary extends BackupHeader {
  rows: Record<string, number>
}

/**
 * Reads a backup to its end and passes its parts to `consumer`.
 * @throws {BackupError} if it is not a backup, of a later format, damaged or cut off. What `consumer` has received must then be undone.
 */
export async function readBackup(
  source: AsyncIterable<Buffer>,
  consumer: BackupConsumer,
): Promise<BackupSummary> {
  const gunzip = createGunzip()
  pipeline(Readable.from(source), gunzip, () => undefined)
  try {
    return await readContents(createByteReader(gunzip), consumer)
  } catch (error) {
    throw isZlibError(error) ? damagedError('invalid compressed data') : error
  } finally {
    gunzip.destroy()
  }
}

async function readContents(reader: ByteReader, consumer: BackupConsumer): Promise<BackupSummary> {
  const header = await readHeader(reader)
  await consumer.header(header)
  const rows = new Map<string, number>()
  for (;;) {
    const digest = reader.digest()
    const line = parse(await reader.line(lineBytesMax))
    if (isEnd(line)) {
      const isWhole = line.sha256 === digest && isSame(rows, line.rows) && (await reader.isAtEnd())
      if (!isWhole) throw damagedError('its checksum or row counts differ')
      return { ...header, rows: line.rows }
    }
    if (!isTable(line) || rows.has(line.table)) throw damagedError('invalid header of a table')
    rows.set(line.table, await consumer.table(line, textOf(reader)))
  }
}

async function readHeader(reader: ByteReader): Promise<BackupHeader> {
  const header = parse(await reader.line(lineBytesMax))
  const { chancery_backup: format } = Object(header) as Partial<BackupHeader>
  if (typeof format !== 'number') throw new BackupError('this is not a backup of Chancery')
  if (format !== formatVersion)
    throw new BackupError('the backup was made by a newer Chancery: restore it with that version')
  if (!isHeader(header)) throw damagedError('invalid header')
  return header
}

/** The chunks of one table. */
async function* textOf(reader: ByteReader): AsyncGenerator<Buffer> {
  for (;;) {
    const line = await reader.line(16)
    if (!/^(0|[1-9]\d{0,14})$/.test(line)) throw damagedError('invalid chunk length')
    if (line === '0') return
    yield* reader.bytes(Number(line))
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw line.startsWith('{')
      ? damagedError('invalid JSON')
      : new BackupError('this is not a backup of Chancery')
  }
}

const isSame = (counted: ReadonlyMap<string, number>, stated: Record<string, number>): boolean =>
  counted.size === Object.keys(stated).length &&
  [...counted].every(([table, count]) => stated[table] === count)

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^Z_|^ERR_.*ZLIB/.test(String(error.code))

/** Verifies that a backup is complete, and returns its summary. Throws like `readBackup`. */
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
  /** The next line without its newline. @throws {BackupError} if there is none, or it is too long. */
  line(bytesMax: number): Promise<string>
  /** The next `count` bytes, in chunks. @throws {BackupError} if there are fewer. */
  bytes(count: number): AsyncGenerator<Buffer>
  isAtEnd(): Promise<boolean>
  /** The SHA-256 (hex) of everything read so far. */
  digest(): string
}

const newline = 0x0a

function createByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  const hash = createHash('sha256')
  let buffered: Buffer = Buffer.alloc(0)

  async function hasMore(): Promise<boolean> {
    while (buffered.length === 0) {
      const next = await chunks.next()
      if (next.done) return false
      buffered = next.value
    }
    return true
  }

  function take(count: number): Buffer {
    const taken = buffered.subarray(0, count)
    buffered = buffered.subarray(count)
    hash.update(taken)
    return taken
  }

  return {
    async line(bytesMax) {
      const parts: Buffer[] = []
      let length = 0
      for (;;) {
        if (!(await hasMore())) throw damagedError('it ends early')
        const end = buffered.indexOf(newline)
        const part = take(end === -1 ? buffered.length : end + 1)
        length += part.length
        if (length > bytesMax) throw damagedError('a line is too long')
        parts.push(part)
        if (end !== -1) return Buffer.concat(parts).toString('utf8', 0, length - 1)
      }
    },
    async *bytes(count) {
      for (let left = count; left > 0; ) {
        if (!(await hasMore())) throw damagedError('it ends early')
        const part = take(left)
        left -= part.length
        yield part
      }
    },
    isAtEnd: async () => !(await hasMore()),
    digest: () => hash.copy().digest('hex'),
  }
}
