import { LRUCache } from 'lru-cache'
import type { SerializeItem } from '../disclosure/disclosure.ts'
import type { SseSource, SseWriter } from '../http/sse-connection.ts'
import { dataFrame, heartbeat, opening, pumpAll, upToDate } from '../http/sse-frames.ts'
import { createConcurrencyLimit } from '../store/concurrency-limit.ts'
import type { Database } from '../store/database.ts'
import type { ChangeHorizon } from './change-horizon.ts'
import { readChanges } from './store.ts'

/** Changes after a number, through another. */
interface ChangePage {
  through: number
  frames: readonly { seq: number; resource: string; bytes: Buffer }[]
}

export interface ChangeTailOptions {
  db: Database
  horizon: Pick<ChangeHorizon, 'current' | 'floor' | 'onAdvance' | 'onRestart'>
  write: SerializeItem<'change'>
  /** Called with the number of changes written to a stream. */
  onDelivered: (count: number) => void
}

/** The end of the change log, shared by all streams of this process. */
export interface ChangeTail {
  /** Starts a stream after a number; new changes wake it until it is closed. */
  openStream(writer: SseWriter, start: { after: number; resource: readonly string[] | undefined }): SseSource
}

const pageLength = 256
/** Pages that are read at a time: streams that resume must not occupy the pool that requests share. */
const readsMax = 3
const pagesCached = 16
const wakeAfterMs = 250

/** Without streams nothing is read. Streams at the same position share a page. */
export function createChangeTail({ db, horizon, write, onDelivered }: ChangeTailOptions): ChangeTail {
  const streams = new Set<SseSource>()
  const pages = new LRUCache<string, Promise<ChangePage>>({ max: pagesCached })
  const withSlot = createConcurrencyLimit(readsMax)
  let isWaking = false

  async function read(after: number, last: number): Promise<ChangePage> {
    const changes = await withSlot(() => readChanges(db, { after, last }, pageLength))
    const through = changes.length < pageLength ? last : (changes.at(-1)?.seq ?? last)
    return {
      through,
      frames: changes.map(change => ({
        seq: change.seq,
        resource: change.resource,
        bytes: dataFrame(change.seq, write(change)),
      })),
    }
  }

  function pageAfter(after: number, last: number): Promise<ChangePage> {
    const name = `${after} ${last}`
    const known = pages.get(name)
    if (known) return known
    const page = read(after, last)
    pages.set(name, page)
    page.catch(() => pages.delete(name))
    return page
  }

  const wakeLater = () => {
    if (isWaking) return
    isWaking = true
    setTimeout(() => {
      isWaking = false
      void pumpAll(streams)
    }, wakeAfterMs).unref()
  }
  horizon.onAdvance(() => void pumpAll(streams))
  // Of the same numbers, but of changes that may be lost.
  horizon.onRestart(() => pages.clear())

  function start(writer: SseWriter, after: number, resource: readonly string[] | undefined): SseSource {
    const chosen = resource && new Set(resource)
    let position = after
    let isUpToDate = false
    let isReading = false
    let isOver = false

    async function deliver(last: number): Promise<void> {
      isReading = true
      try {
        const { frames, through } = await pageAfter(position, last)
        if (isOver) return
        const matching = frames.filter(frame => !chosen || chosen.has(frame.resource))
        if (matching.length > 0) writer.write(Buffer.concat(matching.map(({ bytes }) => bytes)))
        onDelivered(matching.length)
        position = through
        isReading = false
        pump()
      } catch {
        // The database is unavailable: the position does not move.
        isReading = false
        wakeLater()
      }
    }

    function pump(): void {
      const last = horizon.current()
      if (isReading || isOver || !writer.hasRoom || last === undefined) return
      if (position < horizon.floor()) writer.expire()
      else if (position < last) void deliver(last)
      else if (!isUpToDate) {
        isUpToDate = true
        writer.write(upToDate(position))
      }
    }

    writer.write(opening(position))
    return {
      pump,
      heartbeat: () => heartbeat(position),
      close() {
        isOver = true
      },
    }
  }

  return {
    openStream(writer, { after, resource }) {
      const stream = start(writer, after, resource)
      streams.add(stream)
      return {
        ...stream,
        close() {
          streams.delete(stream)
          stream.close()
        },
      }
    },
  }
}
