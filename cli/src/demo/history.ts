import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { BatchOutcome } from '@chancery/contract'
import type { RunningServer } from '@chancery/server'
import { type Batch, linesOf, type World } from '@chancery/simulator'
import { CommandError } from '../command-error.ts'
import { formatNumber } from '../format.ts'
import type { OperatorClient } from '../operator-client/operator-client.ts'
import { type FactsSource, sendFacts } from '../operator-client/send-facts.ts'
import { startProgress } from '../progress.ts'
import { logStatus, type Terminal } from '../terminal.ts'

const retryMs = 1_000

/** Recreates the history in memory, and yields to the service of this process between batches. */
export async function replayHistory(world: World, signal: AbortSignal): Promise<void> {
  for (const _batch of world.history()) {
    await nextTurn()
    signal.throwIfAborted()
  }
}

interface SendOptions {
  client: OperatorClient
  service: Pick<RunningServer, 'importDay'>
  days: number
  signal: AbortSignal
}

/** Sends the history, and retries until all of it is stored: applied batches are not applied twice. */
export async function sendHistory(world: World, options: SendOptions, terminal: Terminal): Promise<void> {
  for (;;) {
    const problem = await trySending(world, options, terminal)
    if (problem === undefined) return
    logStatus(terminal, `the history is incomplete, retrying: ${problem}`)
    await sleep(retryMs, undefined, { signal: options.signal })
  }
}

/** Undefined if all of it is stored, else the problem. */
async function trySending(
  world: World,
  { client, service, days, signal }: SendOptions,
  terminal: Terminal,
): Promise<string | undefined> {
  const progress = startProgress(terminal, 'Creating history', days)
  const daysSent: number[] = []
  const pastDays: PastDay[] = []
  let facts = 0
  let problem: string | undefined
  const rejections: BatchOutcome[] = []
  try {
    for await (const outcome of sendFacts(client, historyLines(world, daysSent, pastDays), { signal })) {
      facts += outcome.facts
      const day = daysSent.shift() ?? days
      while (pastDays[0] && pastDays[0].number < day) await importFirst(pastDays, service)
      progress.update(day, `day ${day} of ${days}, ${formatNumber(facts)} facts`)
      if (outcome.status === 'unavailable') problem = 'the database is unavailable'
      if (outcome.status === 'refused' || outcome.status === 'conflict') rejections.push(outcome)
    }
    while (problem === undefined && pastDays[0]) await importFirst(pastDays, service)
  } catch (err) {
    if (!(err instanceof CommandError)) throw err
    problem = err.message
  } finally {
    progress.stop()
  }
  if (rejections[0]) logStatus(terminal, rejectionText(rejections[0], rejections.length))
  return problem
}

/** All nations at the end of a day of the history, which is imported when the batches of that day are applied. */
interface PastDay {
  number: number
  day: string
  nations: Parameters<RunningServer['importDay']>[1]
}

async function importFirst(pastDays: PastDay[], service: SendOptions['service']): Promise<void> {
  const past = pastDays.shift()
  if (past) await service.importDay(past.day, past.nations)
}

/** The history as lines. Appends the day of each batch to `daysSent`, and each past day to `pastDays`. */
async function* historyLines(world: World, daysSent: number[], pastDays: PastDay[]): FactsSource {
  const thisDay = new Date().toISOString().slice(0, 10)
  let startsAt: number | undefined
  for (const batch of world.history()) {
    const today = Date.parse(world.summary().day)
    startsAt ??= today
    const number = Math.round((today - startsAt) / 86_400_000)
    daysSent.push(number)
    const { endsDay } = batch
    if (endsDay !== undefined && endsDay < thisDay)
      pastDays.push({ number, day: endsDay, nations: world.standings() })
    yield linesOf(batch)
    await nextTurn()
  }
}

function rejectionText({ batch, refused: [first] }: BatchOutcome, count: number): string {
  const why = first ? `${first.path} ${first.reason}`.trim() : 'no reason given'
  return `${count} of the history’s batches rejected (${batch}: ${why}); chancery demo --fresh creates a new world`
}

interface UpdateOptions {
  world: World
  client: OperatorClient
  everySeconds: number
  signal: AbortSignal
}

/**
 * Updates the world until the signal. A batch is sent again while the service or its database is unavailable.
 * A problem is logged once, not with every update.
 */
export async function updateWorld(
  { world, client, everySeconds, signal }: UpdateOptions,
  terminal: Terminal,
) {
  let pending: Batch | undefined
  let logged: string | undefined
  while (!signal.aborted) {
    await sleep(everySeconds * 1000, undefined, { signal })
    pending ??= world.tick(new Date().toISOString())
    const { isDone, problem } = await sendTick(client, pending, signal)
    if (isDone) pending = undefined
    if (problem !== undefined && problem !== logged) logStatus(terminal, problem)
    if (problem === undefined && logged !== undefined) logStatus(terminal, 'the world is updated again')
    logged = problem
  }
}

interface TickResult {
  /** false: send it again. */
  isDone: boolean
  problem?: string
}

async function sendTick(client: OperatorClient, batch: Batch, signal: AbortSignal): Promise<TickResult> {
  if (batch.facts.length === 0) return { isDone: true }
  try {
    for await (const { status, refused } of sendFacts(client, lines(batch), { signal })) {
      if (status === 'unavailable')
        return { isDone: false, problem: 'updates of the world are paused: the database is unavailable' }
      const [first] = refused
      if (first)
        return {
          isDone: true,
          problem: `an update of the world was rejected: ${first.path} ${first.reason} (chancery demo --fresh creates a new one)`,
        }
    }
    return { isDone: true }
  } catch (err) {
    if (!(err instanceof CommandError)) throw err
    return { isDone: false, problem: `updates of the world are paused: ${err.message}` }
  }
}

async function* lines(batch: Batch) {
  yield linesOf(batch)
}
