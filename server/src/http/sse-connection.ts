/** Server-sent events (SSE): the connection of one client, and what produces its frames. */
import type { ServerResponse } from 'node:http'

/** Produces the frames of one event stream. */
export interface SseSource {
  /** Writes what is due while the writer has room: called at the start, and whenever there is room again. */
  pump(): void
  /** The SSE heartbeat: a comment that keeps the connection alive. */
  heartbeat(): string
  /** Releases the source: the stream has ended. */
  close(): void
}

/** Where a source writes its frames: one client, who reads as fast as it can. */
export interface SseWriter {
  /** False while the client is behind, and after the end. The source then waits for `pump`. */
  readonly hasRoom: boolean
  write(frames: Buffer | string): void
  /** Ends the stream: nothing more will be written. */
  finish(comment: string): void
  /** Ends the stream, because what follows its position cannot be delivered: the client resumes, and gets 410 if it is lost. */
  expire(): void
}

/** Starts a source, once the head of the response is sent. */
export type StartSseSource = (writer: SseWriter) => SseSource

/** A line that clients ignore. */
export const sseComment = (text: string): string => `: ${text}\n\n`

/** The connection of one client, which measures how much of what was written the client has taken. */
export interface SseConnection {
  readonly hasRoom: boolean
  write(frames: Buffer | string): void
  /** How long the client has taken nothing of what waits for it. */
  stalledMs(): number
  /** Writes a last frame and closes; after `graceMs` even if the client has not taken it. */
  end(lastFrame: string, graceMs: number): void
}

/** After how long without traffic the operating system probes whether the client is still connected. */
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
  let pendingWrites = 0
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
    pendingWrites -= 1
    takenAt = performance.now()
  }

  return {
    get hasRoom() {
      return hasRoom && !isEnded
    },
    write(frames) {
      if (isEnded) return
      if (pendingWrites === 0) takenAt = performance.now()
      pendingWrites += 1
      hasRoom = res.write(frames, onTaken)
    },
    stalledMs: () => (pendingWrites === 0 ? 0 : performance.now() - takenAt),
    end(lastFrame, graceMs) {
      if (isEnded) return
      isEnded = true
      res.end(lastFrame)
      grace = setTimeout(() => socket?.destroy(), graceMs)
    },
  }
}
