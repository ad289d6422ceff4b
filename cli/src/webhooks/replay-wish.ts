import { UsageError } from '../command-error.ts'

export interface ReplayOptions {
  failed: boolean
  since?: string
  until?: string
}

/** What one call asks to send once more. */
export type ReplayWish = { delivery: string } | { failed: true } | { since: string; until: string }

/** A wish for each call: deliveries are asked for one at a time. Throws a UsageError for none, and for more than one kind. */
export function wishesOf(deliveries: string[], options: ReplayOptions, nowMs: number): ReplayWish[] {
  const { failed, since, until } = options
  const kinds = [deliveries.length > 0, failed, since !== undefined].filter(Boolean).length
  if (kinds !== 1)
    throw new UsageError('say what to replay: ids of deliveries, or --failed, or --since MOMENT')
  if (since === undefined) {
    if (until !== undefined) throw new UsageError('--until goes with --since')
    return failed ? [{ failed: true }] : [...new Set(deliveries)].map(delivery => ({ delivery }))
  }
  const end = until ?? new Date(nowMs).toISOString()
  if (Date.parse(since) >= Date.parse(end))
    throw new UsageError(`--since must be before ${until === undefined ? 'now' : '--until'}`)
  return [{ since, until: end }]
}
