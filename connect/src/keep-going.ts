import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectError, GameAway, GameBusy, Overtaken, ServiceAway } from './errors.ts'
import { type GameDatabase, openGame } from './game-database.ts'

export interface Pacing {
  everyMs: number
  /** How long to wait where somebody is away, at first and at most: it doubles. */
  backOffMs: [first: number, most: number]
  /** How often a second one asks whether the first has gone. */
  standbyMs: number
  /** After so long a silence the game's database takes the lock from whoever holds it: at least some seconds. */
  silentMs: number
}

export const usualPacing: Omit<Pacing, 'everyMs'> = {
  backOffMs: [1_000, 30_000],
  standbyMs: 1_000,
  silentMs: 60_000,
}

export interface Work {
  /** The game's database. */
  url: string
  /** What it is called in messages: `pull`. */
  name: string
  /** Whoever holds this lock in the game's database works; others wait. */
  lock: string
  isReadOnly: boolean
  isOnce: boolean
  pacing: Pacing
  signal: AbortSignal
  say(message: string): void
  /** Called with each new connection, before its first round. */
  begin?(db: GameDatabase, wake: () => void): Promise<void>
  /** One round. True where the next should follow at once. */
  round(db: GameDatabase): Promise<boolean>
  /** What was known is not certain any more. */
  forget(): void
}

/** "chan": the first half of the advisory locks in a game's database. */
const lockSpace = 0x6368_616e

/**
 * Works round after round until the signal, and goes on after whatever passes by itself: a service or a database that is away,
 * statements that meet others, another sender that was faster. Throws a ConnectError for what does not; with `isOnce` for all.
 */
export async function keepGoing(work: Work): Promise<void> {
  const { signal, say, isOnce, pacing } = work
  const [first, most] = pacing.backOffMs
  let db: GameDatabase | undefined
  let trouble: string | undefined
  let waitMs = first
  const { pause, wake } = pausing(signal)
  const beating = setInterval(() => void db?.rows('select 1').catch(() => undefined), pacing.silentMs / 4)

  try {
    while (!signal.aborted) {
      try {
        if (!db) {
          db = await openGame(work.url, { ...work, silentMs: pacing.silentMs, name: `chancery ${work.name}` })
          work.forget()
          if (!(await enter(db, work, pause))) return
          await work.begin?.(db, wake)
        }
        const isMore = await work.round(db)
        if (trouble !== undefined && trouble in answersAgain) say(answersAgain[trouble] ?? '')
        trouble = undefined
        waitMs = first
        if (isOnce && !isMore) return
        if (!isMore) await pause(pacing.everyMs)
      } catch (err) {
        const said = passing(err)
        if (said === undefined || isOnce) throw isOnce && said !== undefined ? new ConnectError(said) : err
        if (err instanceof GameAway) {
          await db?.close()
          db = undefined
        }
        // An absence has many faces, and is one line.
        const kind = err instanceof Error ? err.name : ''
        if (kind !== trouble) say(said)
        trouble = kind
        await pause(waitMs)
        waitMs = Math.min(waitMs * 2, most)
      }
    }
  } finally {
    clearInterval(beating)
    await db?.close()
  }
}

const answersAgain: Record<string, string> = {
  ServiceAway: 'the service answers again: going on',
  GameAway: "the game's database answers again: going on",
}

/** A pause that ends early when somebody wakes it, also where that was just before it. */
function pausing(signal: AbortSignal): { pause(ms: number): Promise<void>; wake(): void } {
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

/** What to say of trouble that passes by itself; undefined for what does not. */
function passing(err: unknown): string | undefined {
  if (err instanceof ServiceAway) return `${err.message}; trying again until it answers`
  if (err instanceof GameAway)
    return `the game's database is away (${err.message}); trying again until it answers`
  if (err instanceof GameBusy)
    return `the game's database did not come through (${err.message}); trying again`
  if (err instanceof Overtaken) return `overtaken: ${err.message}; beginning anew`
  return undefined
}

/** Waits until this is the only one at work. False where the end comes first. */
async function enter(
  db: GameDatabase,
  { lock, name, isOnce, signal, pacing, say }: Work,
  pause: (ms: number) => Promise<void>,
): Promise<boolean> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const [row] = await db.tuples(`select pg_try_advisory_lock(${lockSpace}, hashtext($1))`, [lock])
    if (row?.[0] === 't') {
      if (!isFirst) say(`the other ${name} has gone: going on in its place`)
      return true
    }
    if (isOnce) throw new ConnectError(`another ${name} is at work on this database: stop it first`)
    if (isFirst) say(`another ${name} is at work on this database: waiting until it goes`)
    await pause(pacing.standbyMs)
  }
  return false
}
