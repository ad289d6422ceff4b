import type { DatabasePool } from '../store/database.ts'
import { sharedDeliveryLock } from '../store/locks.ts'
import type { Pulse } from '../store/pulse.ts'
import { type Attempt, deliveryResult } from './attempt.ts'
import { updateHealth } from './endpoint-health.ts'
import { disable } from './endpoint-store.ts'
import type { WriteMessage } from './message.ts'
import type { Sender } from './outbound/sender.ts'
import {
  type ClaimedDelivery,
  claim,
  type DeliveryResult,
  fanOutStep,
  recordResults,
  release,
  rescheduleAfterClockStep,
  slowAfterMs,
} from './queue.ts'

export interface DeliveryWorkerOptions {
  pool: DatabasePool
  pulse: Pulse
  sender: Sender
  write: WriteMessage
  /** Attempts in flight per endpoint, over all processes. */
  inFlightPerEndpoint: number
  onAttempt?: (attempt: Attempt) => void
  /** Called after a fan-out step with the number of new deliveries. */
  onQueued?: (queued: number) => void
  onError: (error: unknown) => void
  now?: () => number
  random?: () => number
  /** Poll interval of the queue, in case a wake-up is lost. */
  pollMs?: number
  /** Longer than an attempt may last: afterwards other workers take over. */
  leaseMs?: number
  /** Attempts in flight in this process. */
  inFlightMax?: number
  /** How long attempts in flight may finish when the process closes. */
  graceMs?: number
}

/** Share of the slots that slow and failing endpoints may use. */
const slowShare = 0.5
/** Share of the slots reserved for endpoints with nothing in flight: fast endpoints that become slow never use all. */
const reservedShare = 0.25

/** Attempts started at a time: thousands of connections at once would delay each other. */
const claimsMax = 200

/** An attempt in flight. */
interface InFlight {
  isSlow: boolean
  startedMs: number
}

/** The clock was set back if it falls by more; less is measurement error. */
const clockStepMs = 1_000

/** Delivers until it is closed. */
export interface DeliveryWorker {
  /** Polls the queue now. */
  wake(): void
  close(): Promise<void>
}

/**
 * Starts three loops, each of which wakes the next:
 *
 *     event log -> fan-out -> pending -> claim -> sending -> attempt -> delivered | failed | pending (retry)
 *
 * A crash loses nothing: a claim ends with its lease, and an attempt whose result was not recorded is made again with the same id.
 */
