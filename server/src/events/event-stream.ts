import { createEventFilter, type operations, type ValuesFor } from '@chancery/contract'
import type { SerializeEvent } from '../disclosure/disclosure.ts'
import type { SseSource, SseWriter } from '../http/sse-connection.ts'
import { heartbeat, opening, pumpAll, upToDate } from '../http/sse-frames.ts'
import type { Database } from '../store/database.ts'
import type { Pulse } from '../store/pulse.ts'
import { readMatching } from './list-events.ts'
import { createLogPages, type Frame, type LogPage, type PageKind, toFrame } from './log-pages.ts'
import type { StreamStart } from './store.ts'

/** The parameters of `events.stream`. */
export type StreamFilter = ValuesFor<typeof operations.eventsStream>

/** The log as streams read it. */
export interface FollowedLog {
  read(kind: PageKind, after: number, end: number): LogPage | Promise<LogPage>
  /** Frames of a span that match the filter, found by index: for few events in a long span. */
  find(filter: StreamFilter, after: number, end: number): Promise<LogPage>
  /** The newest number that this process knows. */
  newest(): number
  /** The first number: events before have expired. */
  first(): number
  /** Whether no more events will be logged before this time. */
  hasPassed(time: number): boolean
  /** After a failed read: wakes all streams a little later. */
  wakeLater(): void
  /** Called with the number of events written to a stream. */
  onDelivered(count: number): void
}

/** Bytes that are written at a time. */
const writeBytes = 32_768
/** A filtered stream that is behind by more numbers uses the indexes. */
const farNumbers = 1_024

/**
 * One stream: first the log as it was when the stream was opened, then announced events. Only the position is kept: nothing is
 * buffered for a slow client.
 */
function startEventStream(
  writer: SseWriter,
  { after, backlogEnd, untilSeq }: StreamStart,
  filter: StreamFilter,
  log: FollowedLog,
): SseSource {
  const { type: types, nation_id: nationIds, alliance_id: allianceIds, war_id: warId } = filter
  const isFiltered = [types, nationIds, allianceIds, warId].some(condition => condition !== undefined)
  const passes = createEventFilter({ types, nationIds, allianceIds, warId })
  const since = filter.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(filter.since)
  const until = filter.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(filter.until)
  const backlogLast = Math.min(backlogEnd, untilSeq ?? backlogEnd)
  let position = after
  let isUpToDate = false
  let isWaiting = false
  let isOver = false

  /** Filters also by the time of logging. */
  const matches = ({ event, loggedAt = since }: Frame) => loggedAt >= since && passes(event)

  function finish(): void {
    isOver = true
    writer.finish('the log has passed the time given as until')
  }

  function write(frames: Buffer[]): void {
    const [first] = frames
    if (!first) return
    // A single frame, the usual case, is the same buffer for every stream.
    writer.write(frames.length === 1 ? first : Buffer.concat(frames))
    log.onDelivered(frames.length)
  }

  /** Delivers the new events of a page, up to `end`, until the client is slow. */
  function deliver({ frames, through }: LogPage, end: number): void {
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
      if (!matches(frame)) continue
      chosen.push(frame.bytes)
      bytes += frame.bytes.length
      if (bytes < writeBytes) continue
      write(chosen)
      if (!writer.hasRoom) return
      chosen = []
      bytes = 0
    }
    write(chosen)
    position = Math.max(position, Math.min(through, end))
  }

  /** The next page and its end; undefined when there is none for now, or none any more. */
  function next(): { page: LogPage | Promise<LogPage>; end: number } | undefined {
    if (position < log.first() - 1) {
      writer.expire()
      return undefined
    }
    if (position < backlogLast) {
      const isFar = isFiltered && backlogLast - position > farNumbers
      const page = isFar ? log.find(filter, position, backlogLast) : log.read('all', position, backlogLast)
      return { page, end: backlogLast }
    }
    if (untilSeq !== undefined) {
      finish()
      return undefined
    }
    if (!isUpToDate) {
      isUpToDate = true
      writer.write(upToDate(position))
    }
    const newest = log.newest()
    if (position < newest)
      return { page: log.read('announced', position, newest), end: Number.POSITIVE_INFINITY }
    if (log.hasPassed(until)) finish()
    return undefined
  }

  /** Synchronous where pages are cached: an event wakes all streams at once. */
  function pump(): void {
    while (!isWaiting && !isOver && writer.hasRoom) {
      const found = next()
      if (!found) return
      if (found.page instanceof Promise) void deliverWhenRead(found.page, found.end)
      else deliver(found.page, found.end)
    }
  }

  async function deliverWhenRead(reading: Promise<LogPage>, end: number): Promise<void> {
    isWaiting = true
    try {
      const page = await reading
      if (!isOver) deliver(page, end)
      isWaiting = false
      pump()
    } catch {
      // The database is unavailable: the position does not move.
      isWaiting = false
      log.wakeLater()
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

export interface TailOptions {
  db: Database
  pulse: Pick<Pulse, 'onChange' | 'onServerChange'>
  write: SerializeEvent
  onDelivered: (count: number) => void
}

/** The end of the log, shared by all streams of this process. */
export interface Tail {
  /** Starts a stream; new events wake it until it is closed. */
  openStream(writer: SseWriter, start: StreamStart, filter: StreamFilter): SseSource
}

const wakeAfterMs = 250
/** Events that are read by index at a time: about as many as are written at a time. */
const foundMax = 64

/** Subscribes to the pulse once. Without streams nothing is read. */
export function createTail({ db, pulse, write, onDelivered }: TailOptions): Tail {
  const pages = createLogPages({ db, write })
  const streams = new Set<SseSource>()
  let newest = 0
  let first = 0
  let redactionVersion: number | undefined
  let changedAt = Number.NEGATIVE_INFINITY
  let wakeUp: NodeJS.Timeout | undefined

  async function wake(): Promise<void> {
    wakeUp = undefined
    await pumpAll(streams)
  }
  // A server that was promoted may have fewer events, and others.
  pulse.onServerChange(() => {
    pages.clear()
    newest = 0
  })
  pulse.onChange(({ seq, firstSeq, worldChangedAt, redactionVersion: version }) => {
    if (version !== redactionVersion) pages.clear()
    redactionVersion = version
    first = firstSeq
    const known = newest
    newest = Math.max(newest, seq)
    if (worldChangedAt !== null) changedAt = Date.parse(worldChangedAt)
    if (streams.size === 0) return
    // The page is cached before streams are woken. If that fails, each reads it again.
    if (newest > known) Promise.resolve(pages.read('announced', known, newest)).then(wake, wake)
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
    first: () => first,
    hasPassed: time => changedAt >= time,
    wakeLater() {
      if (wakeUp === undefined) wakeUp = setTimeout(wake, wakeAfterMs).unref()
    },
    onDelivered,
  }

  return {
    openStream(writer, start, filter) {
      newest = Math.max(newest, start.backlogEnd)
      const stream = startEventStream(writer, start, filter, log)
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
