import type pg from 'pg'
import { DatabaseUnresponsiveError, isQueryTimeout, isTooManyConnections } from './database-errors.ts'

/** Whether the database says anything at all, as the pulse knows. */
export interface DatabaseHealth {
  isUnresponsive(): boolean
  /** Notes that it has answered, whomever. */
  markAlive(): void
  /** Calls `listener` when the database falls silent, and when it is heard again. Returns how to stop it. */
  onHealthChange(listener: (isUnresponsive: boolean) => void): () => void
}

/** Lends connections, each to one work at a time. */
export interface GuardedPool {
  /**
   * Runs `work` on a connection. Where it fails, `resetConnection` makes the connection as it was; without, it is not used again.
   * Throws DatabaseUnresponsiveError where the database falls silent before or meanwhile.
   */
  withConnection<T>(
    work: (client: pg.PoolClient) => Promise<T>,
    resetConnection?: (client: pg.PoolClient) => Promise<unknown>,
  ): Promise<T>
  close(): Promise<void>
}

/** How long a free connection is waited for where the database gives out no more, and how often it is looked for. */
const fullPatienceMs = 500
const fullRetryMs = 25

/**
 * Lends the connections of a pool. When the database falls silent, nobody is lent one or waits for one, and nobody waits for an
 * answer on one longer than `graceMs`. What was open then is not used again: it may be dead without a word.
 */
export function createGuardedPool(
  pool: pg.Pool,
  { health, graceMs = 0 }: { health?: DatabaseHealth | undefined; graceMs?: number | undefined },
): GuardedPool {
  const open = new Set<pg.PoolClient>()
  const lent = new Set<pg.PoolClient>()
  const suspects = new WeakSet<pg.PoolClient>()
  const broken = new WeakSet<pg.PoolClient>()
  const waiting = new Set<(error: Error) => void>()
  let grace: NodeJS.Timeout | undefined
  pool.on('connect', client => {
    open.add(client)
    // From its first moment: it may break before its borrower runs, and an error that nobody listens to ends the process.
    client.on('error', () => broken.add(client))
  })
  pool.on('remove', client => open.delete(client))

  const stopListening = health?.onHealthChange(isUnresponsive => {
    clearTimeout(grace)
    if (!isUnresponsive) return
    for (const refuse of waiting) refuse(new DatabaseUnresponsiveError())
    waiting.clear()
    for (const client of open) if (!lent.has(client)) suspects.add(client)
    if (graceMs === 0) endLent()
    else grace = setTimeout(endLent, graceMs).unref()
  })

  function endLent(): void {
    for (const client of lent) {
      suspects.add(client)
      // Ends what waits for an answer on it.
      client.end().catch(() => undefined)
    }
  }

  async function connect(): Promise<pg.PoolClient> {
    const deadline = performance.now() + fullPatienceMs
    for (;;) {
      try {
        const client = await pool.connect()
        if (!suspects.has(client)) return client
        client.release(true)
      } catch (error) {
        // Others hold all connections of the database: one of ours is soon free.
        if (!isTooManyConnections(error) || pool.totalCount === 0 || performance.now() > deadline) throw error
        await new Promise(resolve => setTimeout(resolve, fullRetryMs))
      }
    }
  }

  function checkOut(): Promise<pg.PoolClient> {
    if (health?.isUnresponsive()) return Promise.reject(new DatabaseUnresponsiveError())
    return new Promise((resolve, reject) => {
      waiting.add(reject)
      connect().then(
        // What comes too late goes back unused: nobody is told any more what would be done on it.
        client => (waiting.delete(reject) ? resolve(client) : client.release()),
        error => {
          waiting.delete(reject)
          reject(error)
        },
      )
    })
  }

  return {
    async withConnection(work, resetConnection) {
      const client = await checkOut()
      lent.add(client)
      try {
        const done = await work(client)
        health?.markAlive()
        return done
      } catch (error) {
        if (suspects.has(client)) throw new DatabaseUnresponsiveError()
        if (resetConnection && !isQueryTimeout(error))
          await resetConnection(client).catch(() => broken.add(client))
        else broken.add(client)
        throw error
      } finally {
        lent.delete(client)
        client.release(broken.has(client) || suspects.has(client))
      }
    },

    async close() {
      stopListening?.()
      clearTimeout(grace)
      await pool.end()
    },
  }
}
