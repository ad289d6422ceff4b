import type { DatabasePool } from '../store/database.ts'
import type { Pulse } from '../store/pulse.ts'
import { type Attempt, deliveryResult } from './attempt.ts'
import { updateHealth } from './endpoint-health.ts'
import { disable } from './endpoint-store.ts'
import { fanOutStep } from './fan-out.ts'
import { startLoop } from './loop.ts'
import type { WriteMessage } from './message.ts'
import type { Sender } from './outbound/sender.ts'
import {
  type ClaimedDelivery,
  claim,
  type DeliveryResult,
  recordResults,
  release,
  rescheduleAfterClockStep,
  sharedDeliveryLock,
  slowAfterMs,
} from './queue.ts'

export interface DeliveryWorkerOptions {
  pool: DatabasePool
  pulse: Pulse
  sender: Sender
  write: WriteMessage
  /** Under way at one endpoint at a time, over all processes. */
  inFlightPerEndpoint: number
  onAttempt?: (result: Attempt) => void
  /** Called when the log was read, with how many deliveries are new. */
  onQueued?: (queued: number) => void
  onError: (error: unknown) => void
  now?: () => number
  random?: () => number
  /** How often the queue is looked at when nothing wakes: the net under every wake that was lost. */
  pollMs?: number
  /** Longer than an attempt may last: after it, others take over. */
  leaseMs?: number
  /** Under way in this process at a time. */
  inFlightMax?: number
  /** How long attempts may end by themselves when the process closes. */
  graceMs?: number
}

/** How many of the attempts in flight may be of slow and failing endpoints. */
const slowShare = 0.5
/** How many are kept free for endpoints that have nothing in flight: fast endpoints that become slow never take all. */
const reservedShare = 0.25

/** How many attempts begin in one turn: thousands of connections at once would hold up each other. */
const claimsMax = 200

/** An attempt in flight. */
interface Running {
  isSlow: boolean
  startedMs: number
}

/** A clock that falls back by more was set; less is how exactly it is known. */
const clockStepMs = 1_000

/** Delivers, as long as it is not closed. */
export interface DeliveryWorker {
  /** Looks at the queue now. */
  wake(): void
  close(): Promise<void>
}

/** Three loops that hand on to each other: from the log into the queue, from the queue to the receivers, and what they said into the resultLoop. */
export function startDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { pool, pulse, sender, write, inFlightPerEndpoint, onError } = options
  const { now = Date.now, random = Math.random, onAttempt, onQueued } = options
  const { pollMs = 500, leaseMs = 30_000, inFlightMax = 2_000, graceMs = 1_000 } = options

  const stopping = new AbortController()
  const inFlight = new Map<Promise<void>, Running>()
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
      // The clock was set back: what waits would wait for that much longer.
      if (nowMs < claimedAtMs - clockStepMs) await rescheduleAfterClockStep(pool, { nowMs, leaseMs })
      claimedAtMs = nowMs
      const slowMax = Math.floor(inFlightMax * slowShare)
      const slow = countSlow(nowMs)
      const claimed = await claim(pool, {
        nowMs,
        leaseMs,
        inFlightPerEndpoint,
        // While there is room, a slow endpoint has all its slots: a busy machine makes endpoints slow that are not.
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
      // Slots that are full are freed by what ends; that wakes.
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

  /** Whatever ends while one is written down waits for the next: the busier, the more at once. */
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

  /** May be done again when it has failed half-way. */
  async function writeResults(batch: DeliveryResult[]): Promise<void> {
    const dead = await pool.transaction(async db => {
      await db.rows(sharedDeliveryLock)
      await recordResults(db, batch, now())
      return updateHealth(db, batch, now())
    })
    for (const { id, reason } of dead) await disable(pool, id, reason, now())
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const startedMs = now()
    const response = await sender.send(write(delivery.event, delivery, startedMs), stopping.signal)
    if (response.error === 'stopped') {
      released.push(delivery)
      return
    }
    const result = deliveryResult(delivery, response, startedMs, random)
    results.push(result)
    onAttempt?.({ result, response })
    resultLoop.wake()
  }

  const stopListening = pulse.onChange(() => fanOutLoop.wake())

  return {
    wake() {
      fanOutLoop.wake()
      claimLoop.wake()
    },
    async close() {
      stopListening()
      await Promise.all([fanOutLoop.close(), claimLoop.close()])
      // Timers run before sockets are read: a process that was busy reads the responses that are there before it gives up.
      const grace = setTimeout(() => setImmediate(() => stopping.abort()), graceMs)
      await Promise.all(inFlight.keys())
      clearTimeout(grace)
      await resultLoop.close()
      if (results.length > 0) await writeResults(results)
      if (released.length > 0) await release(pool, released, now())
    },
  }
}
