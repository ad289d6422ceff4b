import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { startChancery } from '../support/chancery.ts'
import { metricsOf } from './metrics-of.ts'
import { addEndpoint, addHearing, done, newsOf } from './owner.ts'
import { startReceiver, withStatus } from './receiver.ts'
import { until } from './until.ts'

test('the metrics tell what waits, for whom, and what became of attempts', async t => {
  const chancery = await startChancery({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })
  const receiver = await startReceiver()
  t.after(async () => {
    await chancery.close()
    await receiver.close()
  })
  await addHearing(chancery, receiver.url('/good'))
  const { id } = await addHearing(chancery, receiver.url('/bad'))
  receiver.answer('/bad', withStatus(500))
  receiver.answer('/shy', withStatus(500))
  await addEndpoint(chancery, receiver.url('/shy'))
  await chancery.tell([nation('n1'), nation('n2'), nation('n3')], { waits: false })
  await until(
    async () => (await newsOf(chancery, id)).every(({ attempts }) => attempts.length === 1),
    'all failed',
  )
  await until(() => receiver.newsAt('/good').length === 3, 'all arrived')
  await done(chancery, 'POST', '/players/player-of-shy/suspend')

  // The first question is answered with what is, not with what an earlier one had found.
  const metrics = await metricsOf(chancery)
  assert.deepEqual(
    [
      metrics.get('chancery_webhook_endpoints{status="active"}'),
      metrics.get('chancery_webhook_endpoints{status="disabled"}'),
      metrics.get('chancery_webhook_endpoints{status="unconfirmed"}'),
      metrics.get('chancery_webhook_queue_depth{endpoints="failing"}'),
      metrics.get('chancery_webhook_fan_out_lag_events'),
      metrics.get('chancery_webhook_attempts_total{result="retried"}'),
      metrics.get('chancery_webhook_attempts_total{result="delivered"}'),
      metrics.get('chancery_webhook_attempt_seconds_count'),
    ],
    [2, 1, undefined, 3, 0, 3, 3, 6],
  )
  const oldest = metrics.get('chancery_webhook_oldest_undelivered_seconds{endpoints="failing"}')
  assert.ok(oldest !== undefined && oldest > 0 && oldest < 60, `${oldest}`)
})
