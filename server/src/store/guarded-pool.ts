import type pg from 'pg'
import { DatabaseUnresponsiveError, isQueryTimeout, isTooManyConnections } from './database-errors.ts'
import { TransientMap } from './transient-map.ts'

/** The one health signal for the database, kept by the pulse. */
export interface DatabaseHealth {
  isUnresponsive(): boolean
  /** Records that the database has responded, to any query. */
  markAlive(): void
  /** Calls `listener` when the database stops responding, and when it responds again. Returns how to unsubscribe. */
  onHealthChange(listener: (isUnresponsive: boolean) => void): () => void
  /** Calls `listener` when another server, or another start of it, responds than before. Returns how to unsubscribe. */
  onServerChange(listener: () => void): () => void
}

export interface GuardedPool {
  /**
   * Runs `work` on a connection of its own. If it fails, `resetConnection` makes the connection usable again; without, it is closed.
   * Throws DatabaseUnresponsiveError if the database does not respond.
   */
  withConnection<T>(
    work: (client: pg.PoolClient) => Promise<T>,
    resetConnection?: (client: pg.PoolClient) => Promise<unknown>,
  ): Promise<T>
  close(): Promise<void>
}

/** How long to wait for a free connection of the pool while the server accepts no more, and how often to retry. */
const tooManyConnectionsWaitMs = 500
const tooManyConnectionsRetryMs = 25

/**
 * Guards a connection pool by the health signal, like a circuit breaker. When the database stops responding, checkouts fail at once, queries
 * in flight are ended after `graceMs`, and all open connections are discarded: a dead connection may not report an error.
 */
export function createGuardedPool(
  pool: pg.Pool,
  { health, graceMs = 0 }: { health?: DatabaseHealth | undefined; graceMs?: number | undefined },
): GuardedPool {
  const open = new Map<pg.PoolClient, { isInUse: boolean }>()
  /** Open when the database stopped responding, or before another server took over. */
  const suspects = new WeakSet<pg.PoolClient>()
  const broken = new WeakSet<pg.PoolClient>()
  const waiting = new TransientMap<object, (error: Error) => void>()
  let grace: NodeJS.Timeout | undefined
  pool.on('connect', client => {
    open.set(client, { isInUse: false })
    // From the start: it may break before `work` runs, and an error event without a listener exits the process.
    client.on('error', () => broken.add(client))
  })
  pool.on('remove', client => open.delete(client))

  const unsubscribe = health?.onHealthChange(isUnresponsive => {
    clearTimeout(grace)
    if (!isUnresponsive) return
    for (const reject of waiting.values()) reject(new DatabaseUnresponsiveError())
    waiting.clear()
    for (const [client, { isInUse }] of open) if (!isInUse) suspects.add(client)
    if (graceMs === 0) endConnectionsInUse()
    else grace = setTimeout(endConnectionsInUse, graceMs).unref()
  })

  // To the former server: they finish what they do, and are not used again.
  const unsubscribeServer = health?.onServerChange(() => {
    for (const client of open.keys()) suspects.add(client)
  })

  function endConnectionsInUse(): void {
    for (const [client, { isInUse }] of open) {
      if (!isInUse) continue
      suspects.add(client)
      // Rejects the query in flight.
      client.end().catch(() => undefined)
    }
  }

  function setInUse(client: pg.PoolClient, isInUse: boolean): void {
    const connection = open.get(client)
    if (connection) connection.isInUse = isInUse
  }

  async function connect(): Promise<pg.PoolClient> {
    const deadline = performance.now() + tooManyConnectionsWaitMs
    for (;;) {
      try {
        const client = await pool.connect()
        if (!suspects.has(client)) return client
        client.release(true)
      } catch (error) {
        // Other programs use all connections of the server: one of this pool will be free soon.
        if (!isTooManyConnections(error) || pool.totalCount === 0 || performance.now() > deadline) throw error
        await new Promise(resolve => setTimeout(resolve, tooManyConnectionsRetryMs))
      }
    }
  }

  function checkOut(): Promise<pg.PoolClient> {
    if (health?.isUnresponsive()) return Promise.reject(new DatabaseUnresponsiveError())
    return new Promise((resolve, reject) => {
      const checkout = {}
      waiting.set(checkout, reject)
      connect().then(
        // A connection that comes after the rejection goes back unused.
        client => (waiting.delete(checkout) ? resolve(client) : client.release()),
        error => {
          waiting.delete(checkout)
          reject(error)
        },
      )
    })
  }

  return {
    async withConnection(work, resetConnection) {
      const client = await checkOut()
      setInUse(client, true)
      try {
        const result = await work(client)
        health?.markAlive()
        return result
      } catch (error) {
        if (suspects.has(client)) throw new DatabaseUnresponsiveError()
        if (resetConnection && !isQueryTimeout(error))
          await resetConnection(client).catch(() => broken.add(client))
        else broken.add(client)
        throw error
      } finally {
        setInUse(client, false)
        client.release(broken.has(client) || suspects.has(client))
      }
    },

    async close() {
      unsubscribe?.()
      unsubscribeServer?.()
      clearTimeout(grace)
      await pool.end()
    },
  }
}
