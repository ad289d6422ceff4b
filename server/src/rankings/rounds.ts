import type { DatabasePool } from '../store/database.ts'
import type { Pulse } from '../store/pulse.ts'
import { runRankingRound } from './round.ts'

export interface RankingRoundsOptions {
  pool: DatabasePool
  pulse: Pulse
  /** Told after every round of this process, with its time. */
  onRound?: (seconds: number) => void
  onError?: (error: unknown) => void
}

const pauseMinMs = 1_000
/** A round of a large world takes long: at most a twentieth of the time is spent on rounds. */
const pausePerRound = 19
/** Changes wake the rounds; this looks for a new day, and for a round that another process did not finish. */
const checkEveryMs = 30_000

/** Runs a ranking round whenever something changed, no oftener than every second. */
export function startRankingRounds({ pool, pulse, onRound, onError }: RankingRoundsOptions) {
  let notBefore = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isClosed = false
  let isDue = false

  async function run(): Promise<void> {
    const startedAt = performance.now()
    try {
      const hasRun = await runRankingRound(pool)
      const tookMs = performance.now() - startedAt
      if (hasRun) onRound?.(tookMs / 1000)
      notBefore = performance.now() + (hasRun ? Math.max(pauseMinMs, tookMs * pausePerRound) : 0)
    } catch (error) {
      notBefore = performance.now() + pauseMinMs
      isDue = true
      onError?.(error)
    }
  }

  function wake(): void {
    isDue = true
    if (isClosed || running || timer) return
    timer = setTimeout(
      () => {
        timer = undefined
        isDue = false
        running = run().finally(() => {
          running = undefined
          if (isDue) wake()
        })
      },
      Math.max(0, notBefore - performance.now()),
    )
    timer.unref()
  }

  let rankedVersion = -1
  const stopListening = pulse.onChange(beat => {
    if (beat.worldVersion === rankedVersion) return
    rankedVersion = beat.worldVersion
    wake()
  })
  const check = setInterval(wake, checkEveryMs)
  check.unref()
  wake()

  return {
    async close(): Promise<void> {
      isClosed = true
      stopListening()
      clearInterval(check)
      clearTimeout(timer)
      await running
    },
  }
}
