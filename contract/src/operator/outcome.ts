import Type, { type Static } from 'typebox'
import { batchId } from '../facts.ts'
import { count, enumOf, listOf, nullable, strictObject, text } from '../shared-schemas.ts'
import { named } from './operation.ts'

/** What may become of a batch, and what it means. */
export const batchStatuses = {
  applied: 'It is applied, and durable.',
  duplicate: 'It had been applied before, and nothing was done again.',
  conflict:
    'Another content was applied under this id. Nothing of this one is: give it an id of its own, or find out why two batches have one id.',
  overtaken:
    'It does not stand on the batch of its feed that was applied last. Nothing of it is applied: read the feed, and begin again from there.',
  refused:
    'Facts of it are wrong, and nothing of it is applied. `refused` says which: correct them, and send the batch again under the same id.',
  unavailable:
    'The database could not be reached. Whether it was applied shows when it is sent again: send it again.',
} as const
export type BatchStatus = keyof typeof batchStatuses
export const batchStatusNames = Object.keys(batchStatuses) as BatchStatus[]

const statusTable = Object.entries(batchStatuses)
  .map(([status, meaning]) => `- \`${status}\`: ${meaning}`)
  .join('\n')

export const refusalSchema = named(
  'Refusal',
  strictObject(
    {
      line: count({
        description:
          'Which fact: its line in the stream, or its place in `facts`, from 1. 0 where no single fact is at fault.',
      }),
      path: text(1000, { description: 'Where in the fact, as a JSON pointer; empty for the whole of it.' }),
      reason: text(2000, { description: 'What must be there, or what is wrong with it.' }),
      value: Type.Optional(
        text(500, {
          description:
            'The value that is there, as JSON: shortened, on one line. Only of fields that everybody may read.',
        }),
      ),
    },
    { description: 'Why a batch was refused.' },
  ),
)

export type Refusal = Static<typeof refusalSchema>

export const outcomeSchema = named(
  'Outcome',
  strictObject(
    {
      batch: nullable({ ...batchId(), description: 'The batch; null for facts that no commit ever closed.' }),
      status: enumOf(batchStatusNames, { description: statusTable }),
      facts: count({ description: 'Facts in the batch; 0 where it was refused.' }),
      events: nullable(
        count({
          description:
            'Events that followed from it and are in the log. Null in a check with a token without the role `admin`.',
        }),
      ),
      last_seq: nullable(
        count({
          description:
            'Number of the last of them; null where there are none, and in a check with a token without the role `admin`.',
        }),
      ),
      refused: listOf(refusalSchema, {
        maxItems: 100,
        description:
          'What is wrong with it, in the order of the facts: at most a hundred mistakes, of as many facts as fit, and at most twenty of one fact.',
      }),
      is_kept: Type.Boolean({
        description:
          'Whether the batch is kept among the refused ones, where it can be tried again. false also where there is no room: the sender must keep it.',
      }),
    },
    { description: 'What became of one batch.' },
  ),
)

export type BatchOutcome = Static<typeof outcomeSchema>

export const appliedExample = {
  batch: 'turn-8817',
  status: 'applied',
  facts: 412,
  events: 37,
  last_seq: 10_482,
  refused: [],
  is_kept: false,
}
export const refusedExample = {
  batch: 'turn-8818',
  status: 'refused',
  facts: 0,
  events: 0,
  last_seq: null,
  refused: [
    {
      line: 2,
      path: '/data/founded_at',
      reason: 'must be a UTC time such as 2026-05-20T10:00:00Z, or null',
      value: '"2026-05-20 10:00"',
    },
  ],
  is_kept: true,
}
const without = (status: BatchStatus) => ({ ...refusedExample, status, refused: [], is_kept: false })
export const conflictExample = {
  ...without('conflict'),
  refused: [{ line: 0, path: '/batch', reason: 'another batch was applied under this id' }],
}
export const overtakenExample = {
  ...without('overtaken'),
  refused: [{ line: 0, path: '/feed/after', reason: 'feed pull stands on batch pull-73' }],
}
export const unavailableExample = without('unavailable')
