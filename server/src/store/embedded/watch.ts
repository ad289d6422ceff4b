import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Connection } from './connection.ts'

export interface Watch {
  /** Calls back once when the server is gone, at once if it is already. */
  onGone(listener: () => void): void
  /** Lets go without calling back. */
  close(): void
}

/** 'CHNC' and one: the bundled server has one Chancery. */
const lockKey = [0x43484e43, 1]
/** The back end of a killed holder gets this long to notice. */
const patienceMs = 1_000

/** Takes the lock that says whose server this is. PostgreSQL drops it with the connection. */
export async function takeLock(client: Client): Promise<boolean> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1, $2) as taken',
      lockKey,
    )
    if (rows[0]?.taken) return true
    if (Date.now() > deadline) return false
    await sleep(20)
  }
}

/**
 * Keeps the connection with the lock. Its loss is the first sign that the server died;
 * after the crash of a single back end PostgreSQL restarts itself, and the lock is taken anew.
 */
export function watchConnection(first: Connection, reconnect: () => Promise<Connection | undefined>): Watch {
  const listeners: (() => void)[] = []
  let isClosed = false
  let isGone = false
  let current = first

  function attend(connection: Connection): void {
    current = connection
    connection.unref()
    connection.client.once('end', () => void recover())
  }

  async function recover(): Promise<void> {
    if (isClosed) return
    const next = await reconnect().catch(() => undefined)
    const isKept = next !== undefined && (await takeLock(next.client).catch(() => false))
    if (isClosed) {
      next?.client.end()
      return
    }
    if (next && isKept) return attend(next)
    isGone = true
    for (const listener of listeners) listener()
  }

  attend(first)
  return {
    onGone: listener => {
      if (isGone) queueMicrotask(listener)
      else listeners.push(listener)
    },
    close: () => {
      isClosed = true
      current.client.end().catch(() => {})
    },
  }
}
