import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLong } from '../../support/tier.ts'
import { until } from '../../support/until.ts'
import { addHearing } from '../../webhooks/owner.ts'
import type { Receiver } from '../../webhooks/receiver.ts'
import { type Dice, throwDice } from './dice.ts'
import type { Doors } from './doors.ts'
import { callLimit, startLife } from './life.ts'
import { asOperator } from './operator.ts'
import { assertWhole, everything } from './whole.ts'

export const kills = isLong ? 50 : 4
/** A machine that is busy with other things kills fewer, and says so. */
const killingMsMax = isLong ? 180_000 : 40_000

/**
 * Lets facts, codes and deliveries go on, kills at random moments of it, and sees that nothing acknowledged is lost or doubled.
 * `kill` resolves when who was killed is up again. Says on `t` what was lived through; CHANCERY_SEED repeats the dice.
 */
export async function killOften(
  t: TestContext,
  { doors, receiver }: { doors: Doors; receiver: Receiver },
  kill: (dice: Dice) => Promise<void>,
): Promise<void> {
  const dice = throwDice()
  t.diagnostic(`CHANCERY_SEED=${dice.seed}`)
  const operator = asOperator(doors)
  await addHearing(operator, receiver.url(everything))
  const { key } = await operator.make('/keys', { player_id: 'asker', name: 'test', limit: callLimit })
  const life = startLife(doors, key)
  t.after(() => life.stop().catch(() => undefined))
  const { told } = life
  const endAt = performance.now() + killingMsMax
  let count = 0
  for (; count < kills && performance.now() < endAt && !life.isOver(); count += 1) {
    const reached = told.batches.length
    await until(() => told.batches.length > reached || life.isOver(), 'a batch is applied')
    await sleep(dice.fraction() * 500)
    await kill(dice)
  }
  await life.stop()
  const events = await assertWhole(doors, told, receiver)
  const doubled = receiver.newsAt(everything).length - events
  t.diagnostic(
    `${count} kills: ${told.batches.length} batches, ${events} events, ${told.codes.length} codes, ${doubled} deliveries came again`,
  )
}

/** Says on `t` how long it took until all was well again. */
export function sayTimes(t: TestContext, what: string, times: readonly number[]): void {
  if (times.length === 0) return
  const median = times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0
  t.diagnostic(
    `${what} ${Math.round(median)} ms (median), ${Math.round(Math.max(...times))} ms (at most) after ${times.length} kills`,
  )
}
