import { ConnectError } from '../errors.ts'
import { keepGoing, type Pacing } from '../keep-going.ts'
import { createProfileCheck } from '../other-profile.ts'
import { Puller, type PullerOptions } from './puller.ts'
import type { RoundReport } from './round-report.ts'

export interface RunPullOptions extends PullerOptions {
  /** The game's database. */
  url: string
  isOnce: boolean
  pacing: Pacing
  /** Ends after the round that is under way. */
  signal: AbortSignal
  report(round: RoundReport): void
}

/** Pulls until the signal, or once. Throws a ConnectError for what does not pass by itself. */
export async function runPull(options: RunPullOptions): Promise<void> {
  const puller = new Puller(options)
  const checkProfile = createProfileCheck(options)
  await keepGoing({
    ...options,
    name: 'pull',
    lock: `pull ${options.schema}`,
    isReadOnly: true,
    forget: () => puller.forget(),
    async round(db) {
      await checkProfile()
      const told = await puller.round(db)
      if (told) options.report(told)
      if (options.isOnce && puller.holdsBack)
        throw new ConnectError('the deletions that are held back were not sent, everything else was')
      return false
    },
  })
}
