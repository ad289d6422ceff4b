import { createMemoryLimits } from '../../src/limits/memory.ts'
import type { LimitStore } from '../../src/limits/rate-limit.ts'
import { createRedisLimits } from '../../src/limits/redis.ts'

/** A store whose connection stands. Calls that went to its fallback show: they are counted apart. */
export function connectedLimits(url: string, windowMs = 60_000): Promise<LimitStore> {
  return new Promise((resolve, reject) => {
    const limits = createRedisLimits({
      url,
      windowMs,
      fallback: createMemoryLimits({ windowMs }),
      // Exactness is the question, not how fast a busy machine answers.
      commandTimeoutMs: 60_000,
      onStateChange: (isUp, reason) => (isUp ? resolve(limits) : reject(new Error(reason))),
    })
  })
}

/** How many of so many calls at once over all stores are allowed. */
export async function takeAtOnce(
  stores: LimitStore[],
  call: { subject: string; limit: number; times: number },
): Promise<number> {
  const calls = stores.flatMap(store =>
    Array.from({ length: call.times / stores.length }, () => store.consume(call.subject, call.limit)),
  )
  const answers = await Promise.all(calls)
  return answers.filter(answer => answer.isAllowed).length
}
