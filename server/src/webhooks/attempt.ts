import { webhooks } from '@chancery/contract'
import type { AttemptResponse, Message } from './outbound/sender.ts'
import type { ClaimedRow, DeliveryResult } from './queue.ts'

export interface Attempt {
  result: DeliveryResult
  response: AttemptResponse
}

/** Only a status from 200 to 299 acknowledges a message. */
export const isSuccess = ({ status }: AttemptResponse): boolean =>
  status !== null && status >= 200 && status < 300

/** The result of an attempt: delivered, pending until the next attempt, or failed. Retries with backoff and jitter. */
export function deliveryResult(
  { id, endpoint_id, attempt, failures }: ClaimedRow,
  { message, response, startedMs }: { message: Message; response: AttemptResponse; startedMs: number },
  random: () => number,
): DeliveryResult {
  const { status, error, body, latencyMs, retryAfter } = response
  const logged = {
    id,
    endpoint_id,
    attempt,
    attempted_at: new Date(startedMs).toISOString(),
    latency_ms: Math.round(latencyMs),
    status,
    error,
    response: body,
    ...sentHeaders(message),
  }
  if (isSuccess(response)) return { ...logged, state: 'delivered', due_at: null, failures: 0 }
  const failed = failures + 1
  const nextMs =
    status === 410
      ? null
      : nextAttemptMs({ failures: failed, atMs: startedMs + latencyMs, retryAfter }, random)
  return nextMs === null
    ? { ...logged, state: 'failed', due_at: null, failures: failed }
    : { ...logged, state: 'pending', due_at: new Date(nextMs).toISOString(), failures: failed }
}

/** The headers of a message that its log line keeps; the others follow from the event and the time of the attempt. */
export const sentHeaders = ({ headers }: Message) => ({
  signature: headers[webhooks.signatureHeader] ?? null,
  user_agent: headers['user-agent'] ?? null,
})

interface FailedAttempt {
  /** How many attempts in a row have failed, this one included. */
  failures: number
  atMs: number
  /** The header as received. */
  retryAfter: string | null
}

/** Backoff with jitter: the time of the next attempt in Unix milliseconds; null when the retries are used up. */
export function nextAttemptMs(
  { failures, atMs, retryAfter }: FailedAttempt,
  random: () => number = Math.random,
): number | null {
  const baseSeconds = webhooks.retryDelaysSeconds[failures - 1]
  if (baseSeconds === undefined) return null
  const requested = retryAfterSeconds(retryAfter, atMs)
  const seconds =
    requested === undefined
      ? baseSeconds * (1 + webhooks.retryJitter * random())
      : Math.min(Math.max(requested, baseSeconds), baseSeconds * webhooks.retryAfterFactorMax)
  return atMs + Math.round(seconds * 1000)
}

/** Retry-After is a number of seconds or an HTTP date. Anything else is ignored. */
function retryAfterSeconds(retryAfter: string | null, atMs: number): number | undefined {
  const text = retryAfter?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text)
  const dateMs = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(dateMs) ? undefined : (dateMs - atMs) / 1000
}
