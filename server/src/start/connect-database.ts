import { type ConnectionTarget, sql } from '../store/database.ts'
import { createPools, type Pools } from '../store/pools.ts'
import { createPulse, type Pulse } from '../store/pulse.ts'
import { type BackgroundLog, createBackgroundLog, type Logger } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** The connections of this process to its database. */
export interface DatabaseConnections {
  pulse: Pulse
  pools: Pools
  background: BackgroundLog
  close(): Promise<void>
}

/** Connects to a database that has this version's schema. Rejects if it does not respond. */
export async function connectDatabase(
  options: { target: ConnectionTarget; namesStatements: boolean; timeoutFactor?: number | undefined },
  { log, metrics }: { log: Logger; metrics: Metrics },
): Promise<DatabaseConnections> {
  const pulse = createPulse(options)
  pulse.onHealthChange(isUnresponsive => {
    metrics.databaseUp.set(isUnresponsive ? 0 : 1)
    if (isUnresponsive) log.warn('database not responding; dependent requests get 503 until it recovers')
    else log.info('database responding again')
  })
  const background = createBackgroundLog(log)
  if (log.isLevelEnabled('debug')) pulse.onChange(background.heartbeat)
  const pools = createPools({
    ...options,
    health: pulse,
    onError: () => metrics.databaseErrors.inc(),
    onStatement: background.statement,
  })
  const close = async () => {
    await pulse.close()
    await pools.close()
  }
  try {
    await pulse.refresh()
    // The check of a session's role fails here, and not in the first request.
    await pools.public.first(sql`select 1`)
  } catch (error) {
    await close()
    throw error
  }
  metrics.databaseUp.set(1)
  return { pulse, pools, background, close }
}
