import { type ConnectionTarget, createPool, type DatabasePool, type StatementListener } from './database.ts'
import type { DatabaseHealth } from './guarded-pool.ts'

/** One pool for each door. Each acts as the role that may reach just what its door shows. */
export interface Pools {
  /** Public reads: the world, and nothing else. */
  public: DatabasePool
  /** Public reads of single things, by their ids, which are asked for together. */
  lookups: DatabasePool
  /** Searches by text: few connections, so that they never crowd out the rest. */
  search: DatabasePool
  /** Reads of owners and members: the world, and what is private to them. */
  owner: DatabasePool
  /** Keys, codes and players. */
  access: DatabasePool
  /** Webhooks: what was logged, and who is told. */
  outbound: DatabasePool
  /** The one way in. */
  ingest: DatabasePool
  close(): Promise<void>
}

export interface PoolsOptions {
  target: ConnectionTarget
  namesStatements?: boolean
  onError?: (error: Error) => void
  /** Called after each statement of a pool. */
  onStatement?: StatementListener | undefined
  /** Whether the database is heard: while it is not, nobody waits for it. */
  health?: DatabaseHealth
  /** How many times as long as usual anything is waited for. */
  timeoutFactor?: number | undefined
}

const readTimeoutMs = 5_000
const lockTimeoutMs = 2_000
const connectTimeoutMs = 2_000

/** How long a search waits for its turn: below a second, whoever does not get one is told. */
const searchTurnMs = 800

/**
 * A text that many names contain is looked for in another way than one that none does. In a large world a worker helps
 * to look at every name.
 */
const searchSettings = { plan_cache_mode: 'force_custom_plan', max_parallel_workers_per_gather: 1 }

/**
 * What is found by its key is found in one way, however many keys are given. Left to itself, PostgreSQL plans anew for each list of
 * keys, which takes longer than the finding.
 */
const keySettings = { plan_cache_mode: 'force_generic_plan' }

/**
 * A queue is empty at one moment and long at the next: a plan that is kept was made for another length of it. And whoever stops
 * between two statements must not hold up those who wait to claim.
 */
const queueSettings = {
  plan_cache_mode: 'force_custom_plan',
  idle_in_transaction_session_timeout: 5_000,
}

export function createPools(options: PoolsOptions): Pools {
  const { timeoutFactor = 1 } = options
  const shared = {
    ...options,
    statementTimeoutMs: readTimeoutMs * timeoutFactor,
    lockTimeoutMs: lockTimeoutMs * timeoutFactor,
    connectTimeoutMs: connectTimeoutMs * timeoutFactor,
  }
  const pools = {
    public: createPool({ ...shared, role: 'chancery_public', connectionsMax: 8 }),
    lookups: createPool({ ...shared, role: 'chancery_public', connectionsMax: 2, settings: keySettings }),
    search: createPool({
      ...shared,
      role: 'chancery_public',
      connectionsMax: 3,
      connectTimeoutMs: searchTurnMs * timeoutFactor,
      settings: searchSettings,
    }),
    owner: createPool({ ...shared, role: 'chancery_owner', connectionsMax: 4, settings: keySettings }),
    access: createPool({ ...shared, role: 'chancery_access', connectionsMax: 6 }),
    outbound: createPool({
      ...shared,
      role: 'chancery_outbound',
      connectionsMax: 5,
      settings: queueSettings,
    }),
    // A batch may be large and may wait for the one before it. It is not given up for a disk that stalls for a moment.
    ingest: createPool({
      ...options,
      role: 'chancery_ingest',
      connectionsMax: 4,
      connectTimeoutMs: 10_000 * timeoutFactor,
      graceMs: 4_000 * timeoutFactor,
    }),
  }
  return {
    ...pools,
    async close() {
      await Promise.all(Object.values(pools).map(pool => pool.close()))
    },
  }
}
