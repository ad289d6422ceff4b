import {
  type BatchOutcome,
  type Contract,
  factBytesMax,
  limits,
  type Rejection,
  rejectionText,
} from '@chancery/contract'
import { coerceFact } from '../coerce-value.ts'
import { ConnectError, ServiceUnavailableError } from '../errors.ts'
import { type GameDatabase, openGame } from '../game-database/postgres.ts'
import type { SenderState } from '../heartbeat.ts'
import { type RunOptions, runWithRetry } from '../retry-loop.ts'
import {
  commitLine,
  databaseUnavailable,
  lastBatchOf,
  ndjson,
  type ServiceClient,
  staleFeed,
} from '../service-client.ts'
import { type OutboxTransaction, readTransactions, removeRows } from './outbox-rows.ts'

export interface DrainerOptions {
  contract: Contract
  client: ServiceClient
  feed: string
  report(batch: DrainedBatch): void
}

export interface RunDrainOptions extends DrainerOptions, RunOptions {}

/** Drains the outbox until the signal, or until it is empty. Throws a ConnectError for errors that a retry cannot fix. */
export async function runDrain(options: RunDrainOptions): Promise<void> {
  const drainer = new Drainer(options)
  await runWithRetry({
    ...options,
    name: 'outbox drain',
    lock: 'outbox',
    isReadOnly: false,
    open: openGame,
    reset: () => drainer.reset(),
    state: () => drainer.state(),
    begin: (db, wake) => db.listen('chancery_outbox', wake),
    round: db => drainer.round(db),
  })
}

/** The outcome of one transaction of the game. */
export interface DrainedBatch {
  at: string
  feed: string
  batch: string
  status: 'applied' | 'duplicate' | 'refused'
  /** How many of its facts were sent. */
  facts: number
  /** How many of them the service stores until they fit. */
  set_aside: number
  events: number
  refused: Rejection[]
}

/** How many transactions are read and sent at a time. */
const transactionsMax = 200

/** Sends the transactions of an outbox, and removes those that the service has stored. */
export class Drainer {
  readonly #options: DrainerOptions
  /** The last batch of the feed that was applied; undefined if unknown. */
  #after: string | null | undefined
  /** Rows that the last round has read. */
  #waiting = 0

  constructor(options: DrainerOptions) {
    this.#options = options
  }

  reset(): void {
    this.#after = undefined
  }

  /** For heartbeats. How much waits is known to `chancery outbox status`: counting it each second would cost the game. */
  state(): SenderState {
    return { rows: this.#waiting, set_aside: 0, waiting_views: [] }
  }

  /** true if more may be waiting. Throws errors of the game's database and the client, StaleFeedError, and ConnectError. */
  async round(db: GameDatabase): Promise<boolean> {
    if (this.#after === undefined) this.#after = await lastBatchOf(this.#options.client, this.#options.feed)
    const transactions = await readTransactions(db, transactionsMax)
    this.#waiting = transactions.reduce((count, { facts }) => count + facts.length, 0)
    const done: string[] = []
    try {
      for (let at = 0; at < transactions.length; ) {
        at += await this.#send(transactions.slice(at), done)
      }
    } catch (err) {
      this.reset()
      throw err
    } finally {
      // Also after an error: batches with an outcome are not sent again.
      await removeRows(db, done)
    }
    return transactions.length === transactionsMax
  }

  /**
   * Sends transactions as one stream, each naming the one before it, up to the first that is rejected: those that follow in the
   * stream name a batch that was not applied. Returns how many have an outcome, at least one.
   */
  async #send(transactions: OutboxTransaction[], done: string[]): Promise<number> {
    let processed = 0
    let linesBefore = 0
    for await (const outcome of this.#options.client.send(ndjson(this.#lines(transactions)))) {
      const transaction = transactions[processed]
      if (!transaction) break
      if (outcome.status === 'overtaken') throw staleFeed()
      if (outcome.status === 'unavailable') throw databaseUnavailable()
      this.#record(transaction, outcome, linesBefore)
      done.push(...transaction.rowIds)
      linesBefore += transaction.facts.length + 1
      processed += 1
      if (outcome.status === 'refused') return processed
    }
    if (processed === 0) throw new ServiceUnavailableError('the service returned no outcome for a batch')
    return processed
  }

  *#lines(transactions: OutboxTransaction[]): Generator<string> {
    const { contract, feed } = this.#options
    let after = this.#after ?? null
    for (const { batch, facts } of transactions) {
      for (const fact of facts) yield coerceFact(contract, fact)
      yield commitLine(batch, { feed: { name: feed, after }, refused: 'set_aside' })
      after = batch
    }
  }

  #record({ batch, facts }: OutboxTransaction, outcome: BatchOutcome, linesBefore: number): void {
    const { feed, report } = this.#options
    const { status, events } = outcome
    // The service counts lines of the stream; the report counts those of one transaction.
    const rejections = outcome.refused.map(rejection => ({
      ...rejection,
      line: Math.max(0, rejection.line - linesBefore),
    }))
    if (status === 'refused') this.#requireKept(batch, facts, { ...outcome, refused: rejections })
    // A conflict was applied under this id with other content: an older version wrote a value in another form.
    const reported = status === 'conflict' ? 'duplicate' : status
    if (reported === 'overtaken' || reported === 'unavailable') return
    if (reported !== 'refused') this.#after = batch
    report({
      at: new Date().toISOString(),
      feed,
      batch,
      status: reported,
      facts: facts.length,
      set_aside: outcome.set_aside,
      events: events ?? 0,
      refused: rejections,
    })
  }

  /** A batch that is neither applied nor kept would be lost. */
  #requireKept(batch: string, facts: string[], { is_kept: isKept, refused: rejections }: BatchOutcome): void {
    if (isKept) return
    const bytes = facts.reduce((sum, fact) => sum + Buffer.byteLength(fact) + 1, 0)
    const first = rejections.find(({ line }) => line > 0) ?? rejections[0]
    const reason = first ? rejectionText(first) : 'without a reason'
    const isTooLong = facts.some(fact => Buffer.byteLength(fact) > factBytesMax * 0.9)
    if (isTooLong || bytes > limits.deadLetterBytesMax * 0.9)
      throw new ConnectError(
        `a transaction of ${facts.length} facts is rejected, and too large for the dead-letter store: ${reason} (fact ${first?.line ?? 0} of batch ${batch}). Correct it in chancery_out.outbox: delete its rows and insert others`,
      )
    throw new ServiceUnavailableError(
      `the service could not keep a rejected batch (${reason}): if the dead-letter store is full, retry or drop batches of chancery refused list`,
    )
  }
}
