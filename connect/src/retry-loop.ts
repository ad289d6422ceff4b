import { setTimeout as sleep } from 'node:timers/promises'
import type { Contract } from '@chancery/contract'
import {
  ConnectError,
  GameBusyError,
  GameUnavailableError,
  ServiceUnavailableError,
  StaleFeedError,
} from './errors.ts'
import type { GameConnection, GameOptions } from './game-database/game-views.ts'
import { type SenderState, startHeartbeats } from './heartbeat.ts'
import { createProfileCheck } from './profile-mismatch.ts'
import type { ServiceClient } from './service-client.ts'

export interface Pacing {
  everyMs: number
  /** Back-off while the service or the game's database is unavailable: it doubles from the first to the most. */
  backOffMs: [first: number, most: number]
  /** How often a standby tries to take the lock. */
  standbyMs: number
  /** After this idle time the game's database closes the connection, which releases its lock. At least some seconds. */
  idleTimeoutMs: number
  /** How often the service gets a heartbeat. */
  heartbeatMs: number
}

export const defaultPacing: Omit<Pacing, 'everyMs'> = {
  backOffMs: [1_000, 30_000],
  standbyMs: 1_000,
  idleTimeoutMs: 60_000,
  heartbeatMs: 15_000,
}

/** What connects a game's database with a service until it is stopped. */
export interface RunOptions {
  /** The game's database. */
  url: string
  contract: Contract
  client: ServiceClient
  isOnce: boolean
  pacing: Pacing
  /** Ends after the round in progress. */
  signal: AbortSignal
  log(message: string): void
}

export interface RetryableJob<C extends GameConnection> extends RunOptions {
  /** Its name in messages: `pull`. */
  name: string
  /** Lock in the game's database: its holder runs, others stand by. */
  lock: string
  isReadOnly: boolean
  feed: string
  /** For its heartbeats. */
  state(): SenderState
  open(url: string, options: GameOptions): Promise<C>
  /** Called with each new connection, before its first round. */
  begin?(db: C, wake: () => void): Promise<void>
  /** One round. true runs the next one without a pause. */
  round(db: C): Promise<boolean>
  /** How long to pause after a round. Default: `everyMs`. */
  pauseMs?(): number
  /** Drops the state that depends on the connection. */
  reset(): void
}

/**
 * Checks the profile and runs rounds until the signal, and retries after failures that pass: a service or a database that is unavailable, statements
 * that meet a lock, a feed that another sender has advanced. Throws a ConnectError for others; with `isOnce` for all.
 */
export async function runWithRetry<C extends GameConnection>(job: RetryableJob<C>): Promise<void> {
  const { signal, log, isOnce, pacing } = job
  const [first, most] = pacing.backOffMs
  let db: C | undefined
  let trouble: string | undefined
  let waitMs = first
  const { pause, wake } = createPause(signal)
  const checkProfile = createProfileCheck(job)
  const heartbeats = startHeartbeats({
    ...job,
    sender: `chancery ${job.name}`,
    everyMs: pacing.heartbeatMs,
    state: () => job.state(),
  })
  const keepAlive = setInterval(() => void db?.keepAlive().catch(() => undefined), pacing.idleTimeoutMs / 4)

  try {
    while (!signal.aborted) {
      try {
        if (!db) {
          db = await job.open(job.url, {
            ...job,
            idleTimeoutMs: pacing.idleTimeoutMs,
            name: `chancery ${job.name}`,
          })
          job.reset()
          heartbeats.setStandby(true)
          if (!(await acquireLock(db, job, pause))) return
          heartbeats.setStandby(false)
          await job.begin?.(db, wake)
        }
        await checkProfile()
        const isMore = await job.round(db)
        heartbeats.succeeded()
        if (trouble !== undefined && trouble in recoveryMessages) log(recoveryMessages[trouble] ?? '')
        trouble = undefined
        waitMs = first
        if (isOnce && !isMore) return
        if (!isMore) await pause(job.pauseMs?.() ?? pacing.everyMs)
      } catch (err) {
        const message = retryMessage(err)
        if (!(err instanceof ServiceUnavailableError))
          heartbeats.failed(
            message ?? (err instanceof ConnectError ? err.message : 'it ended with an error: see its log'),
          )
        if (message === undefined || isOnce)
          throw isOnce && message !== undefined ? new ConnectError(message) : err
        if (err instanceof GameUnavailableError) {
          await db?.close()
          db = undefined
        }
        // One line for an outage, although its errors differ.
        const kind = err instanceof Error ? err.name : ''
        if (kind !== trouble) log(message)
        trouble = kind
        await pause(waitMs)
        waitMs = Math.min(waitMs * 2, most)
      }
    }
  } finally {
    clearInterval(keepAlive)
    await heartbeats.close()
    await db?.close()
  }
}

const recoveryMessages: Record<string, string> = {
  ServiceUnavailableError: 'the service is available again',
  GameUnavailableError: "the game's database is available again",
}

/** A pause that `wake` ends early, also if it was called just before the pause. */
function createPause(signal: AbortSignal): { pause(ms: number): Promise<void>; wake(): void } {
  let isWoken = false
  let end = () => {}
  return {
    async pause(ms) {
      if (!isWoken) {
        const early = new AbortController()
        end = () => early.abort()
        await sleep(ms, undefined, { signal: AbortSignal.any([early.signal, signal]) }).catch(() => undefined)
      }
      isWoken = false
    },
    wake() {
      isWoken = true
      end()
    },
  }
}

/** The log line for an error that a retry may fix; undefined for others. */
function retryMessage(err: unknown): string | undefined {
  if (err instanceof ServiceUnavailableError) return `${err.message}; retrying`
  if (err instanceof GameUnavailableError)
    return `the game's database is unavailable (${err.message}); retrying`
  if (err instanceof GameBusyError)
    return `a statement timed out or was cancelled in the game's database (${err.message}); retrying`
  if (err instanceof StaleFeedError) return `${err.message}; sending everything again`
  return undefined
}

/** Waits for the lock. false if the signal comes first. */
async function acquireLock<C extends GameConnection>(
  db: C,
  { lock, name, isOnce, signal, pacing, log }: RetryableJob<C>,
  pause: (ms: number) => Promise<void>,
): Promise<boolean> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    if (await db.tryLock(lock)) {
      if (!isFirst) log(`the other ${name} has stopped: taking over`)
      return true
    }
    if (isOnce) throw new ConnectError(`another ${name} is running on this database: stop it first`)
    if (isFirst) log(`another ${name} is running on this database: waiting for it to stop`)
    await pause(pacing.standbyMs)
  }
  return false
}
