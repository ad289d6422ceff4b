import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { until } from '../support/until.ts'
import { addActiveEndpoint, eventDeliveriesOf, findEndpoint, startWebhookServer } from './owner.ts'
import { eventJsonOf } from './verified.ts'

const { chancery, receiver } = await startWebhookServer()

test('after an outage of the receiver its events arrive with the first retry, and not before five seconds', async () => {
  const { id } = await addActiveEndpoint(chancery, receiver.url('/down'))
  const nations = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => nation(`n${from + index}`))
  await chancery.ingest(nations(0, 3), { waits: false })
  await until(() => receiver.eventsAt('/down').length === 3, 'an event arrives')
  await receiver.stop()
  const outcome = await chancery.ingest(nations(3, 20), { waits: false })
  const missed = Array.from({ length: 20 }, (_, index) => `evt_${Number(outcome.last_seq) - 19 + index}`)
  await until(
    async () => (await findEndpoint(chancery, id)).failing_since !== null,
    'the endpoint is failing',
  )
  const [first] = (await eventDeliveriesOf(chancery, id)).filter(({ attempts }) => attempts.length > 0)
  assert.deepEqual([first?.attempts[0]?.status, first?.attempts[0]?.error], [null, 'connection_failed'])
  await receiver.start()

  const arrived = () => new Set(receiver.eventsAt('/down').map(message => message.id))
  await until(() => missed.every(event => arrived().has(event)), 'every missed event arrives')
  assert.equal(receiver.eventsAt('/down').length, 23, 'no event arrives twice')
  const isDelivered = async () =>
    (await eventDeliveriesOf(chancery, id)).every(({ state }) => state === 'delivered')
  await until(isDelivered, 'it is recorded')
  const log = await eventDeliveriesOf(chancery, id)
  for (const { attempts } of log.filter(each => each.attempts.length > 1)) {
    const [retried, failed] = attempts
    assert.equal(attempts.length, 2)
    const waitedMs = Date.parse(retried?.attempted_at ?? '') - Date.parse(failed?.attempted_at ?? '')
    // The wait after the second attempt is more than a minute.
    assert.ok(waitedMs >= 5_000 && waitedMs < 60_000, `the retry came after ${waitedMs} ms`)
  }
  assert.ok(log.some(({ attempts }) => attempts.length === 2))
  const { failing_since, warnings } = await findEndpoint(chancery, id)
  assert.deepEqual([failing_since, warnings], [null, []])
  assert.ok(receiver.eventsAt('/down').every(message => eventJsonOf(message) !== ''))
})
