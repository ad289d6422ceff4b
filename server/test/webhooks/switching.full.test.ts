import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { fanOutStep } from '../../src/webhooks/queue.ts'
import { nation } from '../ingest/facts.ts'
import { type DeliveryFixture, openDeliveryFixture, respond } from './delivery-fixture.ts'

let fixture: DeliveryFixture
beforeEach(async () => {
  fixture = await openDeliveryFixture()
})
afterEach(() => fixture.close())

test('endpoints can be disabled and replayed while results are recorded, without deadlock', async () => {
  const hosts = Array.from({ length: 8 }, (_, index) => `h${index}.example`)
  const endpoints: { id: string }[] = []
  for (const [index, host] of hosts.entries())
    endpoints.push(await fixture.addEndpoint(host, {}, index < 6 ? 'p1' : 'p2'))
  const errors: unknown[] = []
  const options = { onError: (error: unknown) => void errors.push(error), pollMs: 5 }
  fixture.deliver(options)
  fixture.deliver(options)
  const span = { since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' }
  let calls = 0
  for (const host of hosts)
    fixture.respondWith(host, ({ id }) => respond(id.startsWith('evt_test') || calls++ % 3 > 0 ? 200 : 500))
  for (let round = 0; round < 30; round += 1) {
    await fixture.ingest(Array.from({ length: 40 }, (_, index) => nation(`n${round}-${index}`)))
    await Promise.all([
      ...endpoints.slice(0, 3).map(async ({ id }) => {
        await fixture.settings.disable(id)
        await fixture.settings.enable(id)
      }),
      (async () => {
        await fixture.settings.disableAllOf('p1', 'player_suspended')
        for (const { id } of endpoints.slice(3, 6)) await fixture.settings.enable(id)
      })(),
      ...endpoints.slice(6).map(({ id }) => fixture.settings.replay(id, span)),
    ])
    fixture.advance(6_000)
  }
  assert.deepEqual(errors, [])
})

test('an endpoint enabled while the fan-out lags receives no earlier event', async () => {
  const { id } = await fixture.addEndpoint('late.example')
  const queued = async () => (await fanOutStep(fixture.pools.outbound, fixture.now())).queued
  await fixture.ingest([nation('n1')])
  assert.equal(await queued(), 1)
  await fixture.settings.disable(id)
  await fixture.ingest([nation('n2'), nation('n3')])
  await fixture.settings.enable(id)
  const added = await fixture.addEndpoint('new.example')
  assert.equal(await queued(), 0)
  await fixture.ingest([nation('n4')])
  assert.equal(await queued(), 2)
  for (const endpoint of [id, added.id]) {
    const [newest] = await fixture.settings.deliveries(endpoint, { limit: 1, state: 'pending' })
    assert.equal(newest?.event_id, 'evt_4')
  }
})
