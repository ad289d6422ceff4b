import { type ConnectionTarget, sql } from '../store/database.ts'
import { createPools, type Pools } from '../store/pools.ts'
import { createPulse, type Pulse } from '../store/pulse.ts'
import type { Logger } from '../telemetry/log.ts'
import { type BackgroundLog, createBackgroundLog } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** The database as this process hears it. */
export interface DatabaseConnections {
  pulse: Pulse
  pools: Pools
  background: BackgroundLog
  close(): Promise<void>
}

/** Connects to a database that has this version's schema. Rejects where it does not answer. */
export async function connectDatabase(
  options: { target: ConnectionTarget; namesStatements: boolean; timeoutFactor?: number | undefined },
  { log, metrics }: { log: Logger; metrics: Metrics },
): Promise<DatabaseConnections> {
  const pulse = createPulse(options)
  pulse.onHealthChange(isSilent => {
    metrics.databaseUp.set(isSilent ? 0 : 1)
    if (isSilent) log.warn('the database is silent: what needs it is unavailable until it is heard again')
    else log.info('the database is heard again')
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
    // Whether sessions act as they are told is seen at the start, and not by the first caller.
    await pools.public.first(sql`select 1`)
  } catch (error) {
    await close()
    throw error
  }
  metrics.databaseUp.set(1)
  return { pulse, pools, background, close }
}
