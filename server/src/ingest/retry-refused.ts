import { Readable } from 'node:stream'
import type { Outcome } from './outcome.ts'
import { receiveFacts } from './receive.ts'
import { dropRefused, findRefused } from './refused.ts'
import type { IngestContext } from './settle-batch.ts'

/**
 * Tries a refused batch again, as it was sent. `overtaken` where later facts changed one of its things, unless it is wanted `anyway`;
 * `not_kept` where its facts are not kept; undefined where there is no such batch.
 */
export async function retryRefused(
  context: IngestContext,
  id: string,
  { anyway }: { anyway: boolean },
): Promise<Outcome | 'overtaken' | 'not_kept' | undefined> {
  const kept = await findRefused(context.pool, id)
  if (!kept) return undefined
  if (kept.content === null) return 'not_kept'
  if (kept.overtaken_by !== null && !anyway) return 'overtaken'
  const commit = { op: 'commit', batch: id, announce: kept.is_announced }
  const text = Buffer.from(`${kept.content}${JSON.stringify(commit)}\n`)
  for await (const outcome of receiveFacts(context, Readable.from([text]))) {
    // Under its id it was applied meanwhile: there is nothing left to do.
    if (outcome.status === 'duplicate') await dropRefused(context.pool, id)
    return outcome
  }
  return undefined
}
