import { createMemoryLimits } from '../limits/memory.ts'
import type { LimitStore } from '../limits/rate-limit.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** Limits in this process, or exact over all processes where a Valkey or Redis is given. */
export async function createLimits(
  url: string | undefined,
  { log, metrics, timeoutMs }: { log: Logger; metrics: Metrics; timeoutMs?: number | undefined },
): Promise<LimitStore> {
  const local = createMemoryLimits({})
  if (url === undefined) {
    // Nothing is to be shared, so nothing is away: a zero would say that.
    metrics.limitsShared.remove()
    return local
  }
  const { createRedisLimits } = await import('../limits/redis.ts')
  return createRedisLimits({
    url,
    fallback: local,
    commandTimeoutMs: timeoutMs,
    onStateChange(isUp, reason) {
      metrics.limitsShared.set(isUp ? 1 : 0)
      if (isUp) log.info('limits are shared')
      else log.warn({ reason }, 'limits are per process until the store is back')
    },
  })
}
