import { setImmediate } from 'node:timers/promises'
import type { WriteEvent } from '../disclosure/event-writer.ts'
import type { StreamSource } from '../http/stream-source.ts'
import type { Database } from '../store/database.ts'
import type { Pulse } from '../store/pulse.ts'
import type { FollowedLog } from './event-stream.ts'
import { createLogPages, toFrame } from './log-pages.ts'
import { readMatching } from './store.ts'

export interface TailOptions {
  db: Database
  pulse: Pick<Pulse, 'onChange'>
  write: WriteEvent
  onDelivered: (count: number) => void
}

/** The log as it grows, for all streams of this process. */
export interface Tail {
  /** Adds a stream that knows of the log up to `end`; it is woken by news until it is closed. */
  follow(end: number, start: (log: FollowedLog) => StreamSource): StreamSource
}

const wakeAfterMs = 250
/** Streams that are woken without a pause. */
const wokenAtOnce = 100
/** Events that are found by an index at a time: about as many as are written at a time. */
const foundMax = 64

/** Follows the pulse once. Without streams nothing is read. */
export function createTail({ db, pulse, write, onDelivered }: TailOptions): Tail {
  const pages = createLogPages({ db, write })
  const streams = new Set<StreamSource>()
  let newest = 0
  let redactionVersion: number | undefined
  let changedAt = Number.NEGATIVE_INFINITY
  let wakeUp: NodeJS.Timeout | undefined

  async function wake(): Promise<void> {
    wakeUp = undefined
    let count = 0
    for (const stream of streams) {
      stream.flow()
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
