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

/**
 * Lets the world go on until the signal. While the service is busy or its database away, the same moment is sent again.
 * Each trouble is told once, not with every tick.
 */
export async function keepTicking({ world, door, everySeconds, signal }: Ticking, terminal: Terminal) {
  let waiting: Batch | undefined
  let told: string | undefined
  while (!signal.aborted) {
    await sleep(everySeconds * 1000, undefined, { signal })
    waiting ??= world.tick(new Date().toISOString())
    const { isSettled, trouble } = await tell(door, waiting, signal)
    if (isSettled) waiting = undefined
    if (trouble !== undefined && trouble !== told) say(terminal, trouble)
    if (trouble === undefined && told !== undefined) say(terminal, 'the world goes on')
    told = trouble
  }
}

interface Told {
  /** Not to be sent again. */
  isSettled: boolean
  trouble?: string
}

async function tell(door: OperatorDoor, batch: Batch, signal: AbortSignal): Promise<Told> {
  if (batch.facts.length === 0) return { isSettled: true }
  try {
    for await (const { status, refused } of sendFacts(door, lines(batch), { signal })) {
      if (status === 'unavailable')
        return { isSettled: false, trouble: 'the world waits: its database is away' }
      const [first] = refused
      if (first)
        return {
          isSettled: true,
          trouble: `a moment of the world was refused: ${first.path} ${first.reason} (chancery demo --fresh begins a new world)`,
        }
    }
    return { isSettled: true }
  } catch (err) {
    if (!(err instanceof CommandError)) throw err
    return { isSettled: false, trouble: `the world waits: ${err.message}` }
  }
}

async function* lines(batch: Batch) {
  yield linesOf(batch)
}
