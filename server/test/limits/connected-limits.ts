import { createMemoryLimits } from '../../src/limits/memory.ts'
import type { LimitStore } from '../../src/limits/rate-limit.ts'
import { createRedisLimits } from '../../src/limits/redis.ts'

/** A store that is connected. Calls to its fallback would be counted separately, so tests notice them. */
export function connectedLimits(url: string, windowMs = 60_000, namespace = 'test'): Promise<LimitStore> {
  return new Promise((resolve, reject) => {
    const limits = createRedisLimits({
      url,
      namespace,
      windowMs,
      fallback: createMemoryLimits({ windowMs }),
      // A busy machine is no outage.
      commandTimeoutMs: 60_000,
      onStateChange: (isUp, reason) => (isUp ? resolve(limits) : reject(new Error(reason))),
    })
  })
}

/** Makes `times` concurrent calls over all stores, and returns how many are allowed. */
export async function consumeConcurrently(
  stores: LimitStore[],
  call: { subject: string; limit: number; times: number },
): Promise<number> {
  const calls = stores.flatMap(store =>
    Array.from({ length: call.times / stores.length }, () => store.consume(call.subject, call.limit)),
  )
  return (await Promise.all(calls)).filter(({ isAllowed }) => isAllowed).length
}
