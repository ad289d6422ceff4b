import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { sql } from '../../src/store/database.ts'
import { updateHealth } from '../../src/webhooks/endpoint-health.ts'
import {
  type ClaimedDelivery,
  type ClaimOptions,
  claim,
  type DeliveryResult,
  fanOutStep,
  recordResults,
  release,
} from '../../src/webhooks/queue.ts'
import { nation } from '../ingest/facts.ts'
import { until } from '../support/until.ts'
import { type DeliveryFixture, openDeliveryFixture, respond } from './delivery-fixture.ts'

let fixture: DeliveryFixture
beforeEach(async () => {
  fixture = await openDeliveryFixture()
})
afterEach(() => fixture.close())

const leaseMs = 30_000
const take = (options: Partial<ClaimOptions> = {}) =>
  claim(fixture.pools.outbound, {
    nowMs: fixture.now(),
    leaseMs,
    inFlightPerEndpoint: 8,
    inFlightPerSlowEndpoint: 2,
    room: 1000,
    slowRoom: 1000,
    reserved: 0,
    ...options,
  })

const outcome = (
  held: ClaimedDelivery,
  state: DeliveryResult['state'],
  more: Partial<DeliveryResult> = {},
): DeliveryResult => ({
  id: held.id,
  endpoint_id: held.endpoint_id,
  attempt: held.attempt,
  state,
  due_at: state === 'pending' ? new Date(fixture.now() + 5_000).toISOString() : null,
  failures: state === 'delivered' ? 0 : 1,
  attempted_at: new Date(fixture.now()).toISOString(),
  latency_ms: 3,
  status: state === 'delivered' ? 200 : 500,
  error: null,
  response: null,
  signature: null,
  user_agent: null,
  ...more,
})

const nations = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => nation(`n${from + index}`))

/** Queues every event of the log. */
async function fanOut(): Promise<number> {
  let queued = 0
  for (;;) {
    const step = await fanOutStep(fixture.pools.outbound, fixture.now())
    queued += step.queued
    if (!step.isBehind) return queued
  }
}

test('claims come in the order of the log, up to the free slots of each endpoint', async () => {
  const one = await fixture.addEndpoint('one.example')
  const other = await fixture.addEndpoint('other.example')
  await fixture.ingest(nations(0, 20))
  assert.equal(await fanOut(), 40)
  const first = await take({ inFlightPerEndpoint: 3 })
  const seqsOf = (claimed: ClaimedDelivery[], id: string) =>
    claimed.filter(({ endpoint_id }) => endpoint_id === id).map(({ seq }) => seq)
  assert.deepEqual(seqsOf(first, one.id), [1, 2, 3])
  assert.deepEqual(seqsOf(first, other.id), [1, 2, 3])
  assert.deepEqual(await take({ inFlightPerEndpoint: 3 }), [])
  const [held] = first
  assert.ok(held)
  await recordResults(fixture.pools.outbound, [outcome(held, 'delivered')], fixture.now())
  assert.deepEqual(
    (await take({ inFlightPerEndpoint: 3 })).map(({ endpoint_id, seq }) => [endpoint_id, seq]),
    [[held.endpoint_id, 4]],
  )
})

test('concurrent workers never claim a delivery twice, nor exceed the limit of an endpoint', async () => {
  for (const host of ['a', 'b', 'c']) await fixture.addEndpoint(`${host}.example`)
  await fixture.ingest(nations(0, 100))
  await fanOut()
  const claims = await Promise.all(Array.from({ length: 8 }, () => take({ inFlightPerEndpoint: 5 })))
  const held = claims.flat()
  assert.equal(new Set(held.map(({ id }) => id)).size, held.length)
  assert.equal(held.length, 15)
})

test('the backlog of one endpoint does not delay another', async () => {
  await fixture.addEndpoint('full.example')
  await fixture.ingest(nations(0, 300))
  await fanOut()
  await take({ inFlightPerEndpoint: 8 })
  const late = await fixture.addEndpoint('late.example')
  await fixture.ingest(nations(1000, 5))
  await fanOut()
  const claimed = await take({ inFlightPerEndpoint: 8, room: 8 })
  assert.deepEqual(
    claimed.map(({ endpoint_id }) => endpoint_id),
    Array.from({ length: 5 }, () => late.id),
  )
})

test('a failing endpoint has one slot until an attempt succeeds', async () => {
  await fixture.addEndpoint('failing.example')
  fixture.respondWith('failing.example', () => respond(500))
  await fixture.pools.outbound.rows(sql`update chancery_outbound.endpoint set failing_since = now()`)
  await fixture.ingest(nations(0, 10))
  await fanOut()
  assert.equal((await take()).length, 1)
  assert.equal((await take()).length, 0)
  await fixture.pools.outbound.rows(sql`update chancery_outbound.endpoint set failing_since = null`)
  assert.equal((await take()).length, 7)
})

