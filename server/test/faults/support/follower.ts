import { setTimeout as sleep } from 'node:timers/promises'
import { openStream, type StreamReader } from '../../events/stream-reader.ts'

/** Reads the stream of events, and comes back with the last number that it has seen whenever the stream ends. */
export interface Follower {
  /** The numbers in the order in which they came. */
  seqs(): number[]
  close(): Promise<void>
}

const comesBackAfterMs = 50

export function follow(url: string): Follower {
  const seen: number[] = []
  let current: StreamReader | undefined
  let isOver = false

  const following = (async () => {
    while (!isOver) {
      const last = seen.at(-1) ?? 0
      const reader = await openStream(`${url}/api/v1/events/stream`, {
        headers: { 'last-event-id': String(last) },
      }).catch(() => undefined)
      if (reader?.status === 200) {
        current = reader
        if (isOver) reader.close()
        await reader.ended
        seen.push(...reader.seqs())
      } else await sleep(comesBackAfterMs)
      current = undefined
    }
  })()

  return {
    seqs: () => [...seen, ...(current?.seqs() ?? [])],
    async close() {
      isOver = true
      current?.close()
      await following
    },
  }
}
