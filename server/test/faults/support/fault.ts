import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../support/until.ts'
import { type Asked, isUp, type Kind } from './ask.ts'
import type { FaultServer } from './fault-server.ts'
import type { Load } from './load.ts'

export interface Fault {
  begin: () => Promise<unknown>
  end: () => Promise<unknown>
  lastsMs: number
  /** The service says that it is not ready. */
  isUnready: boolean
  /** Nobody can be given an answer meanwhile: whoever is given one is told what may be wrong by now. */
  isUnanswerable?: boolean
}

const turnsPerAnswer = 10
const answeredWithinMs = 1_000
const rememberedMs = 1_000
const normalWithinMs = 5_000
/** Numbers that are read in the database are waited for a little. */
const saidWithinMs = 3_500
/** Batches under way when the database falls silent are not given up at once: a disk may stall. */
const batchWithinMs = 6_000

const kinds: readonly Kind[] = ['hot read', 'read', 'search', 'keyed read', 'batch', 'code', 'redemption']

/** Lets a fault come and go under load. Fails where somebody waits too long for an answer, or normal life too long for its return. Resolves with what was refused. */
export async function runFault(
  t: TestContext,
  { server, load }: { server: FaultServer; load: Load },
  fault: Fault,
) {
  await untilAllAreUp(load, performance.now())
  const lateness = monitorEventLoopDelay({ resolution: 10 })
  lateness.enable()
  const from = load.asked.length
  const beganAt = performance.now()
  let heard = heardBy(server)
  let goneAt = beganAt
  let endsAt = beganAt
  let saidMs = 0
  try {
    await fault.begin()
    goneAt = performance.now()
    const isOverAt = goneAt + fault.lastsMs
    if (fault.isUnready) {
      saidMs = (await saysDark(server)) - goneAt
      t.diagnostic(`/readyz and metrics say it after ${Math.round(saidMs)} ms`)
    }
    await sleep(Math.max(0, isOverAt - performance.now()))
    heard = heardBy(server)
  } finally {
    endsAt = performance.now()
    await fault.end()
  }
  const endedAt = performance.now()
  const backAt = await untilAllAreUp(load, endedAt)
  await until(() => server.receiver.received.length > heard.messages, 'messages are delivered')
  await until(() => server.follower.seqs().length > heard.streamed, 'the stream goes on')
  const backMs = performance.now() - endedAt
  await until(async () => {
    const { isReady, isDatabaseUp } = await server.status()
    return isReady && isDatabaseUp
  }, 'it says that it is ready')
  lateness.disable()
  // What this machine takes to run whoever is due is not the service's time: an answer is the work of several processes in turn.
  const lateMs = (turnsPerAnswer * lateness.max) / 1e6

  assert.ok(saidMs < saidWithinMs + lateMs, `it says so after ${saidMs} ms`)

  const meanwhile = load.asked.slice(from)
  const refused = meanwhile.filter(({ status }) => status === 503)
  if (fault.isUnready) assert.ok(refused.length > 0, 'the fault was felt')
  for (const answer of meanwhile) {
    const isUnderWay = answer.kind === 'batch' && answer.startedAt < beganAt + answeredWithinMs
    const mostMs = isUnderWay ? batchWithinMs : answeredWithinMs
    if (isUp(answer) && isUnderWay) continue
    assert.ok(
      answer.tookMs < mostMs + lateMs,
      `${answer.kind} was answered ${answer.status} after ${answer.tookMs} ms, on a machine that is ${lateMs} ms late`,
    )
  }
  if (fault.isUnanswerable) assertMute(meanwhile, { from: goneAt + rememberedMs, until: endsAt })
  assert.ok(backMs < normalWithinMs + lateMs, `normal after ${backMs} ms`)

  t.diagnostic(`503 to all but batches: ${figures(refused.filter(({ kind }) => kind !== 'batch'))}`)
  t.diagnostic(`of batches: ${figures(refused.filter(({ kind }) => kind === 'batch'))}`)
  for (const [kind, at] of backAt) t.diagnostic(`${kind}: back after ${Math.round(at - endedAt)} ms`)
  t.diagnostic(
    `all of it, messages and stream too, after ${Math.round(backMs)} ms; machine late by up to ${Math.round(lateMs)} ms`,
  )
  return refused
}

/** After a second nothing is remembered that could be answered. */
function assertMute(answers: readonly Asked[], { from, until }: { from: number; until: number }): void {
  const late = answers.filter(({ startedAt, tookMs }) => startedAt > from && startedAt + tookMs < until)
  assert.ok(late.length > 0, 'somebody asked')
  for (const { kind, status } of late) assert.equal(status, 503, kind)
}

const heardBy = ({ receiver, follower }: FaultServer) => ({
  messages: receiver.received.length,
  streamed: follower.seqs().length,
})

/** When each kind of question, asked after a moment, was first answered. */
async function untilAllAreUp(load: Load, after: number): Promise<Map<Kind, number>> {
  const backAt = new Map<Kind, number>()
  let next = 0
  await until(
    () => {
      load.assertRight()
      for (; next < load.asked.length; next += 1) {
        const answer = load.asked[next]
        if (answer && answer.startedAt >= after && isUp(answer) && !backAt.has(answer.kind))
          backAt.set(answer.kind, answer.startedAt + answer.tookMs)
      }
      return backAt.size === kinds.length
    },
    'everything is answered',
    120_000,
  ).catch(error => {
    throw new Error(`${error.message}: ${kinds.filter(kind => !backAt.has(kind))} are not`)
  })
  return backAt
}

async function saysDark(server: FaultServer): Promise<number> {
  await until(async () => {
    const { isReady, isDatabaseUp } = await server.status()
    return !isReady && !isDatabaseUp
  }, 'it says that it is not ready')
  return performance.now()
}

function figures(answers: readonly Asked[]): string {
  const times = answers.map(({ tookMs }) => tookMs).sort((one, other) => one - other)
  const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)
  return `${times.length}, median ${at(0.5)} ms, longest ${at(1)} ms`
}