test('an expired lease is taken over, and its former worker overwrites nothing', async () => {
  const { id } = await fixture.addEndpoint('slow.example')
  await fixture.ingest(nations(0, 1))
  await fanOut()
  const [lost] = await take()
  assert.ok(lost)
  fixture.advance(leaseMs - 1)
  assert.deepEqual(await take(), [])
  fixture.advance(2)
  const [successor] = await take()
  assert.equal(successor?.id, lost.id)
  assert.equal(successor.attempt, lost.attempt + 1)
  await recordResults(fixture.pools.outbound, [outcome(lost, 'failed')], fixture.now())
  await release(fixture.pools.outbound, [lost], fixture.now())
  assert.equal((await fixture.settings.deliveries(id, { limit: 1 }))[0]?.state, 'sending')
  await recordResults(fixture.pools.outbound, [outcome(successor, 'delivered')], fixture.now())
  await recordResults(fixture.pools.outbound, [outcome(lost, 'pending')], fixture.now())
  const [delivery] = await fixture.settings.deliveries(id, { limit: 1 })
  assert.equal(delivery?.state, 'delivered')
  // Both attempts are in the log.
  assert.deepEqual(
    delivery.attempts.map(({ number, status }) => [number, status]),
    [
      [2, 200],
      [1, 500],
    ],
  )
})

test('a released delivery is due at once, and does not count as a failure', async () => {
  await fixture.addEndpoint('closing.example')
  await fixture.ingest(nations(0, 1))
  await fanOut()
  const [held] = await take()
  assert.ok(held)
  await release(fixture.pools.outbound, [held], fixture.now())
  const [again] = await take()
  assert.deepEqual([again?.id, again?.failures], [held.id, 0])
})

test('concurrent fan-out steps queue every event exactly once', async () => {
  const { id } = await fixture.addEndpoint('once.example')
  for (let batch = 0; batch < 5; batch += 1) await fixture.ingest(nations(batch * 700, 700))
  const steps = await Promise.all(
    Array.from({ length: 5 }, async () => {
      let queued = 0
      for (let step = 0; step < 10; step += 1)
        queued += (await fanOutStep(fixture.pools.outbound, fixture.now())).queued
      return queued
    }),
  )
  const left = await fanOut()
  assert.equal(
    steps.reduce((sum, queued) => sum + queued, left),
    3500,
  )
  const found = await fixture.pools.outbound.first<{ count: number }>(
    sql`select count(distinct seq) as count from chancery_outbound.delivery where endpoint_id = ${id}`,
  )
  assert.equal(found?.count, 3500)
})

test('an endpoint activated during a fan-out step misses no later event', async () => {
  const { id } = await fixture.addEndpoint('racing.example')
  for (let round = 0; round < 10; round += 1) {
    await fixture.settings.disable(id)
    await fixture.ingest(nations(round * 100, 30))
    const racing = [fanOut(), fixture.settings.enable(id), fanOut()]
    await Promise.all(racing)
    const { last_seq } = await fixture.ingest(nations(round * 100 + 50, 10))
    await fanOut()
    const found = await fixture.pools.outbound.first<{ count: number }>(sql`
      select count(*) as count from chancery_outbound.delivery
      where endpoint_id = ${id} and state = 'pending' and seq > ${Number(last_seq) - 10}`)
    assert.equal(found?.count, 10)
  }
})

test('a hanging receiver does not delay others', async () => {
  await fixture.addEndpoint('hanging.example')
  await fixture.addEndpoint('quick.example')
  const hanging: (() => void)[] = []
  fixture.respondWith(
    'hanging.example',
    (_message, signal) =>
      new Promise(resolve => {
        const end = () => resolve(respond(200))
        hanging.push(end)
        signal?.addEventListener('abort', end)
      }),
  )
  fixture.deliver()
  await fixture.ingest(nations(0, 500))
  await until(() => fixture.eventsAt('quick.example').length === 500, 'the quick receiver has every event')
  assert.equal(fixture.eventsAt('hanging.example').length, 8)
  for (const end of hanging) end()
})

test('endpoints with the fewest in flight come first', async () => {
  const busy = await fixture.addEndpoint('busy.example')
  await fixture.ingest(nations(0, 20))
  await fanOut()
  fixture.advance(10)
  const late = await fixture.addEndpoint('late.example')
  await fixture.ingest(nations(100, 5))
  await fanOut()
  const endpoints = (claimed: ClaimedDelivery[]) => claimed.map(({ endpoint_id }) => endpoint_id).sort()
  const both = [busy.id, late.id].sort()
  assert.deepEqual(endpoints(await take({ room: 2 })), both)
  assert.deepEqual(endpoints(await take({ room: 2 })), both)
  assert.deepEqual(await take({ room: 3, reserved: 3 }), [], 'reserved for endpoints with nothing in flight')
  const last = await fixture.addEndpoint('last.example')
  await fixture.ingest(nations(200, 5))
  await fanOut()
  assert.deepEqual(endpoints(await take({ room: 3, reserved: 3 })), [last.id])
})

