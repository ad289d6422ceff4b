import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { until } from '../support/until.ts'
import { respondAfter, respondStatus } from '../support/webhook-receiver.ts'
import {
  addActiveEndpoint,
  assertRejected,
  deliveriesOf,
  eventDeliveriesOf,
  requestOk,
  startWebhookServer,
} from './owner.ts'

const { chancery, receiver } = await startWebhookServer()

let nations = 0
const ingestEvents = async (count: number): Promise<string[]> => {
  const facts = Array.from({ length: count }, () => nation(`n${nations++}`))
  const { last_seq } = await chancery.ingest(facts, { waits: false })
  return facts.map((_, index) => `evt_${Number(last_seq) - count + 1 + index}`)
}

/** The delivery log, when this many events have been attempted. */
async function attemptedLog(id: string, count: number) {
  const attempted = async () =>
    (await eventDeliveriesOf(chancery, id)).filter(({ attempts }) => attempts.length > 0)
  await until(async () => (await attempted()).length >= count, 'all are attempted')
  return attempted()
}

/** Times as text do not compare: their fractions differ in length. */
const timeOf = (time: string | null | undefined): number => Date.parse(time ?? '')

test('the delivery log shows each attempt, its response and the next one', async () => {
  const { id } = await addActiveEndpoint(chancery, receiver.url('/logged'), { types: ['nation.founded'] })
  receiver.respondWith('/logged', respondAfter(30, respondStatus(202, 'thanks')))
  const [first = ''] = await ingestEvents(1)
  await until(async () => (await eventDeliveriesOf(chancery, id))[0]?.state === 'delivered', 'it is recorded')
  const sentBefore = new Date().toISOString()
  receiver.respondWith('/logged', respondStatus(500, 'unavailable'))
  const [second = ''] = await ingestEvents(1)
  const [failed, arrived] = await attemptedLog(id, 2)
  assert.deepEqual(
    [arrived?.event_id, arrived?.type, arrived?.state, arrived?.next_at],
    [first, 'nation.founded', 'delivered', null],
  )
  const [attempt, ...others] = arrived?.attempts ?? []
  assert.deepEqual(others, [])
  assert.deepEqual(
    [attempt?.number, attempt?.status, attempt?.error, attempt?.answer, attempt?.next_at],
    [1, 202, null, 'thanks', null],
  )
  assert.ok(
    Number(attempt?.latency_ms) >= 29 && Number(attempt?.latency_ms) < 5_000,
    `${attempt?.latency_ms}`,
  )
  assert.ok(timeOf(arrived?.settled_at) >= timeOf(attempt?.attempted_at))
  assert.ok(timeOf(attempt?.attempted_at) >= timeOf(arrived?.created_at))

  assert.deepEqual([failed?.event_id, failed?.state, failed?.settled_at], [second, 'pending', null])
  const [miss] = failed?.attempts ?? []
  assert.deepEqual([miss?.number, miss?.status, miss?.answer], [1, 500, 'unavailable'])
  assert.ok(timeOf(miss?.attempted_at) >= Date.parse(sentBefore))
  assert.equal(failed?.next_at, miss?.next_at)
  const waitMs = Date.parse(String(miss?.next_at)) - Date.parse(String(miss?.attempted_at))
  assert.ok(waitMs >= 5_000 && waitMs < 7_000, `the first retry comes after ${waitMs} ms`)
})

