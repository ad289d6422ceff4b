import { ndjson } from './batch-text.ts'
import type { BatchOutcome, Door, SendOptions } from './door.ts'
import { ConnectError, Overtaken, ServiceAway } from './errors.ts'

/** The batch of a feed that was applied last; null where none was. */
export async function lastBatchOf(door: Door, feed: string): Promise<string | null> {
  const answer = await door.call('GET', `/feeds/${encodeURIComponent(feed)}`)
  if (typeof answer !== 'object' || answer === null || !('last_batch' in answer))
    throw new ConnectError('the service knows no feeds: is it a Chancery of this version?')
  const { last_batch: lastBatch } = answer
  return typeof lastBatch === 'string' ? lastBatch : null
}

/** Sends one batch. Throws ServiceAway where it is not known what became of it, and Overtaken. */
export async function sendBatch(
  door: Door,
  lines: Iterable<string>,
  options: SendOptions = {},
): Promise<BatchOutcome> {
  let last: BatchOutcome | undefined
  for await (const outcome of door.send(ndjson(lines), options)) last = outcome
  if (!last || last.status === 'unavailable') throw new ServiceAway('the service has lost its database')
  if (last.status === 'overtaken') throw new Overtaken('another sender of this feed was faster')
  return last
}
