import { setTimeout as sleep } from 'node:timers/promises'
import { type Batch, linesOf, type World } from '@chancery/simulator'
import { CommandError } from '../command-error.ts'
import { sendFacts } from '../door/facts-stream.ts'
import type { OperatorDoor } from '../door/operator-door.ts'
import { say, type Terminal } from '../terminal.ts'

export interface Ticking {
  world: World
  door: OperatorDoor
  everySeconds: number
  signal: AbortSignal
}

/** Lets the world go on until the signal. While the service is busy or its database away, the same moment is sent again. */
export async function keepTicking({ world, door, everySeconds, signal }: Ticking, terminal: Terminal) {
  let waiting: Batch | undefined
  let isAway = false
  while (!signal.aborted) {
    await sleep(everySeconds * 1000, undefined, { signal })
    waiting ??= world.tick(new Date().toISOString())
    const problem = await tell(door, waiting, signal)
    if (problem !== undefined && !isAway) say(terminal, `the world waits: ${problem}`)
    if (problem === undefined && isAway) say(terminal, 'the world goes on')
    isAway = problem !== undefined
    if (!isAway) waiting = undefined
  }

  /** Why it must be sent again, if it must. */
  async function tell(to: OperatorDoor, batch: Batch, until: AbortSignal): Promise<string | undefined> {
    if (batch.facts.length === 0) return undefined
    try {
      for await (const outcome of sendFacts(to, lines(batch), { signal: until })) {
        if (outcome.status === 'unavailable') return 'the database is away'
        const [refusal] = outcome.refused
        if (refusal) say(terminal, `a moment of the world was refused: ${refusal.path} ${refusal.reason}`)
      }
      return undefined
    } catch (err) {
      if (err instanceof CommandError) return err.message
      throw err
    }
  }
}

async function* lines(batch: Batch) {
  yield linesOf(batch)
}
