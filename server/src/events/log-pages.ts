import { limits } from '@chancery/contract'
import { LRUCache } from 'lru-cache'
import type { SerializeEvent } from '../disclosure/event-writer.ts'
import type { Database } from '../store/database.ts'
import { type Event, findNextSeq, readAnnouncedSpans, readEvents, type Span } from './store.ts'

/** An event as readers get it, and what decides which of them do. */
export interface Frame {
  seq: number
  event: Pick<Event, 'type' | 'nation_ids' | 'alliance_ids' | 'war_id'>
  /** Unix ms; of news only. */
  loggedAt: number | undefined
  bytes: Buffer
}

/** A stretch of the log: all frames of its kind from its first number through `through`. */
export interface Page {
  through: number
  frames: readonly Frame[]
}

/** `all`: whatever is logged. `news`: what was announced; history that was not is stepped over, never read. */
export type PageKind = 'all' | 'news'

export interface LogPages {
  /** The page with what follows a number, as far as it goes up to `end`. At once where it is remembered; rejects while the database is away. */
  read(kind: PageKind, after: number, end: number): Page | Promise<Page>
  /** Drops all that is remembered: texts in the log have been replaced. */
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
  return { seq, event: subject, loggedAt, bytes: eventFrame(seq, write(event)) }
}

/** Numbers on a page. */
const pageLength = 256
/** Pages that are read at a time: readers who resume must not crowd out the calls that share their pool. */
const readsMax = 3
/** What a frame costs beside its bytes. */
const frameOverheadBytes = 400

/**
 * The log in pages, read and written once for all readers: those who follow the end share the newest page, which
 * grows; those who are behind, or resume after a restart, share what lies before it. Bounded in bytes.
 */
export function createLogPages({ db, write, bytesMax = 16 * 1_048_576 }: LogPagesOptions): LogPages {
  const remembered = new LRUCache<string, Page>({ maxSize: bytesMax, sizeCalculation: sizeOf })
  const underWay = new Map<string, Promise<Page>>()
  const takeTurn = createConcurrencyLimit(readsMax)
  let rewritings = 0

  /** Where numbers are missing, which a restore has left out, the page reaches over them. */
  async function readAll(span: Span, end: number): Promise<Page> {
    const events = await readEvents(db, span, pageLength)
    const isWhole = events.length > span.last - span.first
    const through = isWhole ? span.last : ((await findNextSeq(db, span.last, end)) ?? end + 1) - 1
    return { through, frames: events.map(event => toFrame(write, event)) }
  }

  /** News of a span; where the news ends earlier, the page reaches over the quiet history behind it. */
  async function readNews(span: Span, end: number): Promise<Page> {
    const spans = await readAnnouncedSpans(db, { first: span.first, last: end }, pageLength + 1)
    const beyond = spans.find(({ last }) => last > span.last)
    const through = beyond ? Math.max(span.last, beyond.first - 1) : end
    const news = spans.filter(({ first }) => first <= span.last)
    const [first] = news
    if (!first) return { through, frames: [] }
    const events = await readEvents(db, { first: first.first, last: span.last }, pageLength)
    const frames = events.flatMap(event => {
      const batch = news.find(({ first, last }) => first <= event.seq && event.seq <= last)
      return batch ? [toFrame(write, event, Date.parse(batch.loggedAt))] : []
    })
    return { through, frames }
  }

  async function readOn(kind: PageKind, known: Page, last: number, end: number): Promise<Page> {
    const span = { first: known.through + 1, last: Math.min(last, end) }
    const more = await takeTurn(() => (kind === 'all' ? readAll(span, end) : readNews(span, end)))
    return { through: more.through, frames: [...known.frames, ...more.frames] }
  }

  return {
    read(kind, after, end) {
      const number = Math.floor(after / pageLength)
      const last = (number + 1) * pageLength
      const name = `${kind} ${number}`
      const known = remembered.get(name)
      if (known && known.through >= Math.min(last, end)) return known
      const running = underWay.get(name)
      if (running) return running
      const begunAt = rewritings
      const started = readOn(kind, known ?? { through: number * pageLength, frames: [] }, last, end)
        .then(page => {
          // What was read before the log was rewritten may be of either kind.
          if (begunAt === rewritings) remembered.set(name, page)
          return page
        })
        .finally(() => {
          if (underWay.get(name) === started) underWay.delete(name)
        })
      underWay.set(name, started)
      return started
    },
    clear() {
      rewritings += 1
      remembered.clear()
      underWay.clear()
    },
  }
}

const sizeOf = ({ frames }: Page) =>
  frames.reduce((sum, { bytes }) => sum + bytes.length + frameOverheadBytes, 1)

/** Lets so many tasks run at a time; the others wait in their order. */
function createConcurrencyLimit(turnsMax: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running >= turnsMax) await new Promise<void>(resolve => waiting.push(resolve))
    else running += 1
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** How far the log has been looked through. An id without data moves what a reader resumes from, and tells nothing. */
const at = (position: number) => `id: ${position}\n\n`

/** What every stream begins with: whoever is cut off before the first event misses nothing either. */
export const opening = (position: number): string =>
  `retry: ${limits.streamRetrySeconds * 1000}\n\n${at(position)}`

/** Says that all is told which the log held when the stream was opened. */
export const upToDate = (position: number): string => `: up to date\n${at(position)}`

/** Says that the connection lives. A reader with a narrow filter resumes from here, not from their last event. */
export const heartbeat = (position: number): string => `: heartbeat\n${at(position)}`

export const eventFrame = (seq: number, json: string): Buffer => Buffer.from(`id: ${seq}\ndata: ${json}\n\n`)