test('the delivery log keeps the first kilobyte of any response as text', async () => {
  const { id } = await addActiveEndpoint(chancery, receiver.url('/hostile'))
  const beginning = Buffer.concat([Buffer.from('a\0b'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('ß')])
  const huge = Buffer.concat([beginning, Buffer.alloc(10 * 1_048_576, 'x')])
  receiver.respondWith('/hostile', respondStatus(200, huge))
  await ingestEvents(1)
  const [arrived] = await attemptedLog(id, 1)
  assert.equal(arrived?.state, 'delivered')
  // An invalid byte, an incomplete character, and NUL.
  const kept = 'x'.repeat(1024 - beginning.length)
  assert.equal(arrived?.attempts[0]?.answer, `a\uFFFDb\uFFFD\uFFFD(ß${kept}`)

  receiver.respondWith('/hostile', respondStatus(500, Buffer.alloc(2_000, 0)))
  await ingestEvents(1)
  const [zeros] = await attemptedLog(id, 2)
  assert.equal(zeros?.attempts[0]?.answer, '\uFFFD'.repeat(1024))
  // The limit cuts a character.
  receiver.respondWith('/hostile', respondStatus(500, `${'x'.repeat(1023)}ß`))
  await ingestEvents(1)
  const [cut] = await attemptedLog(id, 3)
  assert.equal(cut?.attempts[0]?.answer, 'x'.repeat(1023))
})

test('a redirect is not followed and does not acknowledge the message', async () => {
  const { id } = await addActiveEndpoint(chancery, receiver.url('/moved'))
  receiver.respondWith('/moved', respondStatus(307, '', { location: receiver.url('/elsewhere') }))
  await ingestEvents(1)
  const [moved] = await attemptedLog(id, 1)
  assert.deepEqual([moved?.state, moved?.attempts[0]?.status], ['pending', 307])
  assert.deepEqual(receiver.eventsAt('/elsewhere'), [])
})

test('the delivery log is limited and filtered by state', async () => {
  const { id } = await addActiveEndpoint(chancery, receiver.url('/listed'))
  const ids = await ingestEvents(40)
  const delivered = async () => (await eventDeliveriesOf(chancery, id, 'limit=100&state=delivered')).length
  await until(async () => (await delivered()) === 40, 'all arrive')
  const listed = async (query: string) =>
    (await deliveriesOf(chancery, id, query)).map(({ event_id, type }) => event_id ?? type)
  assert.deepEqual(await listed('limit=3'), ids.slice(-3).reverse())
  assert.deepEqual(await listed('state=delivered&limit=100'), [...ids.toReversed(), 'webhook.test'])
  assert.equal((await listed('')).length, 25)
  assert.deepEqual(await listed('state=failed'), [])
  assert.deepEqual(await listed('state=pending'), [])
})

test('one delivery, all failed ones or a time range can be replayed with the same bodies', async () => {
  const { id } = await addActiveEndpoint(chancery, receiver.url('/replayed'), { types: ['nation.founded'] })
  const since = new Date().toISOString()
  const ids = await ingestEvents(3)
  const arrived = () => receiver.eventsAt('/replayed')
  await until(() => arrived().length === 3, 'all arrive')
  await until(
    async () => (await eventDeliveriesOf(chancery, id, 'state=delivered')).length === 3,
    'and are recorded',
  )
  const replay = (wanted: object) =>
    requestOk<{ queued: number }>(chancery, 'POST', `/webhooks/${id}/replay`, wanted)
  const delivery = (await eventDeliveriesOf(chancery, id)).find(({ event_id }) => event_id === ids[1])

  assert.deepEqual(await replay({ delivery: delivery?.id }), { queued: 1 })
  const { id: otherId } = await addActiveEndpoint(chancery, receiver.url('/other'))
  const ofOther: [string, string, object] = [
    'POST',
    `/webhooks/${otherId}/replay`,
    { delivery: delivery?.id },
  ]
  await assertRejected(chancery, ofOther, 404, /delivery/)
  await until(() => arrived().length === 4, 'the event arrives')
  assert.equal(arrived().at(-1)?.id, ids[1])
  assert.deepEqual(await replay({ failed: true }), { queued: 0 })

  await until(
    async () => (await eventDeliveriesOf(chancery, id, 'state=delivered')).length === 3,
    'it is recorded',
  )
  // When the endpoint is disabled, pending deliveries fail.
  receiver.respondWith('/replayed', respondStatus(500))
  const missed = await ingestEvents(2)
  await attemptedLog(id, 5)
  await requestOk(chancery, 'POST', `/webhooks/${id}/disable`)
  receiver.respondWith('/replayed', respondStatus(204))
  await requestOk(chancery, 'POST', `/webhooks/${id}/enable`)
  assert.deepEqual(
    (await eventDeliveriesOf(chancery, id, 'state=failed')).map(({ event_id }) => event_id).sort(),
    missed.toSorted(),
  )
  const before = arrived().length
  assert.deepEqual(await replay({ failed: true }), { queued: 2 })
  await until(() => arrived().length === before + 2, 'the failed events arrive')
  assert.deepEqual(
    arrived()
      .slice(-2)
      .map(message => message.id)
      .sort(),
    missed.toSorted(),
  )

  await until(
    async () => (await eventDeliveriesOf(chancery, id, 'state=delivered')).length === 5,
    'it is recorded',
  )
  const later = new Date(Date.now() + 1_000).toISOString()
  assert.deepEqual(await replay({ since, until: later }), { queued: 5 })
  await until(() => arrived().length === before + 7, 'the events of the time range arrive')
  const bodies = new Set(arrived().map(message => `${message.id} ${message.body}`))
  assert.equal(bodies.size, 5)
  await until(
    async () => (await eventDeliveriesOf(chancery, id, 'state=delivered')).length === 5,
    'it is recorded',
  )
  assert.deepEqual(
    (await eventDeliveriesOf(chancery, id)).map(({ attempts }) => attempts.map(({ number }) => number)),
    [
      [3, 2, 1],
      [3, 2, 1],
      [2, 1],
      [3, 2, 1],
      [2, 1],
    ],
  )
})
