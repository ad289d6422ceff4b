import { setImmediate } from 'node:timers/promises'
import { createEventFilter, type operations, type ValuesFor } from '@chancery/contract'
import type { SerializeEvent } from '../disclosure/event-writer.ts'
import type { SseSource, SseWriter } from '../http/sse-connection.ts'
import type { Database } from '../store/database.ts'
import type { Pulse } from '../store/pulse.ts'
import { createLogPages, type Frame, heartbeat, opening, type Page, toFrame, upToDate } from './log-pages.ts'
import { readMatching, type Start } from './store.ts'

/** What a caller of `events.stream` asks for. */
export type StreamFilter = ValuesFor<typeof operations.eventsStream>

/** The log, as streams see it. */
export interface FollowedLog {
  read(kind: 'all' | 'news', after: number, end: number): Page | Promise<Page>
  /** Frames of a span that pass the filter, found by the indexes: for few events in a long span. */
  find(wanted: StreamFilter, after: number, end: number): Promise<Page>
  /** The newest number that this process has heard of. */
  newest(): number
  /** Whether nothing more will be logged before this time. */
  hasPassed(time: number): boolean
  /** Something could not be read: all streams are woken a little later. */
  wakeLater(): void
  /** So many events were written to a reader. */
  onDelivered(count: number): void
}

/** What is written at a time. */
const writeBytes = 32_768
/** Behind by more than so many numbers, a filter looks into the indexes. */
const farNumbers = 1_024

/**
 * One reader's way through the log: first what it held when the stream was opened, then the news. The position is all
 * that is kept: while the reader is behind, nothing is held for them.
 */
export function startEventStream(
  outlet: SseWriter,
  { position: first, end: historyEnd, last }: Start,
  wanted: StreamFilter,
  log: FollowedLog,
): SseSource {
  const { type: types, nation_id: nationIds, alliance_id: allianceIds, war_id: warId } = wanted
  const isFiltered = [types, nationIds, allianceIds, warId].some(condition => condition !== undefined)
  const passes = createEventFilter({ types, nationIds, allianceIds, warId })
  const since = wanted.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(wanted.since)
  const until = wanted.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(wanted.until)
  const toldEnd = Math.min(historyEnd, last ?? historyEnd)
  let position = first
  let isUpToDate = false
  let isWaiting = false
  let isOver = false

  /** By the time of logging, where numbers have not decided it yet. */
  const isIn = ({ event, loggedAt = since }: Frame) => loggedAt >= since && passes(event)

  function finish(): void {
    isOver = true
    outlet.finish('the log has passed the time given as until')
  }

  function write(frames: Buffer[]): void {
    const [first] = frames
    if (!first) return
    // One frame, as news mostly are, is the same bytes for every reader.
    outlet.write(frames.length === 1 ? first : Buffer.concat(frames))
    log.onDelivered(frames.length)
  }

  /** Tells what is new on a page, up to `end`, as far as the reader takes it. */
  function tell({ frames, through }: Page, end: number): void {
    let chosen: Buffer[] = []
    let bytes = 0
    for (const frame of frames) {
      if (frame.seq <= position) continue
      if (frame.seq > end) break
      if (frame.loggedAt !== undefined && frame.loggedAt >= until) {
        write(chosen)
        finish()
        return
      }
      position = frame.seq
      if (!isIn(frame)) continue
      chosen.push(frame.bytes)
      bytes += frame.bytes.length
      if (bytes < writeBytes) continue
      write(chosen)
      if (!outlet.hasRoom) return
      chosen = []
      bytes = 0
    }
    write(chosen)
    position = Math.max(position, Math.min(through, end))
  }

  /** What is to be told next, and up to which number; undefined when that is nothing for now, or nothing any more. */
  function next(): { page: Page | Promise<Page>; end: number } | undefined {
    if (position < toldEnd) {
      const isFar = isFiltered && toldEnd - position > farNumbers
      const page = isFar ? log.find(wanted, position, toldEnd) : log.read('all', position, toldEnd)
      return { page, end: toldEnd }
    }
    if (last !== undefined) {
      finish()
      return undefined
    }
    if (!isUpToDate) {
      isUpToDate = true
      outlet.write(upToDate(position))
    }
    const newest = log.newest()
    if (position < newest) return { page: log.read('news', position, newest), end: Number.POSITIVE_INFINITY }
    if (log.hasPassed(until)) finish()
    return undefined
  }

  /** Makes no promise where the log is at hand: an event wakes all streams at once. */
  function pump(): void {
    while (!isWaiting && !isOver && outlet.hasRoom) {
      const found = next()
      if (!found) return
      if (found.page instanceof Promise) void tellWhenRead(found.page, found.end)
      else tell(found.page, found.end)
    }
  }

  async function tellWhenRead(reading: Promise<Page>, end: number): Promise<void> {
    isWaiting = true
    try {
      const page = await reading
      if (!isOver) tell(page, end)
      isWaiting = false
      pump()
    } catch {
      // The database is away: the position stays where it is.
      isWaiting = false
      log.wakeLater()
    }
  }

  outlet.write(opening(position))
  return {
    pump,
    heartbeat: () => heartbeat(position),
    close() {
      isOver = true
    },
  }
}

