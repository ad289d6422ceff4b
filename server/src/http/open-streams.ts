import type { ServerResponse } from 'node:http'
import { limits } from '@chancery/contract'
import type { KeyCache } from '../access/key-cache.ts'
import type { Key } from '../access/viewer.ts'
import type { Pulse } from '../store/pulse.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { createRevocationWatcher } from './revocation-watcher.ts'
import { openSseConnection, type SseConnection } from './sse-connection.ts'
import type { StreamSlot } from './stream-limiter.ts'
import { type SseSource, type StartSseSource, sseComment } from './stream-source.ts'

export interface StreamTimings {
  heartbeatMs: number
  /** A reader that takes nothing for so long, while something waits for it, is cut off. */
  stalledMs: number
  /** How long a last word may take. */
  lastWordMs: number
  /** How often all streams are looked at. */
  sweepMs: number
}

const usualTimings: StreamTimings = {
  heartbeatMs: limits.streamHeartbeatSeconds * 1000,
  stalledMs: limits.streamStalledSeconds * 1000,
  lastWordMs: 2_000,
  sweepMs: 1_000,
}

/** Why a stream ended, and what its reader is told. */
const lastWords = {
  slow: 'this reader took nothing for too long and is cut off; resume with Last-Event-ID',
  key: 'the key of this stream is no longer valid',
  shutdown: 'the service is restarting; resume with Last-Event-ID',
}
const reasons = [...Object.keys(lastWords), 'reader', 'until']

export interface OpenStreamsOptions {
  keys: Pick<KeyCache, 'findValidIds'>
  pulse: Pick<Pulse, 'onChange' | 'now'>
  metrics: Pick<Metrics, 'streamsOpen' | 'streamsEnded'>
  timings: Partial<StreamTimings>
}

interface OpenStream {
  key: Key | undefined
  connection: SseConnection
  source: SseSource
  heartbeatAt: number
  end(reason: keyof typeof lastWords | 'until', lastWord: string): void
}

/** The streams that are open in this process: one timer beats for all, and ends those that have to. */
export function createOpenStreams({ keys, pulse, metrics, timings }: OpenStreamsOptions) {
  const { heartbeatMs, stalledMs, lastWordMs, sweepMs } = { ...usualTimings, ...timings }
  const streams = new Set<OpenStream>()
  let isClosed = false
  let onEmpty = () => {}
  for (const reason of reasons) metrics.streamsEnded.inc({ reason }, 0)

  const end = (stream: OpenStream, reason: keyof typeof lastWords) =>
    stream.end(reason, sseComment(lastWords[reason]))

  const watch = createRevocationWatcher({
    keys,
    pulse,
    *inUse() {
      for (const { key } of streams) if (key) yield key.id
    },
    onInvalid(keyIds) {
      for (const stream of streams) if (stream.key && keyIds.has(stream.key.id)) end(stream, 'key')
    },
  })

  function sweep(): void {
    const now = performance.now()
    for (const stream of streams) {
      const { key, connection, source } = stream
      if (key?.expiresAt && Date.parse(key.expiresAt) <= pulse.now()) end(stream, 'key')
      else if (connection.stalledMs() >= stalledMs) end(stream, 'slow')
      // The sweep after would be late.
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
     * Takes over an answer whose head has been written. The slot is given back however the stream ends. Whoever comes while all
     * end learns where the log is and that the service restarts, as all do.
     */
    open(
      res: ServerResponse,
      start: StartSseSource,
      { key, slot }: { key: Key | undefined; slot: StreamSlot },
    ) {
      let isOver = false
      /** Whatever comes first ends it. */
      const over = (reason: string) => {
        if (isOver) return
        isOver = true
        slot.release()
        stream.source.close()
        metrics.streamsEnded.inc({ reason })
      }
      const connection = openSseConnection(res, {
        onRoom: () => stream.source.pump(),
        onClose() {
          over('reader')
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
        finish: text => stream.end('until', sseComment(text)),
      })
      const stream: OpenStream = {
        key,
        connection,
        source,
        // Those that were opened at once, as after a restart, do not all beat at once.
        heartbeatAt: performance.now() - (Math.random() * heartbeatMs) / 2,
        end(reason, lastWord) {
          over(reason)
          connection.end(lastWord, lastWordMs)
        },
      }
      streams.add(stream)
      metrics.streamsOpen.inc()
      if (isClosed) return end(stream, 'shutdown')
      source.pump()
      if (key) watch.add(key.id)
    },

    /** Ends all streams. Takes no longer than a last word may take. */
    async close(): Promise<void> {
      isClosed = true
      clearInterval(timer)
      watch.close()
      if (streams.size === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      onEmpty = resolve
      for (const stream of streams) end(stream, 'shutdown')
      await promise
    },
  }
}

export type OpenStreams = ReturnType<typeof createOpenStreams>
