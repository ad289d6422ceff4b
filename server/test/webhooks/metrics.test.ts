import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { until } from '../support/until.ts'
import { neverRespond, respondStatus } from '../support/webhook-receiver.ts'
import { metricsOf } from './metrics-of.ts'
import { addActiveEndpoint, addEndpoint, eventDeliveriesOf, requestOk, startWebhookServer } from './owner.ts'

const { chancery, receiver } = await startWebhookServer({ CHANCERY_WEBHOOKS_IN_FLIGHT: '1' })

test('the metrics show the queue by endpoint class and attempts by result', async () => {
  const good = await addActiveEndpoint(chancery, receiver.url('/good'))
  const { id } = await addActiveEndpoint(chancery, receiver.url('/bad'))
  receiver.respondWith('/bad', respondStatus(500))
  await addActiveEndpoint(chancery, receiver.url('/stuck'))
  receiver.respondWith('/stuck', neverRespond)
  receiver.respondWith('/shy', respondStatus(500))
  await addEndpoint(chancery, receiver.url('/shy'))
  await chancery.ingest([nation('n1'), nation('n2'), nation('n3')], { waits: false })
  const tried = async (endpoint: string) =>
    (await eventDeliveriesOf(chancery, endpoint)).filter(({ attempts }) => attempts.length > 0).length
  await until(async () => (await tried(id)) === 3, 'all failed')
  await until(async () => (await tried(good.id)) === 3, 'all arrived')
  await until(() => receiver.eventsAt('/stuck').length === 1, 'one is stuck')
  await requestOk(chancery, 'POST', '/players/player-of-shy/suspend')

  // The first request gets current values, not those of an earlier collection.
  const metrics = await metricsOf(chancery)
  assert.deepEqual(
    [
      metrics.get('chancery_webhook_endpoints{status="active"}'),
      metrics.get('chancery_webhook_endpoints{status="disabled"}'),
      metrics.get('chancery_webhook_endpoints{status="unconfirmed"}'),
      metrics.get('chancery_webhook_queue_depth{endpoints="failing"}'),
      // A busy machine may have made an endpoint slow.
      Number(metrics.get('chancery_webhook_queue_depth{endpoints="answering"}')) +
        Number(metrics.get('chancery_webhook_queue_depth{endpoints="slow"}')),
      metrics.get('chancery_webhook_fan_out_lag_events'),
      metrics.get('chancery_webhook_attempts_total{result="delivered"}'),
    ],
    [3, 1, undefined, 3, 3, 0, 3],
  )
  // On a busy machine the second attempts may come before the metrics.
  const retried = Number(metrics.get('chancery_webhook_attempts_total{result="retried"}'))
  assert.ok(retried >= 3, `${retried}`)
  assert.equal(metrics.get('chancery_webhook_attempt_seconds_count'), 3 + retried)
  // A delivery that waits for its retry is not late; one that waits behind a hanging receiver is.
  const oldest = (endpoints: string) =>
    metrics.get(`chancery_webhook_oldest_undelivered_seconds{endpoints="${endpoints}"}`)
  assert.equal(oldest('failing'), 0)
  const late = Math.max(Number(oldest('answering')), Number(oldest('slow')))
  assert.ok(late > 0 && late < 60, `${late}`)
})
