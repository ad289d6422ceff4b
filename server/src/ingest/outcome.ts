import type { Refusal } from '../store/batch.ts'
import type { Applied } from './apply-batch.ts'

/**
 * What became of one batch.
 * - `applied`: it is durable. `duplicate`: it had been applied before, and nothing was done again.
 * - `conflict`: another batch had this id. `overtaken`: its feed has gone on from another batch than it says.
 * - `refused`: the facts named in `refused` are wrong, and nothing of it is applied; `is_kept` says whether the operator finds
 *   it among the refused batches.
 * - `unavailable`: the database could not be reached; whether it was stored is known when it is sent again.
 *   Nor is what follows it in the stream applied: a batch must not overtake the one before it.
 */
export interface Outcome {
  batch: string | null
  status: Applied['status'] | 'refused' | 'unavailable'
  facts: number
  events: number
  last_seq: number | null
  refused: Refusal[]
  is_kept: boolean
}

/** A game that sends ten thousand wrong facts learns the first hundred. */
export const refusalsMax = 100

export const refused = (batch: string | null, refusals: Refusal[]): Outcome => ({
  batch,
  status: 'refused',
  facts: 0,
  events: 0,
  last_seq: null,
  refused: refusals.slice(0, refusalsMax),
  is_kept: false,
})

export const unavailable = (batch: string | null): Outcome => ({
  ...refused(batch, []),
  status: 'unavailable',
})
