import { Readable } from 'node:stream'
import { deleteDeadLetter, findDeadLetter } from './dead-letters.ts'
import type { Outcome } from './outcome.ts'
import type { IngestContext } from './process-batch.ts'
import { receiveFacts } from './receive.ts'

/**
 * Tries a refused batch again, as it was sent. `overtaken` where later facts changed one of its things, unless it is wanted `anyway`;
 * `not_kept` where its facts are not kept; undefined where there is no such batch.
 */
export async function redriveDeadLetter(
  context: IngestContext,
  id: string,
  { anyway }: { anyway: boolean },
): Promise<Outcome | 'overtaken' | 'not_kept' | undefined> {
  const kept = await findDeadLetter(context.pool, id)
  if (!kept) return undefined
  if (kept.content === null) return 'not_kept'
  if (kept.overtaken_by !== null && !anyway) return 'overtaken'
  const commit = { op: 'commit', batch: id, announce: kept.is_announced }
  const text = Buffer.from(`${kept.content}${JSON.stringify(commit)}\n`)
  for await (const outcome of receiveFacts(context, Readable.from([text]))) {
    // Under its id it was applied meanwhile: there is nothing left to do.
    if (outcome.status === 'duplicate') await deleteDeadLetter(context.pool, id)
    return outcome
  }
  return undefined
}
