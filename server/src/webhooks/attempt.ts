import type { AttemptResponse } from './outbound/sender.ts'
import type { ClaimedRow, DeliveryResult } from './queue.ts'
import { nextAttemptMs } from './retry.ts'

export interface Attempt {
  result: DeliveryResult
  response: AttemptResponse
}

/** Only a status from 200 to 299 says that a message has arrived. */
export const isSuccess = ({ status }: AttemptResponse): boolean =>
  status !== null && status >= 200 && status < 300

/** What follows from an attempt: done, once more later, or given up. */
export function deliveryResult(
  { id, endpoint_id, attempt, failures }: ClaimedRow,
  response: AttemptResponse,
  startedMs: number,
  random: () => number,
): DeliveryResult {
  const { status, error, body: answer, latencyMs, retryAfter } = response
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
  if (isSuccess(response)) return { ...book, state: 'delivered', due_at: null, failures: 0 }
  const failed = failures + 1
  const nextMs =
    status === 410
      ? null
      : nextAttemptMs({ failures: failed, atMs: startedMs + latencyMs, retryAfter }, random)
  return nextMs === null
    ? { ...book, state: 'failed', due_at: null, failures: failed }
    : { ...book, state: 'pending', due_at: new Date(nextMs).toISOString(), failures: failed }
}
