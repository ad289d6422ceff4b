import { type ConnectionTarget, createPool, type DatabasePool, type StatementListener } from './database.ts'
import type { DatabaseHealth } from './guarded-pool.ts'

export interface PoolsOptions {
  target: ConnectionTarget
  namesStatements?: boolean
  onError?: (error: Error) => void
  /** Called after each statement of a pool. */
  onStatement?: StatementListener | undefined
  /** While the database does not respond, checkouts fail at once. */
  health?: DatabaseHealth
  /** Multiplies every timeout. */
  timeoutFactor?: number | undefined
  /** As for a pool. */
  isExpectedServer?: (startedAt: string) => boolean
}

const readTimeoutMs = 5_000
const lockTimeoutMs = 2_000
const connectTimeoutMs = 2_000

/** How long a search waits for a connection: it gets 503 in less than a second. */
const searchConnectTimeoutMs = 800

/** The best plan depends on how many names contain the text. In a large world a parallel worker helps to scan all names. */
const searchSettings = { plan_cache_mode: 'force_custom_plan', max_parallel_workers_per_gather: 1 }

/** Lookups by key have one best plan. By default PostgreSQL plans again for each list of keys, which takes longer than the lookup. */
const keySettings = { plan_cache_mode: 'force_generic_plan' }

/**
 * The length of a queue changes fast: a cached plan would be one for another length. A process that stops between two statements must not
 * block the others' claims for long.
 */
const queueSettings = (timeoutFactor: number) => ({
  plan_cache_mode: 'force_custom_plan',
  idle_in_transaction_session_timeout: 5_000 * timeoutFactor,
})

const withTimeouts = ({ timeoutFactor = 1, ...options }: PoolsOptions) => ({
  ...options,
  statementTimeoutMs: readTimeoutMs * timeoutFactor,
  lockTimeoutMs: lockTimeoutMs * timeoutFactor,
  connectTimeoutMs: connectTimeoutMs * timeoutFactor,
})

/** The pools of public reads, which a replica may serve as well. */
export type PublicPools = ReturnType<typeof createPublicPools>

export function createPublicPools(options: PoolsOptions) {
  const shared = withTimeouts(options)
  return {
    /** Public reads: the public schema only. */
    public: createPool({ ...shared, role: 'chancery_public', connectionsMax: 7 }),
    /** Public reads of single rows by id, and of the wars of a nation, in batches. */
    lookups: createPool({ ...shared, role: 'chancery_public', connectionsMax: 3, settings: keySettings }),
    /** Text searches: few connections, so that they cannot exhaust the database. */
    search: createPool({
      ...shared,
      role: 'chancery_public',
      connectionsMax: 3,
      connectTimeoutMs: searchConnectTimeoutMs * (options.timeoutFactor ?? 1),
      settings: searchSettings,
    }),
  }
}

export type Pools = ReturnType<typeof createPools>

/** One connection pool for each kind of access. Each uses a database role that can reach only what it needs. */
export function createPools(options: PoolsOptions) {
  const { timeoutFactor = 1 } = options
  const shared = withTimeouts(options)
  const pools = {
    ...createPublicPools(options),
    /** Reads with a key: the public schema, and data private to nations and alliances. */
    owner: createPool({ ...shared, role: 'chancery_owner', connectionsMax: 4, settings: keySettings }),
    /** Keys, codes, players, sessions, the request log. */
    access: createPool({ ...shared, role: 'chancery_access', connectionsMax: 6 }),
    /** Webhooks: the event log, endpoints and the delivery queue. */
    outbound: createPool({
      ...shared,
      role: 'chancery_outbound',
      connectionsMax: 5,
      settings: queueSettings(timeoutFactor),
    }),
    /** Writes of the world. No statement timeout: a batch may be large and wait for the previous one. A short stall of the disk does not abort it. */
    ingest: createPool({
      ...options,
      role: 'chancery_ingest',
      connectionsMax: 4,
      connectTimeoutMs: 10_000 * timeoutFactor,
      graceMs: 4_000 * timeoutFactor,
    }),
  }
  return { ...pools, close: () => closePools(pools) }
}

export async function closePools(pools: Record<string, DatabasePool>): Promise<void> {
  await Promise.all(Object.values(pools).map(pool => pool.close()))
}
