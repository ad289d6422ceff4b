import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { linesOf, type World } from '@chancery/simulator'
import { CommandError } from '../command-error.ts'
import { type FactsSource, sendFacts } from '../door/facts-stream.ts'
import type { OperatorDoor } from '../door/operator-door.ts'
import type { Outcome } from '../door/outcome.ts'
import { grouped } from '../numbers.ts'
import { startProgress } from '../progress.ts'
import { say, type Terminal } from '../terminal.ts'

const retryMs = 1_000

/** Goes through the history in memory alone, and lets the service of this process answer meanwhile. */
export async function replayHistory(world: World, signal: AbortSignal): Promise<void> {
  for (const _batch of world.history()) {
    await nextTurn()
    signal.throwIfAborted()
  }
}

/** Makes the history and sends it, again and again until all of it is stored: what was applied is not applied twice. */
export async function sendHistory(
  world: World,
  { door, days, signal }: { door: OperatorDoor; days: number; signal: AbortSignal },
  terminal: Terminal,
): Promise<void> {
  for (;;) {
    const problem = await trySending(world, { door, days, signal }, terminal)
    if (problem === undefined) return
    say(terminal, `the history is not complete yet, trying again: ${problem}`)
    await sleep(retryMs, undefined, { signal })
  }
}

/** Undefined if all of it is stored, else why not. */
async function trySending(
  world: World,
  { door, days, signal }: { door: OperatorDoor; days: number; signal: AbortSignal },
  terminal: Terminal,
): Promise<string | undefined> {
  const progress = startProgress(terminal, 'Making history', days)
  const daysSent: number[] = []
  let facts = 0
  let problem: string | undefined
  const refusals: Outcome[] = []
  try {
    for await (const outcome of sendFacts(door, historyLines(world, daysSent), { signal })) {
      facts += outcome.facts
      const day = daysSent.shift() ?? days
      progress.update(day, `day ${day} of ${days}, ${grouped(facts)} facts`)
      if (outcome.status === 'unavailable') problem = 'the database is away'
      if (outcome.status === 'refused' || outcome.status === 'conflict') refusals.push(outcome)
    }
  } catch (err) {
    if (!(err instanceof CommandError)) throw err
    problem = err.message
  } finally {
    progress.stop()
  }
  if (refusals[0]) say(terminal, refusalText(refusals[0], refusals.length))
  return problem
}

/** The history as lines; `daysSent` gets the day of each batch. */
async function* historyLines(world: World, daysSent: number[]): FactsSource {
  let startsAt: number | undefined
  for (const batch of world.history()) {
    const today = Date.parse(world.summary().day)
    startsAt ??= today
    daysSent.push(Math.round((today - startsAt) / 86_400_000))
    yield linesOf(batch)
    await nextTurn()
  }
}

function refusalText({ batch, refused: [first] }: Outcome, count: number): string {
  const why = first ? `${first.path} ${first.reason}`.trim() : 'no reason given'
  return `${count} of the history’s batches refused (${batch}: ${why}); chancery demo --fresh begins anew`
}
