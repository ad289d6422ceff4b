import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../support/until.ts'
import type { FaultServer } from './fault-server.ts'
import { cachedMs, isUp, type Kind, kinds, type Load, type LoadResponse } from './load.ts'

export interface Fault {
  begin: () => Promise<unknown>
  end: () => Promise<unknown>
  lastsMs: number
  /** The service reports that it is not ready. */
  isUnready: boolean
  /** Once cached responses have expired, every response is 503. */
  isTotal?: boolean
}

/** How many processes, each as late as this one, a response may wait for. */
const turnsPerResponse = 10
const responseMsMax = 1_000
const recoveryMsMax = 5_000
/** The metrics wait a little for numbers from the database. */
const reportedMsMax = 3_500
/** A batch in flight at the beginning waits longer for the database: a disk may stall. */
const batchMsMax = 6_000

/** Begins and ends a fault under load. Fails if a response or the recovery takes too long. Returns the responses that were 503. */
export async function runFault(
  t: TestContext,
  { server, load }: { server: FaultServer; load: Load },
  fault: Fault,
) {
  await untilAllAreUp(load, performance.now())
  const lateness = monitorEventLoopDelay({ resolution: 10 })
  lateness.enable()
  const from = load.responses.length
  const beganAt = performance.now()
  let delivered = deliveredBy(server)
  let effectiveAt = beganAt
  let endsAt = beganAt
  let reportedMs = 0
  try {
    await fault.begin()
    effectiveAt = performance.now()
    const isOverAt = effectiveAt + fault.lastsMs
    if (fault.isUnready) {
      reportedMs = (await untilUnready(server)) - effectiveAt
      t.diagnostic(`/readyz and metrics report it after ${Math.round(reportedMs)} ms`)
    }
    await sleep(Math.max(0, isOverAt - performance.now()))
    delivered = deliveredBy(server)
  } finally {
    endsAt = performance.now()
    await fault.end()
  }
  const endedAt = performance.now()
  const availableAt = await untilAllAreUp(load, endedAt)
  await until(() => server.receiver.received.length > delivered.messages, 'messages are delivered')
  await until(() => server.follower.seqs().length > delivered.streamed, 'the stream continues')
  const backMs = performance.now() - endedAt
  await until(async () => {
    const { isReady, isDatabaseUp } = await server.status()
    return isReady && isDatabaseUp
  }, 'it is ready')
  lateness.disable()
  // The lateness of a busy machine is not counted: a response takes several processes in turn.
  const lateMs = (turnsPerResponse * lateness.max) / 1e6

  assert.ok(reportedMs < reportedMsMax + lateMs, `reported after ${reportedMs} ms`)

  const meanwhile = load.responses.slice(from)
  const rejected = meanwhile.filter(({ status }) => status === 503)
  if (fault.isUnready) assert.ok(rejected.length > 0, 'the fault has an effect')
  for (const response of meanwhile) {
    const isInFlight = response.kind === 'batch' && response.startedAt < beganAt + responseMsMax
    const mostMs = isInFlight ? batchMsMax : responseMsMax
    if (isUp(response) && isInFlight) continue
    assert.ok(
      response.tookMs < mostMs + lateMs,
      `${response.kind} was ${response.status} after ${response.tookMs} ms, on a machine that is ${lateMs} ms late`,
    )
  }
  if (fault.isTotal) assertUnavailable(meanwhile, { from: effectiveAt + cachedMs, until: endsAt })
  assert.ok(backMs < recoveryMsMax + lateMs, `recovered after ${backMs} ms`)

  t.diagnostic(`503 to all but batches: ${figures(rejected.filter(({ kind }) => kind !== 'batch'))}`)
  t.diagnostic(`of batches: ${figures(rejected.filter(({ kind }) => kind === 'batch'))}`)
  for (const [kind, at] of availableAt)
    t.diagnostic(`${kind}: available after ${Math.round(at - endedAt)} ms`)
  t.diagnostic(
    `everything, messages and stream too, after ${Math.round(backMs)} ms; machine late by up to ${Math.round(lateMs)} ms`,
  )
  return rejected
}

/** Every response in a span is 503. */
function assertUnavailable(
  responses: readonly LoadResponse[],
  { from, until }: { from: number; until: number },
): void {
  const late = responses.filter(({ startedAt, tookMs }) => startedAt > from && startedAt + tookMs < until)
  assert.ok(late.length > 0, 'there were requests')
  for (const { kind, status } of late) assert.equal(status, 503, kind)
}

const deliveredBy = ({ receiver, follower }: FaultServer) => ({
  messages: receiver.received.length,
  streamed: follower.seqs().length,
})

/** When each kind of request, sent after a moment, first succeeded. */
async function untilAllAreUp(load: Load, after: number): Promise<Map<Kind, number>> {
  const availableAt = new Map<Kind, number>()
  let next = 0
  await until(
    () => {
      load.assertRight()
      for (; next < load.responses.length; next += 1) {
        const response = load.responses[next]
        if (response && response.startedAt >= after && isUp(response) && !availableAt.has(response.kind))
          availableAt.set(response.kind, response.startedAt + response.tookMs)
      }
      return availableAt.size === kinds.length
    },
    'every kind of request succeeds',
    120_000,
  ).catch(error => {
    throw new Error(`${error.message}: ${kinds.filter(kind => !availableAt.has(kind))} fail`)
  })
  return availableAt
}

async function untilUnready(server: FaultServer): Promise<number> {
  await until(async () => {
    const { isReady, isDatabaseUp } = await server.status()
    return !isReady && !isDatabaseUp
  }, 'it is not ready')
  return performance.now()
}

function figures(responses: readonly LoadResponse[]): string {
  const times = responses.map(({ tookMs }) => tookMs).sort((one, other) => one - other)
  const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)
  return `${times.length}, median ${at(0.5)} ms, longest ${at(1)} ms`
}
