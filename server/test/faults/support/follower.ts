import { setTimeout as sleep } from 'node:timers/promises'
import { openStream, type StreamReader } from '../../events/stream-reader.ts'

/** Follows the event stream, and resumes from its last number whenever the stream ends. */
export interface Follower {
  /** The received numbers, in order. */
  seqs(): number[]
  close(): Promise<void>
}

const reconnectMs = 50

export function follow(url: string): Follower {
  const received: number[] = []
  let current: StreamReader | undefined
  let isOver = false

  const following = (async () => {
    while (!isOver) {
      const last = received.at(-1) ?? 0
      const reader = await openStream(`${url}/api/v1/events/stream`, {
        headers: { 'last-event-id': String(last) },
      }).catch(() => undefined)
      if (reader?.status === 200) {
        current = reader
        if (isOver) reader.close()
        await reader.ended
        received.push(...reader.seqs())
      } else await sleep(reconnectMs)
      current = undefined
    }
  })()

  return {
    seqs: () => [...received, ...(current?.seqs() ?? [])],
    async close() {
      isOver = true
      current?.close()
      await following
    },
  }
}
