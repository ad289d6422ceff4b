import { createHash } from 'node:crypto'
import { commitLine } from '../batch-text.ts'
import type { Door } from '../door.ts'
import { sendBatch } from '../feed.ts'

/** The id under which a refused line is kept: the same line again is the same batch. */
const keptId = (feed: string, line: string) =>
  `${feed}:row:${createHash('sha256').update(line).digest('hex').slice(0, 32)}`

/**
 * Sends one line as a batch of its own, so that it is refused and thereby kept for the operator.
 * `isApplied`: alone it was taken.
 */
export async function keepAlone(
  door: Door,
  line: string,
  feed: { name: string; after: string | null },
): Promise<{ id: string; isApplied: boolean }> {
  const id = keptId(feed.name, line)
  const { status } = await sendBatch(door, [line, commitLine(id, { feed })])
  return { id, isApplied: status === 'applied' }
}

/** The operator need not look at it any more. */
export async function dropKept(door: Door, id: string): Promise<void> {
  await door.call('DELETE', `/refused/${encodeURIComponent(id)}`)
}

/** Drops what an earlier puller of this feed had set aside and this one has not. */
export async function dropStale(door: Door, feed: string, kept: ReadonlySet<string>): Promise<void> {
  const answer = await door.call('GET', `/refused?feed=${encodeURIComponent(feed)}&limit=1000`)
  const list = (answer as { data?: unknown } | undefined)?.data
  for (const { id } of (Array.isArray(list) ? list : []) as { id?: unknown }[]) {
    if (typeof id === 'string' && id.startsWith(`${feed}:row:`) && !kept.has(id)) await dropKept(door, id)
  }
}
