import { webhooks } from '@chancery/contract'

interface FailedAttempt {
  /** How many attempts in a row have failed, this one included. */
  failures: number
  atMs: number
  /** As the receiver sent it. */
  retryAfter: string | null
}

/** When to try again, in milliseconds since the epoch; null when the table is at its end. */
export function nextAttemptMs(
  { failures, atMs, retryAfter }: FailedAttempt,
  random: () => number = Math.random,
): number | null {
  const baseSeconds = webhooks.retryDelaysSeconds[failures - 1]
  if (baseSeconds === undefined) return null
  const asked = secondsOf(retryAfter, atMs)
  const seconds =
    asked === undefined
      ? baseSeconds * (1 + webhooks.retryJitter * random())
      : Math.min(Math.max(asked, baseSeconds), baseSeconds * webhooks.retryAfterFactorMax)
  return atMs + Math.round(seconds * 1000)
}

/** Retry-After is a number of seconds, or a date. Anything else counts as not sent. */
function secondsOf(retryAfter: string | null, atMs: number): number | undefined {
  const text = retryAfter?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text)
  const dateMs = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(dateMs) ? undefined : (dateMs - atMs) / 1000
}
