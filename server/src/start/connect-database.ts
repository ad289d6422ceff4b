import { type ConnectionTarget, sql } from '../store/database.ts'
import { createPools, type Pools } from '../store/pools.ts'
import { createPulse, type Pulse } from '../store/pulse.ts'
import { createPrimaryReads, createReplicaReads, type Reads } from '../store/reads.ts'
import { createPrimaryProgress, createReplica, type Replica, type ReplicaOptions } from '../store/replica.ts'
import { type BackgroundLog, createBackgroundLog, type Logger } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** The connections of this process to its database. */
export interface DatabaseConnections {
  pulse: Pulse
  pools: Pools
  reads: Reads
  background: BackgroundLog
  close(): Promise<void>
}

export interface ConnectOptions {
  target: ConnectionTarget
  namesStatements: boolean
  timeoutFactor?: number | undefined
  replicaUrls: string[]
  lagMaxMs: number
}

interface Telemetry {
  log: Logger
  metrics: Metrics
}

/** Connects to a database that has this version's schema. Rejects if it does not respond; replicas are connected when they do. */
export async function connectDatabase(
  { replicaUrls, ...options }: ConnectOptions,
  { log, metrics }: Telemetry,
): Promise<DatabaseConnections> {
  const pulse = createPulse({ ...options, hasReplicas: replicaUrls.length > 0 })
  pulse.onHealthChange(isUnresponsive => {
    metrics.databaseUp.set(isUnresponsive ? 0 : 1)
    if (isUnresponsive) log.warn('database not responding; dependent requests get 503 until it recovers')
    else log.info('database responding again')
  })
  const background = createBackgroundLog(log)
  if (log.isLevelEnabled('debug')) pulse.onChange(background.heartbeat)
  const listeners = { onError: () => metrics.databaseErrors.inc(), onStatement: background.statement }
  const pools = createPools({ ...options, ...listeners, health: pulse })
  const replicas =
    replicaUrls.length === 0
      ? undefined
      : connectReplicas(replicaUrls, { ...options, ...listeners, pulse, pools }, { log, metrics })
  const reads = replicas?.reads ?? createPrimaryReads(pulse, pools)
  const close = async () => {
    await pulse.close()
    await replicas?.close()
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
  return { pulse, pools, reads, background, close }
}

type ReplicasOptions = Omit<ConnectOptions, 'target' | 'replicaUrls'> &
  Pick<ReplicaOptions, 'onError' | 'onStatement'> &
  Pick<DatabaseConnections, 'pulse' | 'pools'>

/** Connects to the replicas. A process prefers one of them, and the next if that one is left: which one is chance, so that all are used. */
function connectReplicas(
  urls: readonly string[],
  { pulse, pools, ...options }: ReplicasOptions,
  { log, metrics }: Telemetry,
): { reads: Reads; close(): Promise<void> } {
  const progress = createPrimaryProgress()
  pulse.onRead(progress.record)
  const showLag = () => {
    for (const { name, lagMs } of replicas) {
      const lag = lagMs()
      if (lag === undefined) metrics.replicaLagSeconds.remove(name)
      else metrics.replicaLagSeconds.set({ replica: name }, Math.round(lag) / 1_000)
    }
  }
  const first = Math.floor(Math.random() * urls.length)
  const replicas: Replica[] = [...urls.slice(first), ...urls.slice(0, first)].map(url => {
    const { host, pathname } = new URL(url)
    const name = decodeURIComponent(host) + pathname
    const onReading = () => reads.watch()
    return createReplica({ ...options, target: { connectionString: url }, name, progress, onReading })
  })
  const reads = createReplicaReads({
    pulse,
    primary: pools,
    replicas,
    onChange({ name }, problem) {
      metrics.replicaUp.set({ replica: name }, problem === undefined ? 1 : 0)
      if (problem === undefined)
        log.info({ replica: name }, 'this replica is close to the primary: it is read')
      else log.warn({ replica: name, problem }, 'this replica is not read until it is close to the primary')
    },
    onRead: server => metrics.databaseReads.inc({ server }),
  })
  for (const { name } of replicas) metrics.replicaUp.set({ replica: name }, 0)
  const unsubscribe = pulse.onChange(() => {
    for (const replica of replicas) replica.tick()
  })
  pulse.onRead(() => {
    reads.watch()
    showLag()
  })
  return {
    reads,
    async close() {
      unsubscribe()
      await Promise.all(replicas.map(replica => replica.close()))
    },
  }
}
