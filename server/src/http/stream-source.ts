/** Where a stream's bytes go: one reader, who takes them as fast as they can. */
export interface SseWriter {
  /** False while the reader is behind, and once the stream is over. Whoever has something to say waits for `flow`. */
  readonly hasRoom: boolean
  write(frames: Buffer | string): void
  /** Ends the stream because there is nothing more to say. */
  finish(comment: string): void
}

/** What is said on one stream. */
export interface SseSource {
  /** Says what there is to say, while the outlet has room: at the start, and whenever there is room again. */
  pump(): void
  /** What is said where nothing else may have been for long. */
  heartbeat(): string
  /** The stream is over, however it ended. */
  close(): void
}

/** Lets a source speak, once the head of the answer is on its way. */
export type StartSseSource = (outlet: SseWriter) => SseSource

/** A line that readers skip. */
export const sseComment = (text: string): string => `: ${text}\n\n`
