import assert from 'node:assert/strict'
import type { Event } from '../../events/cases.ts'
import { until } from '../../support/until.ts'
import type { WebhookReceiver } from '../../support/webhook-receiver.ts'
import { arrivedPairs, missingFrom, wantedPairs, wholeLog } from '../../webhooks/pairs.ts'
import { type RunningServers, requestPublic, retryUntilAnswered } from './running-servers.ts'
import { type Acknowledged, callLimit, redeem, sendBatch } from './workload.ts'

/** Where the receiver hears of every event. */
export const everything = '/everything'

const namesOf = (log: readonly Event[], type: string, nameOf: (event: Event) => string | null | undefined) =>
  log.filter(event => event.type === type).map(nameOf)

/** Every acknowledged batch is in the log once, with the numbers of its response, and no other batch is. */
async function assertLogWhole(servers: RunningServers, { batches }: Acknowledged): Promise<Event[]> {
  const [served] = servers.up
  assert.ok(served)
  const log = await wholeLog(served)
  assert.deepEqual(
    log.map(({ seq }) => seq),
    log.map((_, index) => index + 1),
  )
  const acknowledged = batches.map((_, batch) => `n${batch}`)
  assert.deepEqual(
    namesOf(log, 'nation.founded', ({ nation_ids }) => nation_ids[0]),
    acknowledged,
  )
  assert.deepEqual(
    namesOf(log, 'war.declared', ({ war_id }) => war_id),
    acknowledged.slice(1).map(id => id.replace('n', 'w')),
  )
  assert.equal(
    log.length,
    batches.reduce((sum, { outcome }) => sum + outcome.events, 0),
  )
  let last = 0
  for (const { outcome } of batches) {
    last += outcome.events
    assert.equal(outcome.last_seq, last)
  }
  const { answer } = await retryUntilAnswered(() => requestPublic(servers, '/alliances/a0'))
  const { member_count } = (JSON.parse(answer.body) as { data: { member_count: number } }).data
  assert.equal(member_count, batches.length)
  return log
}

/** A batch that is sent again is known, by its first numbers. */
async function assertAppliedOnce(servers: RunningServers, { batches }: Acknowledged): Promise<void> {
  for (const [batch, { outcome, unknown }] of batches.entries()) {
    if (unknown === 0 && batch % 20 !== 0) continue
    const again = await sendBatch(servers, batch)
    assert.deepEqual(
      [again.outcome.status, again.outcome.last_seq],
      ['duplicate', outcome.last_seq],
      `batch ${batch}`,
    )
  }
}

/** No code was redeemed twice; every one is used; and where all answers came, one of them said so. */
async function assertCodesUsedOnce(servers: RunningServers, { codes }: Acknowledged): Promise<void> {
  for (const { code, redeemed, unknown } of codes) {
    assert.ok(redeemed <= 1, `a code was redeemed ${redeemed} times`)
    if (unknown === 0) assert.equal(redeemed, 1, 'a code was used, and nobody redeemed it')
    const again = await redeem(servers, code)
    assert.equal(again.redeemed, 0, 'a code that was used can be redeemed again')
  }
}

/** In one window of one process nobody is let in more often than may be, and each call takes one. */
function assertLimitsHeld({ calls }: Acknowledged): void {
  const windows = Map.groupBy(calls, ({ pid, resetAt }) => `${pid} ${resetAt}`)
  for (const [window, taken] of windows) {
    const left = taken.map(({ remaining }) => remaining)
    assert.ok(left.length <= callLimit, `${left.length} calls in the window ${window}`)
    assert.equal(new Set(left).size, left.length, `${window}: ${left}`)
  }
}

/** Everything in the log arrived, always with the same words. */
async function assertDelivered(log: readonly Event[], receiver: WebhookReceiver): Promise<void> {
  const wants = new Map([[everything, () => true]])
  const wanted = wantedPairs(log, wants)
  await until(
    () => missingFrom(wanted, arrivedPairs(receiver, wants)).length === 0,
    'every event arrives',
    60_000,
  )
  const known = new Map([...wanted].map(pair => [pair, 1]))
  assert.deepEqual(missingFrom(arrivedPairs(receiver, wants).keys(), known), [])
  const bodies = new Map<string, string>()
  for (const { id, body } of receiver.newsAt(everything)) {
    assert.equal(body, bodies.get(id) ?? body, 'the same words again')
    bodies.set(id, body)
  }
}

/** Compares the stored state with what was acknowledged. Resolves with how many events there are. */
export async function assertNothingLost(
  servers: RunningServers,
  acknowledged: Acknowledged,
  receiver: WebhookReceiver,
): Promise<number> {
  const log = await assertLogWhole(servers, acknowledged)
  await assertAppliedOnce(servers, acknowledged)
  await assertCodesUsedOnce(servers, acknowledged)
  assertLimitsHeld(acknowledged)
  await assertDelivered(log, receiver)
  return log.length
}
