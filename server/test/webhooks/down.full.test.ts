import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { startTestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { addHearing, findEndpoint, newsOf } from './owner.ts'
import { dataOf } from './verified.ts'

test('after an outage of the receiver its events arrive with the first retry, and not before five seconds', async t => {
  const chancery = await startTestServer({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })
  const receiver = await startWebhookReceiver()
  t.after(async () => {
    await chancery.close()
    await receiver.close()
  })
  const { id } = await addHearing(chancery, receiver.url('/down'))
  const nations = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => nation(`n${from + index}`))
  await chancery.ingest(nations(0, 3), { waits: false })
  await until(() => receiver.newsAt('/down').length === 3, 'it hears')
  await receiver.goDown()
  const outcome = await chancery.ingest(nations(3, 20), { waits: false })
  const missed = Array.from({ length: 20 }, (_, index) => `evt_${Number(outcome.last_seq) - 19 + index}`)
  await until(async () => (await findEndpoint(chancery, id)).failing_since !== null, 'it fails')
  const [first] = (await newsOf(chancery, id)).filter(({ attempts }) => attempts.length > 0)
  assert.deepEqual([first?.attempts[0]?.status, first?.attempts[0]?.error], [null, 'connection_failed'])
  await receiver.comeUp()

  const arrived = () => new Set(receiver.newsAt('/down').map(message => message.id))
  await until(() => missed.every(event => arrived().has(event)), 'all that was missed arrives')
  assert.equal(receiver.newsAt('/down').length, 23, 'and nothing twice')
  const isBooked = async () => (await newsOf(chancery, id)).every(({ state }) => state === 'delivered')
  await until(isBooked, 'it is booked')
  const log = await newsOf(chancery, id)
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
  assert.ok(receiver.newsAt('/down').every(message => dataOf(message) !== ''))
})
