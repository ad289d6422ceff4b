import pg from 'pg'
import { type ConnectionTarget, type Database, sql } from './database.ts'

/** What every process must know to trust what it remembers. */
export interface Beat {
  /** The newest number in the log. */
  seq: number
  /** The oldest number that is kept. */
  firstSeq: number
  worldVersion: number
  accessVersion: number
  worldChangedAt: string | null
  /** Moves when texts in the log were replaced. */
  redactionVersion: number
}

export interface Pulse {
  /** The latest beat, or undefined while there is none young enough to trust. */
  current(): Beat | undefined
  /** Reads the row now. Rejects where the database is away. */
  refresh(): Promise<Beat>
  /** Calls `listener` after every beat that differs from the one before. Returns how to stop it. */
  onChange(listener: (beat: Beat) => void): () => void
  close(): Promise<void>
}

export interface PulseOptions {
  /** Acts as the access role. */
  db: Database
  target: ConnectionTarget
  intervalMs?: number
  /** How old a beat may be and still be trusted. Below a second: what was revoked a second ago no longer works. */
  trustedMs?: number
}

const channel = 'chancery_pulse'

/** Says to every process that the row has changed. It only hastens them: the row is read anyway. */
export const notifyPulse = sql`select pg_notify(${channel}, '')`

/** Reads the pulse every 200 ms, and at once when told of a change. */
export function createPulse({ db, target, intervalMs = 200, trustedMs = 900 }: PulseOptions): Pulse {
  let beat: Beat | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<Beat> | undefined
  let isClosed = false
  const listeners = new Set<(beat: Beat) => void>()

  async function read(): Promise<Beat> {
    // The age counts from before the question: the answer is at least as new.
    const askedAt = performance.now()
    const row = await db.first<Beat>(sql`
      select w.seq, w.first_seq as "firstSeq", w.world_version as "worldVersion", a.version as "accessVersion",
        w.world_changed_at as "worldChangedAt", w.redaction_version as "redactionVersion"
      from chancery_world.pulse w, chancery_access.pulse a`)
    if (!row) throw new Error('the pulse has no row')
    const isNew =
      beat?.seq !== row.seq ||
      beat.redactionVersion !== row.redactionVersion ||
      beat.worldVersion !== row.worldVersion ||
      beat.accessVersion !== row.accessVersion
    beat = row
    readAt = askedAt
    if (isNew) for (const listener of listeners) listener(row)
    return row
  }

  /** One question at a time for the timer; `refresh` always asks anew, because a running read may be from before. */
  const readOnce = () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
  const tick = () => void readOnce().catch(() => undefined)
  const timer = setInterval(tick, intervalMs)
  timer.unref()
  const hurrier = listen(target, tick)

  return {
    current: () => (performance.now() - readAt < trustedMs ? beat : undefined),
    refresh: read,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      if (isClosed) return
      isClosed = true
      clearInterval(timer)
      await hurrier.close()
      await reading?.catch(() => undefined)
    },
  }
}

/** Keeps one connection that listens, and makes it anew a second after it broke. */
function listen(target: ConnectionTarget, onNotice: () => void) {
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined
  let isClosed = false

  function connect(): void {
    const next = new pg.Client({
      ...target,
      application_name: 'chancery pulse',
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
    })
    client = next
    next.on('notification', onNotice)
    next.on('error', reconnect)
    next.on('end', reconnect)
    next.connect().then(
      () => next.query(`listen ${channel}`).catch(reconnect),
      () => reconnect(),
    )

    function reconnect(): void {
      if (isClosed || client !== next) return
      client = undefined
      next.end().catch(() => undefined)
      retry = setTimeout(connect, 1_000)
      retry.unref()
    }
  }

  connect()
  return {
    async close() {
      isClosed = true
      clearTimeout(retry)
      await client?.end().catch(() => undefined)
    },
  }
}
