import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { until } from '../support/until.ts'
import { type DeliveryFixture, openDeliveryFixture, respond } from './delivery-fixture.ts'

let fixture: DeliveryFixture
beforeEach(async () => {
  fixture = await openDeliveryFixture()
})
afterEach(() => fixture.close())

const hour = 3_600_000

test('pending deliveries are not delayed after the clock is set back', async () => {
  await fixture.addEndpoint('failing.example')
  fixture.respondWith('failing.example', () => respond(500))
  fixture.deliver()
  await fixture.ingest([nation('n1'), nation('n2'), nation('n3')])
  await until(() => fixture.eventsAt('failing.example').length > 0, 'an attempt is made')
  fixture.respondWith('failing.example', () => respond(204))
  fixture.advance(-hour)
  const arrived = () => new Set(fixture.eventsAt('failing.example').map(({ id }) => id)).size
  await until(() => arrived() === 3, 'every event arrives')
  await fixture.ingest([nation('n4')])
  await until(() => arrived() === 4, 'a new event arrives')
})

test('an attempt in flight is not repeated after the clock is set back', async () => {
  await fixture.addEndpoint('slow.example')
  const { promise: responded, resolve: sendResponse } = Promise.withResolvers<void>()
  fixture.respondWith('slow.example', async () => {
    await responded
    return respond(204)
  })
  fixture.deliver()
  await fixture.ingest([nation('n1')])
  await until(() => fixture.eventsAt('slow.example').length === 1, 'an attempt is in flight')
  fixture.advance(-hour)
  await fixture.addEndpoint('other.example')
  await fixture.ingest([nation('n2')])
  await until(() => fixture.eventsAt('other.example').length === 1, 'the queue was polled since')
  sendResponse()
  await until(() => fixture.eventsAt('slow.example').length === 2, 'the next arrives')
  assert.equal(new Set(fixture.eventsAt('slow.example').map(({ id }) => id)).size, 2)
})