export interface TailOptions {
  db: Database
  pulse: Pick<Pulse, 'onChange'>
  write: SerializeEvent
  onDelivered: (count: number) => void
}

/** The log as it grows, for all streams of this process. */
export interface Tail {
  /** Adds a stream that knows of the log up to `end`; it is woken by news until it is closed. */
  follow(end: number, start: (log: FollowedLog) => SseSource): SseSource
}

const wakeAfterMs = 250
/** Streams that are woken without a pause. */
const wokenAtOnce = 100
/** Events that are found by an index at a time: about as many as are written at a time. */
const foundMax = 64

/** Follows the pulse once. Without streams nothing is read. */
export function createTail({ db, pulse, write, onDelivered }: TailOptions): Tail {
  const pages = createLogPages({ db, write })
  const streams = new Set<SseSource>()
  let newest = 0
  let redactionVersion: number | undefined
  let changedAt = Number.NEGATIVE_INFINITY
  let wakeUp: NodeJS.Timeout | undefined

  async function wake(): Promise<void> {
    wakeUp = undefined
    let count = 0
    for (const stream of streams) {
      stream.pump()
      count += 1
      // Other calls are answered in between, and what was written is let go of before the next write.
      if (count % wokenAtOnce === 0) await setImmediate()
    }
  }
  pulse.onChange(({ seq, worldChangedAt, redactionVersion: version }) => {
    if (version !== redactionVersion) pages.clear()
    redactionVersion = version
    const known = newest
    newest = Math.max(newest, seq)
    if (worldChangedAt !== null) changedAt = Date.parse(worldChangedAt)
    if (streams.size === 0) return
    // News are read before anybody is woken: then all have them at hand. Where that fails, each asks again.
    if (newest > known) Promise.resolve(pages.read('news', known, newest)).then(wake, wake)
    else void wake()
  })

  const log: FollowedLog = {
    read: pages.read,
    async find({ type, nation_id, alliance_id, war_id }, after, end) {
      const filter = { type, nation_id, alliance_id, war_id }
      const events = await readMatching(db, { first: after + 1, last: end }, filter, foundMax)
      const last = events.length < foundMax ? undefined : events.at(-1)
      return { through: last?.seq ?? end, frames: events.map(event => toFrame(write, event)) }
    },
    newest: () => newest,
    hasPassed: time => changedAt >= time,
    wakeLater() {
      if (wakeUp === undefined) wakeUp = setTimeout(wake, wakeAfterMs).unref()
    },
    onDelivered,
  }

  return {
    follow(end, start) {
      newest = Math.max(newest, end)
      const stream = start(log)
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
