import assert from 'node:assert/strict'
import { type Event, readEvents } from '../../events/log-model.ts'
import { isTest, type WebhookReceiver } from '../../support/webhook-receiver.ts'
import { countArrivals, type Subscriptions, untilAllArrive } from '../../webhooks/arrivals.ts'
import { type RunningServers, requestOperator, requestPublic } from './running-servers.ts'
import { type Acknowledged, redeem, sendBatch } from './workload.ts'

/** The path of the endpoint that subscribes to all events. */
export const allEvents = '/all-events'

/** The log has consecutive numbers, and after `firstSeq` the events of each acknowledged batch, once. */
function assertLogComplete(log: readonly Event[], { batches }: Acknowledged, firstSeq: number): void {
  assert.deepEqual(
    log.map(({ seq }) => seq),
    log.map((_, index) => index + 1),
  )
  const known = new Set(log.slice(0, firstSeq).flatMap(({ nation_ids }) => nation_ids))
  let last = firstSeq
  for (const { key, facts, outcome } of batches) {
    const events = log.slice(last, last + outcome.events)
    last += outcome.events
    assert.equal(outcome.last_seq, last, key)
    const idsOf = (resource: string) =>
      facts.flatMap(fact => (fact.resource === resource ? [(fact.data as { id: string }).id] : []))
    const declared = events.filter(({ type }) => type === 'war.declared').map(({ war_id }) => war_id)
    assert.deepEqual(declared, idsOf('war'))
    const founded = events.filter(({ type }) => type === 'nation.founded').flatMap(event => event.nation_ids)
    assert.deepEqual(
      founded,
      idsOf('nation').filter(id => !known.has(id)),
    )
    for (const id of founded) known.add(id)
  }
  assert.equal(log.length, last, 'no batch is in the log that was not acknowledged')
}

/** A batch that is sent again is recognized, with its first event numbers. */
async function assertAppliedOnce(servers: RunningServers, { batches }: Acknowledged): Promise<void> {
  for (const [index, { key, facts, outcome, unknown }] of batches.entries()) {
    if (unknown === 0 && index % 20 !== 0) continue
    const again = await sendBatch((...request) => requestOperator(servers, ...request), key, facts)
    assert.deepEqual([again.outcome.status, again.outcome.last_seq], ['duplicate', outcome.last_seq], key)
  }
}

/** No code was redeemed twice, and each is used. If no response was lost, one redemption succeeded. */
async function assertCodesUsedOnce(servers: RunningServers, { codes }: Acknowledged): Promise<void> {
  for (const { code, redeemed, unknown } of codes) {
    assert.ok(redeemed <= 1, `a code was redeemed ${redeemed} times`)
    if (unknown === 0) assert.equal(redeemed, 1, 'a code was used without a successful redemption')
    const again = await redeem(path => requestPublic(servers, path), code)
    assert.equal(again.redeemed, 0, 'a used code can be redeemed again')
  }
}

/** Compares the log, the codes and the deliveries with what was acknowledged. Returns the log. */
export async function assertNothingLost(
  servers: RunningServers,
  acknowledged: Acknowledged,
  receiver: WebhookReceiver,
  firstSeq = 0,
): Promise<Event[]> {
  const [server] = servers.up
  assert.ok(server)
  const log = await readEvents(server)
  assertLogComplete(log, acknowledged, firstSeq)
  await assertAppliedOnce(servers, acknowledged)
  await assertCodesUsedOnce(servers, acknowledged)
  const subscriptions: Subscriptions = new Map([[allEvents, ({ seq }) => seq > firstSeq]])
  await untilAllArrive(log, subscriptions, () => countArrivals(receiver.received, subscriptions))
  const bodies = new Map<string, string>()
  for (const { id, body } of receiver.received.filter(each => !isTest(each))) {
    assert.equal(body, bodies.get(id) ?? body, 'a repeated message has the same body')
    bodies.set(id, body)
  }
  return log
}
