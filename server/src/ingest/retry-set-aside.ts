import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@chancery/contract'
import { type Database, isUnavailable, sql } from '../store/database.ts'
import { ingestLock, retryLock } from '../store/locks.ts'
import type { Pulse } from '../store/pulse.ts'
import { type IngestContext, type Outcome, processReceived, savepointPerBatch } from './process-batch.ts'
import { hasWaiting, listWaiting, lockWaiting, recordReasons, type WaitingFact } from './set-aside-store.ts'
import { BatchReceiver, validateLine } from './split-batches.ts'
import { isRejected } from './validate-fact.ts'

/**
 * Retries facts that were set aside, as one batch, in one transaction: those that fit now are applied, and leave the dead-letter store.
 * Undefined where one of them was changed since it was read.
 */
export async function retryFacts(
  context: IngestContext,
  db: Database,
  facts: readonly WaitingFact[],
): Promise<Outcome | undefined> {
  const ids = facts.map(({ id }) => id)
  const receiving = new BatchReceiver()
  try {
    for (const [index, { content }] of facts.entries()) {
      const fact = validateLine(context.validate, { number: index + 1, text: content.trim() })
      if (!isRejected(fact) && fact.op === 'commit') return undefined
      await receiving.add(index + 1, content.trim(), fact)
    }
    const received = await receiving.close({
      batch: `set-aside:${randomUUID()}`,
      announce: facts[0]?.is_announced ?? true,
      refused: 'set_aside',
    })
    // In this order: a batch that supersedes facts locks them after it has the lock of all batches.
    await db.rows(sql`select pg_advisory_xact_lock(${ingestLock})`)
    if (!(await lockWaiting(db, ids))) return undefined
    const outcome = await processReceived(context, received, {
      runner: { inTransaction: savepointPerBatch(db), isDryRun: false },
      keepsRejected: false,
      retriedIds: ids,
    })
    const setAside = 'setAside' in received ? received.setAside : undefined
    await recordReasons(
      db,
      (setAside?.facts ?? []).map(({ line, rejections }) => ({ id: ids[line - 1] ?? '', rejections })),
    )
    return outcome
  } finally {
    await receiving.clear()
  }
}

/** Retries all facts that wait, the oldest first, a page in a transaction. Of several processes one does. */
async function retryWaiting(
  context: IngestContext,
  { pageMax = limits.setAsidePerBatch }: { pageMax?: number } = {},
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  if (!(await hasWaiting(context.pool))) return outcomes
  for (let after: WaitingFact | undefined; ; ) {
    const page = await context.pool.transaction(async db => {
      const held = await db.first<{ is_held: boolean }>(
        sql`select pg_try_advisory_xact_lock(${retryLock}) as is_held`,
      )
      if (!held?.is_held) return []
      const waiting = pageOf(await listWaiting(db, { after, limit: pageMax }))
      const outcome = waiting.length > 0 ? await retryFacts(context, db, waiting) : undefined
      if (outcome?.status === 'applied') outcomes.push(outcome)
      return waiting
    })
    after = page.at(-1)
    if (after === undefined) return outcomes
  }
}

/** As many as a batch may set aside, and all announced or none. */
function pageOf(waiting: readonly WaitingFact[]): WaitingFact[] {
  let bytes = 0
  const page: WaitingFact[] = []
  for (const fact of waiting) {
    bytes += Buffer.byteLength(fact.content)
    if (bytes > limits.deadLetterBytesMax || fact.is_announced !== waiting[0]?.is_announced) break
    page.push(fact)
  }
  return page
}

export interface RetryOptions {
  context: IngestContext
  pulse: Pick<Pulse, 'onChange'>
  onApplied(outcome: Outcome): void
  onError(error: unknown): void
  /** Between two rounds, by how long the last one took. */
  pause?: ((lastedMs: number) => number) | undefined
}

/** Rounds take at most a twentieth of the time: facts that never fit must not keep the senders waiting. */
const defaultPause = (lastedMs: number): number => Math.min(60_000, Math.max(1_000, 19 * lastedMs))

/** Retries facts that were set aside after each change of the world, and once at the start: the profile may be another one. */
export function startRetries({ context, pulse, onApplied, onError, pause = defaultPause }: RetryOptions) {
  const stopping = new AbortController()
  let worldVersion: number | undefined
  let hasChanged = true
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (hasChanged && !stopping.signal.aborted) {
      hasChanged = false
      const startedAt = performance.now()
      try {
        for (const outcome of await retryWaiting(context)) onApplied(outcome)
      } catch (error) {
        hasChanged = true
        if (!isUnavailable(error)) onError(error)
      }
      const options = { ref: false, signal: stopping.signal }
      await sleep(pause(performance.now() - startedAt), undefined, options).catch(() => undefined)
    }
    running = undefined
  }
  const unsubscribe = pulse.onChange(heartbeat => {
    if (heartbeat.worldVersion === worldVersion) return
    worldVersion = heartbeat.worldVersion
    hasChanged = true
    running ??= run()
  })
  running = run()

  return {
    async close(): Promise<void> {
      unsubscribe()
      stopping.abort()
      await running
    },
  }
}
