import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLong } from '../../support/tier.ts'
import { until } from '../../support/until.ts'
import type { WebhookReceiver } from '../../support/webhook-receiver.ts'
import { addHearing } from '../../webhooks/owner.ts'
import { drawFaultSchedule, type FaultSchedule } from './fault-schedule.ts'
import { assertNothingLost, everything } from './nothing-lost.ts'
import { createOperator } from './operator.ts'
import type { RunningServers } from './running-servers.ts'
import { callLimit, startWorkload } from './workload.ts'

export const kills = isLong ? 50 : 4
/** A machine that is busy with other things kills fewer, and says so. */
const killingMsMax = isLong ? 180_000 : 40_000

/**
 * Lets facts, codes and deliveries go on, kills at random moments of it, and sees that nothing acknowledged is lost or doubled.
 * `kill` resolves when who was killed is up again. Says on `t` what was lived through; CHANCERY_SEED repeats the dice.
 */
export async function killRepeatedly(
  t: TestContext,
  { servers, receiver }: { servers: RunningServers; receiver: WebhookReceiver },
  kill: (dice: FaultSchedule) => Promise<void>,
): Promise<void> {
  const dice = drawFaultSchedule()
  t.diagnostic(`CHANCERY_SEED=${dice.seed}`)
  const operator = createOperator(servers)
  await addHearing(operator, receiver.url(everything))
  const { key } = await operator.make('/keys', { player_id: 'asker', name: 'test', limit: callLimit })
  const workload = startWorkload(servers, key)
  t.after(() => workload.stop().catch(() => undefined))
  const { acknowledged } = workload
  const endAt = performance.now() + killingMsMax
  let count = 0
  for (; count < kills && performance.now() < endAt && !workload.isOver(); count += 1) {
    const reached = acknowledged.batches.length
    await until(() => acknowledged.batches.length > reached || workload.isOver(), 'a batch is applied')
    await sleep(dice.fraction() * 500)
    await kill(dice)
  }
  await workload.stop()
  const events = await assertNothingLost(servers, acknowledged, receiver)
  const doubled = receiver.newsAt(everything).length - events
  t.diagnostic(
    `${count} kills: ${acknowledged.batches.length} batches, ${events} events, ${acknowledged.codes.length} codes, ${doubled} deliveries came again`,
  )
}

/** Says on `t` how long it took until all was well again. */
export function reportTimes(t: TestContext, what: string, times: readonly number[]): void {
  if (times.length === 0) return
  const median = times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0
  t.diagnostic(
    `${what} ${Math.round(median)} ms (median), ${Math.round(Math.max(...times))} ms (at most) after ${times.length} kills`,
  )
}
