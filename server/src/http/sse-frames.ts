import { setImmediate } from 'node:timers/promises'
import { limits } from '@chancery/contract'
import type { SseSource } from './sse-connection.ts'

/** The frames of a numbered stream, from whose numbers a client resumes. */

/** The position in the log. An id without data moves the position from which a client resumes, and dispatches no event. */
const at = (position: number) => `id: ${position}\n\n`

/** The start of every stream: a client that is disconnected before the first item misses nothing either. */
export const opening = (position: number): string =>
  `retry: ${limits.streamRetrySeconds * 1000}\n\n${at(position)}`

/** Marks that everything from before the stream was opened was sent. */
export const upToDate = (position: number): string => `: up to date\n${at(position)}`

/** Keeps the connection alive. A client with a narrow filter resumes from here, not from its last item. */
export const heartbeat = (position: number): string => `: heartbeat\n${at(position)}`

export const dataFrame = (seq: number, json: string): Buffer => Buffer.from(`id: ${seq}\ndata: ${json}\n\n`)

/** Streams that are woken before other requests are processed. */
const wokenAtOnce = 100

/** Writes what is due to all streams. Other requests are processed in between, and written buffers are released. */
export async function pumpAll(streams: Iterable<SseSource>): Promise<void> {
  let count = 0
  for (const stream of streams) {
    stream.pump()
    count += 1
    if (count % wokenAtOnce === 0) await setImmediate()
  }
}
