import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { until } from '../support/until.ts'
import { answer, type DeliveryFixture, openDeliveryFixture } from './delivery-fixture.ts'

let room: DeliveryFixture
beforeEach(async () => {
  room = await openDeliveryFixture()
})
afterEach(() => room.close())

const hour = 3_600_000

test('pending deliveries are not delayed after the clock is set back', async () => {
  await room.addEndpoint('failing.example')
  room.receive('failing.example', () => answer(500))
  room.deliver()
  await room.ingest([nation('n1'), nation('n2'), nation('n3')])
  await until(() => room.newsAt('failing.example').length > 0, 'an attempt is made')
  room.receive('failing.example', () => answer(204))
  room.advance(-hour)
  const arrived = () => new Set(room.newsAt('failing.example').map(({ id }) => id)).size
  await until(() => arrived() === 3, 'all of it arrives')
  await room.ingest([nation('n4')])
  await until(() => arrived() === 4, 'news arrive')
})

test('an attempt in flight is not repeated after the clock is set back', async () => {
  await room.addEndpoint('slow.example')
  const { promise: answered, resolve: answerIt } = Promise.withResolvers<void>()
  room.receive('slow.example', async () => {
    await answered
    return answer(204)
  })
  room.deliver()
  await room.ingest([nation('n1')])
  await until(() => room.newsAt('slow.example').length === 1, 'an attempt is under way')
  room.advance(-hour)
  await room.addEndpoint('other.example')
  await room.ingest([nation('n2')])
  await until(() => room.newsAt('other.example').length === 1, 'the queue was looked at since')
  answerIt()
  await until(() => room.newsAt('slow.example').length === 2, 'the next arrives')
  assert.equal(new Set(room.newsAt('slow.example').map(({ id }) => id)).size, 2)
})
