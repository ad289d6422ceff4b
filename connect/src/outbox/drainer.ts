import { type Contract, factBytesMax, limits, rejectionText } from '@chancery/contract'
import { commitLine, ndjson } from '../batch-text.ts'
import type { BatchOutcome, Door, Refusal } from '../door.ts'
import { ConnectError, Overtaken, ServiceAway } from '../errors.ts'
import { lastBatchOf } from '../feed.ts'
import type { GameDatabase } from '../game-database.ts'
import { fitFact } from './fit-fact.ts'
import { readWaiting, removeRows, type WaitingTransaction } from './waiting.ts'

/** What became of one transaction of the game. */
export interface DrainedBatch {
  at: string
  feed: string
  batch: string
  status: 'applied' | 'duplicate' | 'refused'
  facts: number
  events: number
  refused: Refusal[]
}

export interface DrainerOptions {
  contract: Contract
  door: Door
  feed: string
  report(batch: DrainedBatch): void
}

/** So many transactions are read and sent at a time. */
const transactionsMax = 200

/** Sends what waits in an outbox, and removes what the service has. */
export class Drainer {
  readonly #options: DrainerOptions
  /** The batch of the feed that was applied last; undefined where that is not known. */
  #after: string | null | undefined

  constructor(options: DrainerOptions) {
    this.#options = options
  }

  forget(): void {
    this.#after = undefined
  }

  /** True where more waits. Throws as the game's database and the door do, Overtaken, and ConnectError. */
  async round(db: GameDatabase): Promise<boolean> {
    if (this.#after === undefined) this.#after = await lastBatchOf(this.#options.door, this.#options.feed)
    const waiting = await readWaiting(db, transactionsMax)
    const done: string[] = []
    try {
      for (let at = 0; at < waiting.length; ) {
        const settled = await this.#send(waiting.slice(at), done)
        at += settled
      }
    } catch (err) {
      this.forget()
      throw err
    } finally {
      // Also of a round that was cut: what is settled stays settled.
      await removeRows(db, done)
    }
    return waiting.length === transactionsMax
  }

  /**
   * Sends transactions as one stream, each after the one before it, up to the first that is refused: what follows it in the
   * stream stands on a batch that was not applied. Returns how many are settled, at least one.
   */
  async #send(waiting: WaitingTransaction[], done: string[]): Promise<number> {
    let settled = 0
    let linesBefore = 0
    for await (const outcome of this.#options.door.send(ndjson(this.#lines(waiting)))) {
      const transaction = waiting[settled]
      if (!transaction) break
      if (outcome.status === 'overtaken') throw new Overtaken('another sender of this feed was faster')
      if (outcome.status === 'unavailable') throw new ServiceAway('the service has lost its database')
      this.#settle(transaction, outcome, linesBefore)
      done.push(...transaction.rowIds)
      linesBefore += transaction.facts.length + 1
      settled += 1
      if (outcome.status === 'refused') return settled
    }
    if (settled === 0) throw new ServiceAway('the service has not said what became of a batch')
    return settled
  }

  *#lines(waiting: WaitingTransaction[]): Generator<string> {
    const { contract, feed } = this.#options
    let after = this.#after ?? null
    for (const { batch, facts } of waiting) {
      for (const fact of facts) yield fitFact(contract, fact)
      yield commitLine(batch, { feed: { name: feed, after } })
      after = batch
    }
  }

  #settle({ batch, facts }: WaitingTransaction, outcome: BatchOutcome, linesBefore: number): void {
    const { feed, report } = this.#options
    const { status, events } = outcome
    // The service counts lines of the stream; whoever reads this has one transaction before him.
    const refused = outcome.refused.map(refusal => ({
      ...refusal,
      line: Math.max(0, refusal.line - linesBefore),
    }))
    if (status === 'refused') this.#requireKept(batch, facts, { ...outcome, refused })
    // Applied under this id, though in other words: an older version wrote a value in another way.
    const settled = status === 'conflict' ? 'duplicate' : status
    if (settled === 'overtaken' || settled === 'unavailable') return
    if (settled !== 'refused') this.#after = batch
    report({
      at: new Date().toISOString(),
      feed,
      batch,
      status: settled,
      facts: facts.length,
      events,
      refused,
    })
  }

  /** What is neither applied nor kept would be lost. */
  #requireKept(batch: string, facts: string[], { is_kept: isKept, refused }: BatchOutcome): void {
    if (isKept) return
    const bytes = facts.reduce((sum, fact) => sum + Buffer.byteLength(fact) + 1, 0)
    const [first] = refused
    const reason = first ? rejectionText(first) : 'without a reason'
    const isTooLong = facts.some(fact => Buffer.byteLength(fact) > factBytesMax * 0.9)
    if (isTooLong || bytes > limits.deadLetterBytesMax * 0.9)
      throw new ConnectError(
        `a transaction of ${facts.length} facts is refused, and too large to be kept for you: ${reason} (fact ${first?.line ?? 0} of batch ${batch}). Mend it in chancery_out.outbox by deleting its rows and writing others`,
      )
    throw new ServiceAway(
      `the service could not keep a refused batch (${reason}): if it has no room, settle what chancery refused list shows`,
    )
  }
}
