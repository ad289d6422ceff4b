import type { RefusedBatch, RefusedBatchWithContent } from '@chancery/contract'
import { type Members, membersOf } from './members.ts'

const thing = 'a refused batch'

/** Throws a CommandError for what no Chancery says, as the reader below. */
export const readRefused = (answer: unknown): RefusedBatch[] =>
  membersOf(answer, thing).list('data').map(batchOf)

export function readRefusedContent(answer: unknown): RefusedBatchWithContent {
  const members = membersOf(answer, thing)
  return {
    ...batchOf(members),
    is_announced: members.flag('is_announced'),
    content: members.textOrNull('content'),
  }
}

function batchOf({ text, textOrNull, number, flag, list }: Members): RefusedBatch {
  return {
    id: text('id'),
    feed: textOrNull('feed'),
    first_refused_at: text('first_refused_at'),
    last_refused_at: text('last_refused_at'),
    tries: number('tries'),
    facts: number('facts'),
    bytes: number('bytes'),
    has_content: flag('has_content'),
    refusals: list('refusals').map(refusal => ({
      line: refusal.number('line'),
      path: refusal.text('path'),
      reason: refusal.text('reason'),
    })),
    overtaken_by: textOrNull('overtaken_by'),
  }
}
