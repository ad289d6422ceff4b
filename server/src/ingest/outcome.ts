import type { Applied } from './apply-batch.ts'
import type { Rejection } from './batch.ts'

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
  refused: Rejection[]
  is_kept: boolean
}

/** A game that sends ten thousand wrong facts gets the first hundred mistakes. */
const refusalsMax = 100

/** Mistakes of a batch, as many as are reported: the first one of each fact comes before the others of any. */
export class RejectionList {
  #first: Rejection[] = []
  #others: Rejection[] = []

  get isEmpty(): boolean {
    return this.#first.length === 0
  }

  /** All that is wrong with one fact. */
  add([first, ...others]: Rejection[]): void {
    if (!first || this.#first.length === refusalsMax) return
    this.#first.push(first)
    this.#others.push(...others.slice(0, refusalsMax - this.#others.length))
  }

  /** In the order of the facts. */
  list(): Rejection[] {
    const others = this.#others.slice(0, refusalsMax - this.#first.length)
    return [...this.#first, ...others].sort((one, other) => one.line - other.line)
  }
}

export const rejectedOutcome = (batch: string | null, rejections: Rejection[]): Outcome => ({
  batch,
  status: 'refused',
  facts: 0,
  events: 0,
  last_seq: null,
  refused: rejections.slice(0, refusalsMax),
  is_kept: false,
})

export const unavailableOutcome = (batch: string | null): Outcome => ({
  ...rejectedOutcome(batch, []),
  status: 'unavailable',
})
