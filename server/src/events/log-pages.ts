import { LRUCache } from 'lru-cache'
import type { SerializeEvent } from '../disclosure/disclosure.ts'
import { dataFrame } from '../http/sse-frames.ts'
import { createConcurrencyLimit } from '../store/concurrency-limit.ts'
import type { Database } from '../store/database.ts'
import { type Event, findNextSeq, readAnnouncedSpans, readEvents, type Span } from './store.ts'

/** An event as it is sent, and the members that filters use. */
export interface Frame {
  seq: number
  event: Pick<Event, 'type' | 'nation_ids' | 'alliance_ids' | 'war_id'>
  /** Unix ms; for announced events only. */
  loggedAt: number | undefined
  bytes: Buffer
}

/** A page of the log: all frames of its kind from its first number through `through`. */
export interface LogPage {
  through: number
  frames: readonly Frame[]
}

/** `announced`: history that was loaded without announcement is skipped, never read. */
export type PageKind = 'all' | 'announced'

export interface LogPages {
  /** The page with the events after a number, up to `end`. Synchronous where it is cached; rejects while the database is unavailable. */
  read(kind: PageKind, after: number, end: number): LogPage | Promise<LogPage>
  /** Empties the cache: texts in the log were replaced. */
  clear(): void
}

export interface LogPagesOptions {
  db: Database
  write: SerializeEvent
  bytesMax?: number
}

export function toFrame(write: SerializeEvent, event: Event, loggedAt?: number): Frame {
  const { seq, type, nation_ids, alliance_ids, war_id } = event
  const subject = { type, nation_ids, alliance_ids, war_id }
  return { seq, event: subject, loggedAt, bytes: dataFrame(seq, write(event)) }
}

/** Numbers on a page. */
const pageLength = 256
/** Pages that are read at a time: streams that resume must not occupy the pool that requests share. */
const readsMax = 3
/** Memory of a frame besides its bytes. */
const frameOverheadBytes = 400

/**
 * The log in pages, read and serialized once for all streams: those at the end share the newest page, which grows; those that are
 * behind, or resume after a restart, share the pages before it. The cache is bounded in bytes.
 */
export function createLogPages({ db, write, bytesMax = 16 * 1_048_576 }: LogPagesOptions): LogPages {
  const cache = new LRUCache<string, LogPage>({ maxSize: bytesMax, sizeCalculation: sizeOf })
  const inFlight = new Map<string, Promise<LogPage>>()
  const withSlot = createConcurrencyLimit(readsMax)
  let clearedCount = 0

  /** The page includes numbers that are missing after a restore. */
  async function readAll(span: Span, end: number): Promise<LogPage> {
    const events = await readEvents(db, span, pageLength)
    const isWhole = events.length > span.last - span.first
    const through = isWhole ? span.last : ((await findNextSeq(db, span.last, end)) ?? end + 1) - 1
    return { through, frames: events.map(event => toFrame(write, event)) }
  }

  /** Announced events of a span; the page includes the unannounced history behind them. */
  async function readAnnounced(span: Span, end: number): Promise<LogPage> {
    const spans = await readAnnouncedSpans(db, { first: span.first, last: end }, pageLength + 1)
    const beyond = spans.find(({ last }) => last > span.last)
    const through = beyond ? Math.max(span.last, beyond.first - 1) : end
    const announced = spans.filter(({ first }) => first <= span.last)
    const [first] = announced
    if (!first) return { through, frames: [] }
    const events = await readEvents(db, { first: first.first, last: span.last }, pageLength)
    const frames = events.flatMap(event => {
      const batch = announced.find(({ first, last }) => first <= event.seq && event.seq <= last)
      return batch ? [toFrame(write, event, Date.parse(batch.loggedAt))] : []
    })
    return { through, frames }
  }

  async function readOn(kind: PageKind, known: LogPage, last: number, end: number): Promise<LogPage> {
    const span = { first: known.through + 1, last: Math.min(last, end) }
    const more = await withSlot(() => (kind === 'all' ? readAll(span, end) : readAnnounced(span, end)))
    return { through: more.through, frames: [...known.frames, ...more.frames] }
  }

  return {
    read(kind, after, end) {
      const number = Math.floor(after / pageLength)
      const last = (number + 1) * pageLength
      const name = `${kind} ${number}`
      const known = cache.get(name)
      if (known && known.through >= Math.min(last, end)) return known
      const running = inFlight.get(name)
      if (running) return running
      const startedAt = clearedCount
      const started = readOn(kind, known ?? { through: number * pageLength, frames: [] }, last, end)
        .then(page => {
          // A page that was read before the log was rewritten may have old texts.
          if (startedAt === clearedCount) cache.set(name, page)
          return page
        })
        .finally(() => {
          if (inFlight.get(name) === started) inFlight.delete(name)
        })
      inFlight.set(name, started)
      return started
    },
    clear() {
      clearedCount += 1
      cache.clear()
      inFlight.clear()
    },
  }
}

const sizeOf = ({ frames }: LogPage) =>
  frames.reduce((sum, { bytes }) => sum + bytes.length + frameOverheadBytes, 1)
