import type { DroppedBatch, RefusedBatch, RefusedBatchWithContent } from '@chancery/contract'
import { type Members, membersOf } from './members.ts'

const thing = 'a refused batch'

/** Throws a CommandError for what no Chancery says, as the reader below. */
export const readRefused = (answer: unknown): RefusedBatch[] =>
  membersOf(answer, thing).list('data').map(batchOf)

export const readDropped = (answer: unknown): DroppedBatch[] =>
  membersOf(answer, 'a list of refused batches')
    .list('dropped')
    .map(({ text, textOrNull, number, flag }) => ({
      id: text('id'),
      feed: textOrNull('feed'),
      facts: number('facts'),
      bytes: number('bytes'),
      is_listed: flag('is_listed'),
      dropped_at: text('dropped_at'),
    }))

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
    refusals: list('refusals').map(refusal => {
      const value = refusal.textOrNull('value')
      return {
        line: refusal.number('line'),
        path: refusal.text('path'),
        reason: refusal.text('reason'),
        ...(value === null ? {} : { value }),
      }
    }),
    overtaken_by: textOrNull('overtaken_by'),
  }
}