test('an endpoint that takes longer than a second has fewer slots, within the share of slow ones', async () => {
  const hosts = ['one', 'two', 'three']
  for (const host of hosts) {
    fixture.respondWith(`${host}.example`, () => respond(200, { latencyMs: 1_000 }))
    await fixture.addEndpoint(`${host}.example`)
  }
  const fast = await fixture.addEndpoint('fast.example')
  await fixture.ingest(nations(0, 20))
  await fanOut()
  const claimed = await take({ slowRoom: 4 })
  assert.equal(claimed.filter(({ endpoint_id }) => endpoint_id === fast.id).length, 8)
  assert.equal(claimed.filter(({ is_slow }) => is_slow).length, 4)
  const counts = new Map<string, number>()
  for (const { endpoint_id } of await take()) counts.set(endpoint_id, (counts.get(endpoint_id) ?? 0) + 1)
  assert.equal(
    [...counts.values()].reduce((sum, count) => sum + count, 0),
    2,
    'two of eight for each of three',
  )

  // No result is recorded yet, but the claimed deliveries have not ended within a second.
  fixture.advance(1_000)
  assert.deepEqual(await take(), [], 'the fast endpoint has become slow')
  await recordResults(
    fixture.pools.outbound,
    claimed.map(held => outcome(held, 'delivered')),
    fixture.now(),
  )
  assert.equal((await take()).filter(({ endpoint_id }) => endpoint_id === fast.id).length, 8)
})

test('an endpoint is slow until it has responded within a second for a minute', async () => {
  const { id } = await fixture.addEndpoint('once.example')
  const deliverOne = async (latency_ms: number) => {
    const [held] = await take({ room: 1 })
    assert.ok(held)
    const result = outcome(held, 'delivered', { latency_ms })
    await recordResults(fixture.pools.outbound, [result], fixture.now())
    await updateHealth(fixture.pools.outbound, [result], fixture.now())
  }
  const claimedAtOnce = async () => {
    const held = await take()
    await release(fixture.pools.outbound, held, fixture.now())
    return held.filter(({ endpoint_id }) => endpoint_id === id).length
  }
  await fixture.ingest(nations(0, 20))
  await fanOut()
  await deliverOne(999)
  assert.equal(await claimedAtOnce(), 8)
  await deliverOne(1_000)
  assert.equal(await claimedAtOnce(), 2)
  await deliverOne(5)
  fixture.advance(60_000 - 1)
  assert.equal(await claimedAtOnce(), 2)
  fixture.advance(1)
  assert.equal(await claimedAtOnce(), 8)
})

test('among slow endpoints the fastest come first', async () => {
  for (const [index, latencyMs] of [14_000, 1_200, 5_000].entries()) {
    fixture.respondWith(`took${index}.example`, () => respond(200, { latencyMs }))
    await fixture.addEndpoint(`took${index}.example`)
  }
  await fixture.ingest(nations(0, 5))
  await fanOut()
  const claimed = [...(await take({ slowRoom: 1 })), ...(await take({ slowRoom: 1 }))]
  assert.deepEqual(
    claimed.map(({ url }) => new URL(url).hostname),
    ['took1.example', 'took2.example'],
  )
})

for (const [promise, count, testMs] of [
  ['that were slow from the start', 40, 14_000],
  ['that become slow', 12, 5],
] as const) {
  test(`a fast receiver gets every event at once beside receivers ${promise}`, async () => {
    const hanging: (() => void)[] = []
    for (let index = 0; index < count; index += 1) {
      const host = `slow${index}.example`
      fixture.respondWith(host, ({ id }, signal) => {
        if (id.startsWith('evt_test_')) return respond(200, { latencyMs: testMs })
        return new Promise(resolve => {
          const end = () => resolve(respond(200, { latencyMs: 14_000 }))
          hanging.push(end)
          signal?.addEventListener('abort', end)
        })
      })
      await fixture.addEndpoint(host, {}, `p${index}`)
    }
    await fixture.addEndpoint('fast.example', {}, 'fast')
    fixture.deliver({ inFlightMax: 20 })
    for (let round = 1; round <= 4; round += 1) {
      await fixture.ingest(nations(round * 100, 10))
      // The clock is stopped: no slow receiver responds before the fast one has every event.
      await until(
        () => fixture.eventsAt('fast.example').length === round * 10,
        `the fast receiver has every event of round ${round}`,
      )
      fixture.advance(14_000)
      for (const end of hanging.splice(0)) end()
    }
    await until(
      () => fixture.received.some(({ url, id }) => url.includes('//slow') && !id.startsWith('evt_test_')),
      'a slow receiver gets an event',
    )
  })
}
