import type { DatabasePool } from '../store/database.ts'
import type { Pulse } from '../store/pulse.ts'
import { runRankingRound } from './round.ts'

export interface RankingRoundsOptions {
  pool: DatabasePool
  pulse: Pulse
  /** Called after every round of this process, with the seconds that it worked. */
  onRound?: (seconds: number) => void
  onError?: (error: unknown) => void
  /** How long the next round waits after one that worked for this many ms. */
  pause?: ((workMs: number) => number) | undefined
}

const pauseAfterErrorMs = 1_000
/** Changes start rounds; this also checks for a new day, and for a round that another process did not finish. */
const checkEveryMs = 30_000

/** Runs a ranking round after each change, with the pause that all processes share. */
export function startRankingRounds({ pool, pulse, onRound, onError, pause }: RankingRoundsOptions) {
  let notBefore = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isClosed = false
  let isDue = false

  async function run(): Promise<void> {
    try {
      const round = await runRankingRound(pool, { isPaced: true, ...(pause && { pause }) })
      if (round?.workMs !== undefined) onRound?.(round.workMs / 1000)
      // Another process has run a round: the change waits for the end of its pause.
      else if (round) isDue = true
      notBefore = performance.now() + (round?.pauseMs ?? 0)
    } catch (error) {
      notBefore = performance.now() + pauseAfterErrorMs
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

  let seenVersion = -1
  const unsubscribe = pulse.onChange(beat => {
    if (beat.worldVersion === seenVersion) return
    seenVersion = beat.worldVersion
    wake()
  })
  const check = setInterval(wake, checkEveryMs)
  check.unref()
  wake()

  return {
    async close(): Promise<void> {
      isClosed = true
      unsubscribe()
      clearInterval(check)
      clearTimeout(timer)
      await running
    },
  }
}
