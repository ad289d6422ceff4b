import { createReadStream } from 'node:fs'
import { createDeferred } from './deferred.ts'
import { QueueFullError } from './errors.ts'
import type { Spool } from './spool.ts'

/** A batch that waits to be sent, in memory or in the spool. */
export interface QueuedBatch {
  id: string
  bytes: number
  /** Its lines as NDJSON, the commit last. */
  chunks(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** The batches that the service has not responded to, in order. With a spool they are on disk. */
export interface BatchQueue {
  /**
   * Resolves when the batch is stored: with a spool on disk, else in memory. If the disk fails it stays in memory.
   * @throws {QueueFullError} at once, without the batch.
   */
  add(id: string, text: string): Promise<void>
  /** The next batches, as many as suit one request. */
  next(): QueuedBatch[]
  /** Resolves when `next` has something to return. */
  filled(signal: AbortSignal): Promise<void>
  /** The service has responded to the first batch. `isKept`: it stays in the spool's folder of rejected batches. */
  remove(options?: { isKept?: boolean }): Promise<void>
  readonly length: number
}

interface Entry {
  id: string
  bytes: number
  /** Undefined once it is on disk. */
  text: string | undefined
  file: string | undefined
  isStored: boolean
}

const requestBytesMax = 4_194_304
const requestBatchesMax = 100

/** Without a spool, batches are in memory only. */
export function createQueue(
  spool: Spool | undefined,
  { bytesMax, log }: { bytesMax: number; log(message: string): void },
): BatchQueue {
  const entries: Entry[] = (spool?.found ?? []).map(found => ({ ...found, text: undefined, isStored: true }))
  let bytes = entries.reduce((sum, entry) => sum + entry.bytes, spool?.rejectedBytes ?? 0)
  let writing = Promise.resolve()
  let change = createDeferred<void>()

  function announce() {
    change.resolve()
    change = createDeferred()
  }

  async function store(entry: Entry): Promise<void> {
    try {
      if (spool && entry.text !== undefined) {
        entry.file = await spool.write(entry.text)
        entry.text = undefined
      }
    } catch (err) {
      log(`${(err as Error).message}: the facts are in memory only`)
      throw err
    } finally {
      entry.isStored = true
      announce()
    }
  }

  const stored = () => {
    const first = entries.findIndex(({ isStored }) => !isStored)
    return first < 0 ? entries : entries.slice(0, first)
  }

  return {
    add(id, text) {
      const size = Buffer.byteLength(text)
      if (bytes + size > bytesMax)
        throw new QueueFullError(
          `${entries.length} batches (${bytes} bytes) wait to be sent, and a batch of ${size} bytes would exceed the limit of ${bytesMax}`,
        )
      const entry: Entry = { id, bytes: size, text, file: undefined, isStored: false }
      entries.push(entry)
      bytes += size
      const storing = writing.then(() => store(entry))
      writing = storing.catch(() => undefined)
      return storing
    },

    next() {
      const batches: QueuedBatch[] = []
      let size = 0
      for (const entry of stored()) {
        size += entry.bytes
        if (batches.length > 0 && (batches.length === requestBatchesMax || size > requestBytesMax)) break
        batches.push({ id: entry.id, bytes: entry.bytes, chunks: () => chunksOf(entry) })
      }
      return batches
    },

    async filled(signal) {
      const wake = () => announce()
      signal.addEventListener('abort', wake)
      while (!signal.aborted && stored().length === 0) await change.promise
      signal.removeEventListener('abort', wake)
    },

    async remove({ isKept = false } = {}) {
      const entry = entries.shift()
      if (!entry) return
      if (!entry.file || !isKept) bytes -= entry.bytes
      if (!entry.file) return
      // If it stays, it is sent again after a restart, and its outcome is `duplicate`.
      await (isKept ? spool?.keepRejected(entry.file) : spool?.remove(entry.file))?.catch((err: Error) =>
        log(err.message),
      )
    },

    get length() {
      return entries.length
    },
  }
}

const chunksOf = ({ file, text = '' }: Entry): AsyncIterable<Uint8Array> | Iterable<Uint8Array> =>
  file === undefined ? [Buffer.from(text)] : createReadStream(file)
