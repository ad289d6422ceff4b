import { createHash } from 'node:crypto'
import { damagedError } from './backup-error.ts'

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
