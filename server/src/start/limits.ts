import { createMemoryLimits } from '../limits/memory.ts'
import type { LimitStore } from '../limits/rate-limit.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** Rate limits in Valkey or Redis, exact over all processes; without a URL in the memory of this process. */
export async function createLimits(
  url: string | undefined,
  {
    databaseId,
    log,
    metrics,
    timeoutMs,
  }: { databaseId: () => Promise<string>; log: Logger; metrics: Metrics; timeoutMs?: number | undefined },
): Promise<LimitStore> {
  const local = createMemoryLimits({})
  if (url === undefined) {
    // A zero would say that a configured store is unavailable.
    metrics.limitsShared.remove()
    return local
  }
  const { createRedisLimits } = await import('../limits/redis.ts')
  return createRedisLimits({
    url,
    // Other worlds may use the same server: each database has limits of its own.
    namespace: await databaseId(),
    fallback: local,
    commandTimeoutMs: timeoutMs,
    onStateChange(isUp, reason) {
      metrics.limitsShared.set(isUp ? 1 : 0)
      if (isUp) log.info('rate limits are shared by all processes')
      else log.warn({ reason }, 'rate limit store not responding: limits are per process until it recovers')
    },
  })
}
