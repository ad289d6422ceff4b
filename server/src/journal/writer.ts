import { type DatabasePool, isUnavailable } from '../store/database.ts'

import { type FlushBatch, type Newest, writeBatch } from './write.ts'

export interface WriterOptions {
  pool: DatabasePool
  /** Takes what was noted; undefined where there is nothing. */
  collect: () => FlushBatch | undefined
  onWritten: (newest: Newest) => void
  /** Told what is given up. */
  onDropped: (harvest: FlushBatch) => void
}

/**
 * Makes a function that resolves when everything that was noted before is written, and rejects where it cannot be. One harvest
 * is written at a time; one that the database is not there for is kept for the next time.
 */
export function createWriter({
  pool,
  collect: gather,
  onWritten,
  onDropped: onGivenUp,
}: WriterOptions): () => Promise<void> {
  let kept: FlushBatch | undefined
  let writing: Promise<void> | undefined
  let following: Promise<void> | undefined

  async function write(harvest: FlushBatch): Promise<void> {
    let isSent = false
    try {
      const newest = await pool.transaction(async db => {
        const written = await writeBatch(db, harvest)
        isSent = true
        return written
      })
      kept = undefined
      onWritten(newest)
    } catch (error) {
      // Whether a commit took place that was not answered nobody knows: too few is better than twice. And what the database
      // refuses it would refuse again.
      if (isSent || !isUnavailable(error)) {
        kept = undefined
        onGivenUp(harvest)
      }
      throw error
    }
  }

  async function writeAll(): Promise<void> {
    if (kept) await write(kept)
    kept = gather()
    if (kept) await write(kept)
  }

  return function flush(): Promise<void> {
    if (!writing) {
      writing = writeAll().finally(() => {
        writing = undefined
      })
      return writing
    }
    // What is under way may have been gathered too early. All who wait share the next one.
    following ??= writing
      .catch(() => undefined)
      .then(() => {
        following = undefined
        return flush()
      })
    return following
  }
}
