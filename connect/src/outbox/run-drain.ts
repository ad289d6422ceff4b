import { keepGoing, type Pacing } from '../keep-going.ts'
import { createProfileCheck } from '../other-profile.ts'
import { Drainer, type DrainerOptions } from './drainer.ts'

export interface RunDrainOptions extends DrainerOptions {
  /** The game's database. */
  url: string
  isOnce: boolean
  pacing: Pacing
  /** Ends after the round that is under way. */
  signal: AbortSignal
  say(message: string): void
}

/** Drains the outbox until the signal, or until it is empty. Throws a ConnectError for what does not pass by itself. */
export async function runDrain(options: RunDrainOptions): Promise<void> {
  const drainer = new Drainer(options)
  const checkProfile = createProfileCheck(options)
  await keepGoing({
    ...options,
    name: 'outbox drain',
    lock: 'outbox',
    isReadOnly: false,
    forget: () => drainer.forget(),
    begin: (db, wake) => db.listen('chancery_outbox', wake),
    async round(db) {
      await checkProfile()
      return drainer.round(db)
    },
  })
}
