import type { DatabasePool } from '../store/database.ts'
import type { Pulse } from '../store/pulse.ts'
import { noteHealth } from './endpoint-health.ts'
import { fanOutStep } from './fan-out.ts'
import { startLoop } from './loop.ts'
import type { WriteMessage } from './message.ts'
import type { Sender } from './outgoing/send.ts'
import {
  bringForward,
  type ClaimedEvent,
  claim,
  openBook,
  release,
  type Settlement,
  settle,
  slowAfterMs,
} from './queue.ts'
import { type AttemptResult, settlementOf } from './settlement.ts'
import { disable } from './store.ts'

export interface DeliveryOptions {
  pool: DatabasePool
  pulse: Pulse
  sender: Sender
  write: WriteMessage
  /** Under way at one endpoint at a time, over all processes. */
  inFlight: number
  onAttempt?: (result: AttemptResult) => void
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
  underWayMax?: number
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
export interface Deliveries {
  /** Looks at the queue now. */
  wake(): void
  close(): Promise<void>
}

/** Three loops that hand on to each other: from the log into the queue, from the queue to the receivers, and what they said into the book. */
export function startDeliveries(options: DeliveryOptions): Deliveries {
  const { pool, pulse, sender, write, inFlight, onError } = options
  const { now = Date.now, random = Math.random, onAttempt, onQueued } = options
  const { pollMs = 500, leaseMs = 30_000, underWayMax = 2_000, graceMs = 1_000 } = options

  const stopping = new AbortController()
  const underWay = new Map<Promise<void>, Running>()
  let settlements: Settlement[] = []
  const released: ClaimedEvent[] = []
  let claimedAtMs = Number.NEGATIVE_INFINITY

  const fanOut = startLoop(
    async () => {
      const { queued, isBehind } = await fanOutStep(pool, now())
      if (queued > 0) {
        onQueued?.(queued)
        claims.wake()
      }
      return isBehind
    },
    { everyMs: pollMs, onError },
  )

  const claims = startLoop(
    async () => {
      const room = underWayMax - underWay.size
      if (room <= 0) return false
      const nowMs = now()
      // The clock was set back: what waits would wait for that much longer.
      if (nowMs < claimedAtMs - clockStepMs) await bringForward(pool, { nowMs, leaseMs })
      claimedAtMs = nowMs
      const slowMax = Math.floor(underWayMax * slowShare)
      const slow = slowUnderWay(nowMs)
      const claimed = await claim(pool, {
        nowMs,
        leaseMs,
        inFlight,
        // While there is room, a slow endpoint has all its slots: a busy machine makes endpoints slow that are not.
        slowInFlight: slow > slowMax / 2 ? Math.max(1, Math.floor(inFlight / 4)) : inFlight,
        room: Math.min(room, claimsMax),
        slowRoom: Math.max(0, slowMax - slow),
        reserved: Math.max(0, Math.floor(underWayMax * reservedShare) - (room - Math.min(room, claimsMax))),
      })
      for (const delivery of claimed) {
        const run: Promise<void> = deliver(delivery).finally(() => underWay.delete(run))
        underWay.set(run, { isSlow: delivery.is_slow, startedMs: nowMs })
      }
      // Slots that are full are freed by what ends; that wakes.
      return claimed.length === claimsMax
    },
    { everyMs: pollMs, onError },
  )

  function slowUnderWay(nowMs: number): number {
    let count = 0
    for (const { isSlow, startedMs } of underWay.values())
      if (isSlow || nowMs - startedMs >= slowAfterMs) count += 1
    return count
  }

  /** Whatever ends while one is written down waits for the next: the busier, the more at once. */
  const book = startLoop(
    async () => {
      const batch = settlements
      if (batch.length === 0) return false
      settlements = []
      try {
        await writeDown(batch)
      } catch (error) {
        settlements = [...batch, ...settlements]
        throw error
      }
      claims.wake()
      return false
    },
    { everyMs: pollMs, onError },
  )

  /** May be done again when it has failed half-way. */
  async function writeDown(batch: Settlement[]): Promise<void> {
    const dead = await pool.transaction(async db => {
      await db.rows(openBook)
      await settle(db, batch, now())
      return noteHealth(db, batch, now())
    })
    for (const { id, reason } of dead) await disable(pool, id, reason, now())
  }

  async function deliver(delivery: ClaimedEvent): Promise<void> {
    const startedMs = now()
    const answered = await sender.send(write(delivery.event, delivery, startedMs), stopping.signal)
    if (answered.error === 'stopped') {
      released.push(delivery)
      return
    }
    const settlement = settlementOf(delivery, answered, startedMs, random)
    settlements.push(settlement)
    onAttempt?.({ settlement, answered })
    book.wake()
  }

  const stopListening = pulse.onChange(() => fanOut.wake())

  return {
    wake() {
      fanOut.wake()
      claims.wake()
    },
    async close() {
      stopListening()
      await Promise.all([fanOut.close(), claims.close()])
      // Timers run before sockets are read: a process that was busy reads the responses that are there before it gives up.
      const grace = setTimeout(() => setImmediate(() => stopping.abort()), graceMs)
      await Promise.all(underWay.keys())
      clearTimeout(grace)
      await book.close()
      if (settlements.length > 0) await writeDown(settlements)
      if (released.length > 0) await release(pool, released, now())
    },
  }
}
