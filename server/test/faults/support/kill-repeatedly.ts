import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLong } from '../../support/tier.ts'
import { until } from '../../support/until.ts'
import type { WebhookReceiver } from '../../support/webhook-receiver.ts'
import { addActiveEndpoint, requestOk } from '../../webhooks/owner.ts'
import { drawFaultSchedule, type FaultSchedule } from './fault-schedule.ts'
import { allEvents, assertNothingLost } from './nothing-lost.ts'
import { operatorOf, type RunningServers, requestPublic, retryUntilKnown } from './running-servers.ts'
import { keyLimit, startWorkload, type Workload } from './workload.ts'

export const kills = isLong ? 50 : 4
/** On a busy machine there are fewer kills; the diagnostic shows how many. */
const killingMsMax = isLong ? 180_000 : 40_000

/** In one window of one process a key has no more requests than its limit, and each has a number of its own. */
function assertLimitsHeld({ accepted }: Workload): void {
  const windows = Map.groupBy(accepted, ({ pid, resetAt }) => `${pid} ${resetAt}`)
  for (const [window, requests] of windows) {
    const left = requests.map(({ remaining }) => remaining)
    assert.ok(left.length <= keyLimit, `${left.length} requests in the window ${window}`)
    assert.equal(new Set(left).size, left.length, `${window}: ${left}`)
  }
}

/**
 * Runs a workload, kills at random moments, and checks that nothing acknowledged is lost or doubled. `kill` resolves when the killed
 * process is up again. CHANCERY_SEED repeats the random choices.
 */
export async function killRepeatedly(
  t: TestContext,
  { servers, receiver }: { servers: RunningServers; receiver: WebhookReceiver },
  kill: (schedule: FaultSchedule) => Promise<void>,
): Promise<void> {
  const schedule = drawFaultSchedule()
  t.diagnostic(`CHANCERY_SEED=${schedule.seed}`)
  const operator = operatorOf(servers)
  await addActiveEndpoint(operator, receiver.url(allEvents))
  const owner = { player_id: 'p-key', name: 'test', limit: keyLimit }
  const { key } = await requestOk<{ key: string }>(operator, 'POST', '/keys', owner)
  const workload = startWorkload(servers, key)
  t.after(() => workload.stop().catch(() => undefined))
  const { acknowledged } = workload
  const endAt = performance.now() + killingMsMax
  let count = 0
  for (; count < kills && performance.now() < endAt && !workload.isOver(); count += 1) {
    const reached = acknowledged.batches.length
    await until(() => acknowledged.batches.length > reached || workload.isOver(), 'a batch is applied')
    await sleep(schedule.fraction() * 500)
    await kill(schedule)
  }
  await workload.stop()
  const { length: events } = await assertNothingLost(servers, acknowledged, receiver)
  const { response } = await retryUntilKnown(() => requestPublic(servers, '/alliances/a0'))
  const { member_count } = (JSON.parse(response.body) as { data: { member_count: number } }).data
  assert.equal(member_count, acknowledged.batches.length)
  assertLimitsHeld(workload)
  const repeated = receiver.eventsAt(allEvents).length - events
  t.diagnostic(
    `${count} kills: ${acknowledged.batches.length} batches, ${events} events, ${acknowledged.codes.length} codes, ${repeated} deliveries repeated`,
  )
}

/** Reports how long recovery took. */
export function reportTimes(t: TestContext, what: string, times: readonly number[]): void {
  if (times.length === 0) return
  const median = times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0
  t.diagnostic(
    `${what} ${Math.round(median)} ms (median), ${Math.round(Math.max(...times))} ms (at most) after ${times.length} kills`,
  )
}
