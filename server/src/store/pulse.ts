import { type ConnectionTarget, sql } from './database.ts'
import { createDatabaseClock } from './database-clock.ts'
import type { Hearing } from './lend-while-heard.ts'
import { keepPulseConnection } from './pulse-connection.ts'

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

export interface Pulse extends Hearing {
  /** The latest beat, or undefined while there is none young enough to trust. */
  current(): Beat | undefined
  /** Reads the row anew. Rejects where the database is away. */
  refresh(): Promise<Beat>
  /** Calls `listener` after every beat that differs from the one before. Returns how to stop it. */
  onChange(listener: (beat: Beat) => void): () => void
  /** Unix ms by the database's clock: the one time that all processes agree on, whatever their own clocks say. */
  now(): number
  close(): Promise<void>
}

export interface PulseOptions {
  target: ConnectionTarget
  /** As for pools. */
  namesStatements?: boolean
  intervalMs?: number
  /** How old a beat may be and still be trusted. Below a second: what was revoked a second ago no longer works. */
  trustedMs?: number
  /** For how long nobody may be answered while the pulse asks. With the interval below a second: so soon whoever waits is told. */
  silenceMs?: number
  /** How many times as long as usual all of these, but the interval, are. */
  patience?: number | undefined
}

const channel = 'chancery_pulse'

/** A connection that is dead without a word is given up after this; a machine that is only busy has answered by then. */
const connectionTimeoutMs = 1_500

/** Says to every process that the row has changed. It only hastens them: the row is read anyway. */
export const notifyPulse = sql`select pg_notify(${channel}, '')`

/** Reads the pulse every 200 ms, and at once when told of a change. */
export function createPulse(options: PulseOptions): Pulse {
  const { target, namesStatements = true, intervalMs = 200, patience = 1 } = options
  const { trustedMs = 900 * patience, silenceMs = 600 * patience } = options
  let beat: Beat | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<Beat> | undefined
  let following: Promise<Beat> | undefined
  let isSilent = false
  let silence: NodeJS.Timeout | undefined
  let heardAt = Number.NEGATIVE_INFINITY
  let isClosed = false
  const listeners = new Set<(beat: Beat) => void>()
  const silenceListeners = new Set<(isSilent: boolean) => void>()
  const clock = createDatabaseClock()
  const connection = keepPulseConnection({
    target,
    channel,
    onNotice: tick,
    timeoutMs: connectionTimeoutMs * patience,
    namesStatements,
  })

  function setSilent(is: boolean): void {
    if (isSilent === is || isClosed) return
    isSilent = is
    for (const listener of silenceListeners) listener(is)
  }

  /** Counts from the first question that is not answered: a process that was too busy to ask knows nothing of the database. */
  function expectAnswer(withinMs = silenceMs): void {
    // Timers run before sockets are read: what has arrived while the process was busy is looked at first.
    silence ??= setTimeout(() => setImmediate(judge), withinMs).unref()
  }

  function judge(): void {
    if (silence === undefined) return
    // Whoever else was answered meanwhile was answered by the same database: it is busy, not silent.
    const leftMs = heardAt + silenceMs - performance.now()
    if (leftMs > 0) {
      silence = undefined
      expectAnswer(leftMs)
    } else setSilent(true)
  }

  async function read(): Promise<Beat> {
    // The age counts from before the question: the answer is at least as new.
    const askedAt = performance.now()
    expectAnswer()
    const row = await connection.ask(db =>
      db.first<Beat & { nowMs: number }>(sql`
        select w.seq, w.first_seq as "firstSeq", w.world_version as "worldVersion", a.version as "accessVersion",
          w.world_changed_at as "worldChangedAt", w.redaction_version as "redactionVersion",
          extract(epoch from clock_timestamp()) * 1000 as "nowMs"
        from chancery_world.pulse w, chancery_access.pulse a`),
    )
    if (!row) throw new Error('the pulse has no row')
    const { nowMs, ...latest } = row
    clock.read(nowMs, { askedAt, answeredAt: performance.now() })
    clearTimeout(silence)
    silence = undefined
    const isNew =
      beat?.seq !== latest.seq ||
      beat.redactionVersion !== latest.redactionVersion ||
      beat.worldVersion !== latest.worldVersion ||
      beat.accessVersion !== latest.accessVersion
    beat = latest
    readAt = askedAt
    setSilent(false)
    if (isNew) for (const listener of listeners) listener(latest)
    return latest
  }

  const readOnce = () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
  /** Whatever runs may be from before: the one after it is new to all who ask meanwhile. */
  const readAfter = (running: Promise<Beat>) => {
    following ??= running
      .catch(() => undefined)
      .then(() => {
        following = undefined
        return readOnce()
      })
    return following
  }
  function tick(): void {
    readOnce().catch(() => undefined)
  }
  const timer = setInterval(tick, intervalMs)
  timer.unref()

  return {
    current: () => (performance.now() - readAt < trustedMs ? beat : undefined),
    refresh: () => (reading ? readAfter(reading) : readOnce()),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    isSilent: () => isSilent,
    heard() {
      heardAt = performance.now()
    },
    onSilence(listener) {
      silenceListeners.add(listener)
      return () => silenceListeners.delete(listener)
    },
    now: clock.now,
    async close() {
      if (isClosed) return
      isClosed = true
      clearInterval(timer)
      clearTimeout(silence)
      // The driver never says what became of a connection that is closed while it is being opened.
      await reading?.catch(() => undefined)
      await connection.close()
    },
  }
}
