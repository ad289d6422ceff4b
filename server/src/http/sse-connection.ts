import type { ServerResponse } from 'node:http'

/** The connection of one reader: how much of what was written they have taken. */
export interface SseConnection {
  readonly hasRoom: boolean
  write(frames: Buffer | string): void
  /** For how long something has been waiting of which the reader takes nothing. */
  stalledMs(): number
  /** Writes a last word, and closes; after `graceMs` also where it was not taken. */
  end(lastWord: string, graceMs: number): void
}

/** How long a silent connection is trusted before the operating system looks whether the reader is still there. */
const keepAliveMs = 60_000

export function openSseConnection(
  res: ServerResponse,
  { onRoom, onClose }: { onRoom: () => void; onClose: () => void },
): SseConnection {
  const { socket } = res
  socket?.setKeepAlive(true, keepAliveMs)
  socket?.setNoDelay(true)
  let hasRoom = true
  let isEnded = false
  let untaken = 0
  let takenAt = 0
  let grace: NodeJS.Timeout | undefined

  res.on('drain', () => {
    hasRoom = true
    if (!isEnded) onRoom()
  })
  res.once('close', () => {
    isEnded = true
    clearTimeout(grace)
    onClose()
  })
  const onTaken = () => {
    untaken -= 1
    takenAt = performance.now()
  }

  return {
    get hasRoom() {
      return hasRoom && !isEnded
    },
    write(frames) {
      if (isEnded) return
      if (untaken === 0) takenAt = performance.now()
      untaken += 1
      hasRoom = res.write(frames, onTaken)
    },
    stalledMs: () => (untaken === 0 ? 0 : performance.now() - takenAt),
    end(lastWord, graceMs) {
      if (isEnded) return
      isEnded = true
      res.end(lastWord)
      grace = setTimeout(() => socket?.destroy(), graceMs)
    },
  }
}