export function startDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { pool, pulse, sender, write, inFlightPerEndpoint, onError } = options
  const { now = Date.now, random = Math.random, onAttempt, onQueued } = options
  const { pollMs = 500, leaseMs = 30_000, inFlightMax = 2_000, graceMs = 1_000 } = options

  const stopping = new AbortController()
  const inFlight = new Map<Promise<void>, InFlight>()
  let results: DeliveryResult[] = []
  const released: ClaimedDelivery[] = []
  let claimedAtMs = Number.NEGATIVE_INFINITY

  const fanOutLoop = startLoop(
    async () => {
      const { queued, isBehind } = await fanOutStep(pool, now())
      if (queued > 0) {
        onQueued?.(queued)
        claimLoop.wake()
      }
      return isBehind
    },
    { everyMs: pollMs, onError },
  )

  const claimLoop = startLoop(
    async () => {
      const room = inFlightMax - inFlight.size
      if (room <= 0) return false
      const nowMs = now()
      // After a clock step backwards pending deliveries would wait for that much longer.
      if (nowMs < claimedAtMs - clockStepMs) await rescheduleAfterClockStep(pool, { nowMs, leaseMs })
      claimedAtMs = nowMs
      const slowMax = Math.floor(inFlightMax * slowShare)
      const slow = countSlow(nowMs)
      const claimed = await claim(pool, {
        nowMs,
        leaseMs,
        inFlightPerEndpoint,
        // A slow endpoint keeps all its slots while there is room: on a busy machine fast endpoints seem slow.
        inFlightPerSlowEndpoint:
          slow > slowMax / 2 ? Math.max(1, Math.floor(inFlightPerEndpoint / 4)) : inFlightPerEndpoint,
        room: Math.min(room, claimsMax),
        slowRoom: Math.max(0, slowMax - slow),
        reserved: Math.max(0, Math.floor(inFlightMax * reservedShare) - (room - Math.min(room, claimsMax))),
      })
      for (const delivery of claimed) {
        const run: Promise<void> = deliver(delivery).finally(() => inFlight.delete(run))
        inFlight.set(run, { isSlow: delivery.is_slow, startedMs: nowMs })
      }
      // Finished attempts free their slots and wake this loop.
      return claimed.length === claimsMax
    },
    { everyMs: pollMs, onError },
  )

  function countSlow(nowMs: number): number {
    let count = 0
    for (const { isSlow, startedMs } of inFlight.values())
      if (isSlow || nowMs - startedMs >= slowAfterMs) count += 1
    return count
  }

  /** Results that arrive during a write are batched into the next one. */
  const resultLoop = startLoop(
    async () => {
      const batch = results
      if (batch.length === 0) return false
      results = []
      try {
        await writeResults(batch)
      } catch (error) {
        results = [...batch, ...results]
        throw error
      }
      claimLoop.wake()
      return false
    },
    { everyMs: pollMs, onError },
  )

  /** Idempotent: repeated after a failure. */
  async function writeResults(batch: DeliveryResult[]): Promise<void> {
    const toDisable = await pool.transaction(async db => {
      await db.rows(sharedDeliveryLock)
      await recordResults(db, batch, now())
      return updateHealth(db, batch, now())
    })
    for (const { id, reason } of toDisable) await disable(pool, id, reason, now())
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const startedMs = now()
    const message = write(delivery.event, delivery, startedMs)
    const response = await sender.send(message, stopping.signal)
    if (response.error === 'stopped') {
      released.push(delivery)
      return
    }
    const result = deliveryResult(delivery, { message, response, startedMs }, random)
    results.push(result)
    onAttempt?.({ result, response })
    resultLoop.wake()
  }

  const unsubscribe = pulse.onChange(() => fanOutLoop.wake())

  return {
    wake() {
      fanOutLoop.wake()
      claimLoop.wake()
    },
    async close() {
      unsubscribe()
      await Promise.all([fanOutLoop.close(), claimLoop.close()])
      // Timers run before sockets are read: a busy process reads received responses before it aborts.
      const grace = setTimeout(() => setImmediate(() => stopping.abort()), graceMs)
      await Promise.all(inFlight.keys())
      clearTimeout(grace)
      await resultLoop.close()
      if (results.length > 0) await writeResults(results)
      if (released.length > 0) await release(pool, released, now())
    },
  }
}

/** A background task. */
interface Loop {
  /** Runs the task at once, or again right after the current run. */
  wake(): void
  /** Resolves when the current run has ended; none follows. */
  close(): Promise<void>
}

/**
 * Runs `work` one at a time: when woken, and at least every `everyMs`. It runs again at once while it returns true. After an error it
 * waits for `everyMs`.
 */
function startLoop(
  work: () => Promise<boolean>,
  { everyMs, onError }: { everyMs: number; onError: (error: unknown) => void },
): Loop {
  let isAwake = true
  let isClosed = false
  let endSleep: () => void = () => undefined

  const sleep = () =>
    new Promise<void>(resolve => {
      const timer = setTimeout(resolve, everyMs)
      endSleep = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  async function run(): Promise<void> {
    while (!isClosed) {
      isAwake = false
      try {
        isAwake = (await work()) || isAwake
      } catch (error) {
        isAwake = false
        onError(error)
      }
      if (!isAwake && !isClosed) await sleep()
    }
  }
  const running = run()

  return {
    wake() {
      isAwake = true
      endSleep()
    },
    close() {
      isClosed = true
      endSleep()
      return running
    },
  }
}
