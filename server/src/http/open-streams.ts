/** Server-sent events (SSE): the streams that are open in this process, their SSE heartbeats, and their end. */
import type { ServerResponse } from 'node:http'
import { limits } from '@chancery/contract'
import type { Key } from '../access/key.ts'
import type { KeyCache } from '../access/key-cache.ts'
import type { Pulse } from '../store/pulse.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { createRevocationWatcher, onAccessChange } from './revocation-watcher.ts'
import {
  openSseConnection,
  type SseConnection,
  type SseSource,
  type StartSseSource,
  sseComment,
} from './sse-connection.ts'

export interface StreamTimings {
  heartbeatMs: number
  /** A client that takes nothing for this long, while something waits for it, is disconnected. */
  stalledMs: number
  /** How long a client may take to read the last frame. */
  graceMs: number
  /** Interval of the checks of all streams. */
  sweepMs: number
}

const defaultTimings: StreamTimings = {
  heartbeatMs: limits.streamHeartbeatSeconds * 1000,
  stalledMs: limits.streamStalledSeconds * 1000,
  graceMs: 2_000,
  sweepMs: 1_000,
}

/** The last comment of a stream that the service ends, by reason. */
const endComments = {
  slow: 'this client reads too slowly and is disconnected; resume with Last-Event-ID',
  key: 'the key of this stream is no longer valid',
  shutdown: 'the service is restarting; resume with Last-Event-ID',
  expired: 'what follows this position is no longer stored, or may be lost; resume with Last-Event-ID',
}
const reasons = [...Object.keys(endComments), 'client', 'until']

export interface OpenStreamsOptions {
  keys: Pick<KeyCache, 'findValidIds'>
  pulse: Pick<Pulse, 'current' | 'onChange' | 'now'>
  metrics: Pick<Metrics, 'streamsOpen' | 'streamsEnded'>
  timings: Partial<StreamTimings>
}

interface OpenStream {
  key: Key | undefined
  connection: SseConnection
  source: SseSource
  heartbeatAt: number
  end(reason: keyof typeof endComments | 'until', comment: string): void
}

/** The streams that are open in this process: one timer sends all SSE heartbeats, and ends streams that are slow or whose key has expired. */
export function createOpenStreams({ keys, pulse, metrics, timings }: OpenStreamsOptions) {
  const { heartbeatMs, stalledMs, graceMs, sweepMs } = { ...defaultTimings, ...timings }
  const streams = new Set<OpenStream>()
  let isClosed = false
  let onEmpty = () => {}
  for (const reason of reasons) metrics.streamsEnded.inc({ reason }, 0)

  const end = (stream: OpenStream, reason: keyof typeof endComments) =>
    stream.end(reason, endComments[reason])

  const watcher = createRevocationWatcher({
    findValidIds: keys.findValidIds,
    subscribe: onAccessChange(pulse),
  })

  let before = pulse.current()
  const unsubscribe = pulse.onChange(heartbeat => {
    const { serverStartedAt, seq, changeSeq } = before ?? heartbeat
    before = heartbeat
    // A server that was promoted may lack what these streams have delivered: each client resumes, or learns that its position was lost.
    const isContinued = seq === heartbeat.seq && changeSeq === heartbeat.changeSeq
    if (serverStartedAt === heartbeat.serverStartedAt || isContinued) return
    for (const stream of streams) end(stream, 'expired')
  })

  function sweep(): void {
    const now = performance.now()
    for (const stream of streams) {
      const { key, connection, source } = stream
      if (key?.expiresAt && Date.parse(key.expiresAt) <= pulse.now()) end(stream, 'key')
      else if (connection.stalledMs() >= stalledMs) end(stream, 'slow')
      // The next sweep would be late.
      else if (connection.hasRoom && now - stream.heartbeatAt > heartbeatMs - sweepMs) {
        stream.heartbeatAt = now
        connection.write(source.heartbeat())
      }
    }
  }
  const timer = setInterval(sweep, sweepMs)
  timer.unref()

  return {
    /**
     * Takes over a response whose head has been written. `release` is called once, however the stream ends. While all streams are being
     * closed, a new one gets its first frames and the same last comment.
     */
    open(
      res: ServerResponse,
      start: StartSseSource,
      { key, release }: { key: Key | undefined; release: () => void },
    ) {
      let isOver = false
      /** The first reason counts. */
      const over = (reason: string) => {
        if (isOver) return
        isOver = true
        release()
        unwatch()
        stream.source.close()
        metrics.streamsEnded.inc({ reason })
      }
      const unwatch = key ? watcher.watch(key.id, () => end(stream, 'key')) : () => undefined
      const connection = openSseConnection(res, {
        onRoom: () => stream.source.pump(),
        onClose() {
          over('client')
          streams.delete(stream)
          metrics.streamsOpen.dec()
          if (streams.size === 0) onEmpty()
        },
      })
      const source = start({
        get hasRoom() {
          return connection.hasRoom
        },
        write: connection.write,
        finish: comment => stream.end('until', comment),
        expire: () => end(stream, 'expired'),
      })
      const stream: OpenStream = {
        key,
        connection,
        source,
        // Spreads the SSE heartbeats of streams that are opened at once, as after a restart.
        heartbeatAt: performance.now() - (Math.random() * heartbeatMs) / 2,
        end(reason, comment) {
          over(reason)
          connection.end(sseComment(comment), graceMs)
        },
      }
      streams.add(stream)
      metrics.streamsOpen.inc()
      if (isClosed) return end(stream, 'shutdown')
      source.pump()
      if (key) watcher.verify(key.id)
    },

    /** Ends all streams, within `graceMs`. */
    async close(): Promise<void> {
      isClosed = true
      clearInterval(timer)
      unsubscribe()
      watcher.close()
      if (streams.size === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      onEmpty = resolve
      for (const stream of streams) end(stream, 'shutdown')
      await promise
    },
  }
}

export type OpenStreams = ReturnType<typeof createOpenStreams>
