import { limits } from '@chancery/contract'

/** How far the log has been looked through. An id without data moves what a reader resumes from, and tells nothing. */
const at = (position: number) => `id: ${position}\n\n`

/** What every stream begins with: whoever is cut off before the first event misses nothing either. */
export const opening = (position: number): string =>
  `retry: ${limits.streamRetrySeconds * 1000}\n\n${at(position)}`

/** Says that all is told which the log held when the stream was opened. */
export const upToDate = (position: number): string => `: up to date\n${at(position)}`

/** Says that the connection lives. A reader with a narrow filter resumes from here, not from their last event. */
export const heartbeat = (position: number): string => `: heartbeat\n${at(position)}`

export const eventFrame = (seq: number, json: string): Buffer => Buffer.from(`id: ${seq}\ndata: ${json}\n\n`)
