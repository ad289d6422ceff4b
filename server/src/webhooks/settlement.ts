import type { Answered } from './outgoing/send.ts'
import type { Claimed, Settlement } from './queue.ts'
import { nextAttemptMs } from './retry.ts'

export interface AttemptResult {
  settlement: Settlement
  answered: Answered
}

/** Only a status from 200 to 299 says that a message has arrived. */
export const hasArrived = ({ status }: Answered): boolean => status !== null && status >= 200 && status < 300

/** What follows from an attempt: done, once more later, or given up. */
export function settlementOf(
  { id, endpoint_id, attempt, failures }: Claimed,
  answered: Answered,
  startedMs: number,
  random: () => number,
): Settlement {
  const { status, error, answer, latencyMs, retryAfter } = answered
  const book = {
    id,
    endpoint_id,
    attempt,
    attempted_at: new Date(startedMs).toISOString(),
    latency_ms: Math.round(latencyMs),
    status,
    error,
    answer,
  }
  if (hasArrived(answered)) return { ...book, state: 'delivered', due_at: null, failures: 0 }
  const failed = failures + 1
  const nextMs =
    status === 410
      ? null
      : nextAttemptMs({ failures: failed, atMs: startedMs + latencyMs, retryAfter }, random)
  return nextMs === null
    ? { ...book, state: 'failed', due_at: null, failures: failed }
    : { ...book, state: 'pending', due_at: new Date(nextMs).toISOString(), failures: failed }
}
