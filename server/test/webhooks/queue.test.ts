import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { sql } from '../../src/store/database.ts'
import { fanOutStep } from '../../src/webhooks/fan-out.ts'
import { type ClaimedEvent, claim, release, type Settlement, settle } from '../../src/webhooks/queue.ts'
import { nation } from '../ingest/facts.ts'
import { until } from '../support/until.ts'
import { answer, type Mailroom, openMailroom } from './mailroom.ts'

let room: Mailroom
beforeEach(async () => {
  room = await openMailroom()
})
afterEach(() => room.close())

const leaseMs = 30_000
const take = (options: { inFlight?: number; room?: number } = {}) =>
  claim(room.pools.outbound, { nowMs: room.now(), leaseMs, inFlight: 8, room: 1000, ...options })

const outcome = (
  held: ClaimedEvent,
  state: Settlement['state'],
  more: Partial<Settlement> = {},
): Settlement => ({
  id: held.id,
  endpoint_id: held.endpoint_id,
  attempt: held.attempt,
  state,
  due_at: state === 'pending' ? new Date(room.now() + 5_000).toISOString() : null,
  failures: state === 'delivered' ? 0 : 1,
  attempted_at: new Date(room.now()).toISOString(),
  latency_ms: 3,
  status: state === 'delivered' ? 200 : 500,
  error: null,
  answer: null,
  ...more,
})

const nations = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => nation(`n${from + index}`))

/** Queues everything that is in the log. */
async function fanOut(): Promise<number> {
  let queued = 0
  for (;;) {
    const step = await fanOutStep(room.pools.outbound, room.now())
    queued += step.queued
    if (!step.isBehind) return queued
  }
}

test('claims come in the order of the log, up to the free slots of each endpoint', async () => {
  const one = await room.addEndpoint('one.example')
  const other = await room.addEndpoint('other.example')
  await room.tell(nations(0, 20))
  assert.equal(await fanOut(), 40)
  const first = await take({ inFlight: 3 })
  const seqsOf = (claimed: ClaimedEvent[], id: string) =>
    claimed.filter(({ endpoint_id }) => endpoint_id === id).map(({ seq }) => seq)
  assert.deepEqual(seqsOf(first, one.id), [1, 2, 3])
  assert.deepEqual(seqsOf(first, other.id), [1, 2, 3])
  assert.deepEqual(await take({ inFlight: 3 }), [])
  const [held] = first
  assert.ok(held)
  await settle(room.pools.outbound, [outcome(held, 'delivered')], room.now())
  assert.deepEqual(
    (await take({ inFlight: 3 })).map(({ endpoint_id, seq }) => [endpoint_id, seq]),
    [[held.endpoint_id, 4]],
  )
})

test('workers that claim at the same time never hold one delivery twice, nor more than the limit of an endpoint', async () => {
  for (const host of ['a', 'b', 'c']) await room.addEndpoint(`${host}.example`)
  await room.tell(nations(0, 100))
  await fanOut()
  const claims = await Promise.all(Array.from({ length: 8 }, () => take({ inFlight: 5 })))
  const held = claims.flat()
  assert.equal(new Set(held.map(({ id }) => id)).size, held.length)
  assert.equal(held.length, 15)
})

test('the backlog of one endpoint stands before nothing of another', async () => {
  await room.addEndpoint('full.example')
  await room.tell(nations(0, 300))
  await fanOut()
  await take({ inFlight: 8 })
  const late = await room.addEndpoint('late.example')
  await room.tell(nations(1000, 5))
  await fanOut()
  const claimed = await take({ inFlight: 8, room: 8 })
  assert.deepEqual(
    claimed.map(({ endpoint_id }) => endpoint_id),
    Array.from({ length: 5 }, () => late.id),
  )
})

test('an endpoint that fails has one slot until it answers again', async () => {
  await room.addEndpoint('failing.example')
  room.receive('failing.example', () => answer(500))
  await room.pools.outbound.rows(sql`update chancery_outbound.endpoint set failing_since = now()`)
  await room.tell(nations(0, 10))
  await fanOut()
  assert.equal((await take()).length, 1)
  assert.equal((await take()).length, 0)
  await room.pools.outbound.rows(sql`update chancery_outbound.endpoint set failing_since = null`)
  assert.equal((await take()).length, 7)
})

test('a lease that ran out is taken over, and the one who lost it writes over nothing', async () => {
  const { id } = await room.addEndpoint('slow.example')
  await room.tell(nations(0, 1))
  await fanOut()
  const [lost] = await take()
  assert.ok(lost)
  room.advance(leaseMs - 1)
  assert.deepEqual(await take(), [])
  room.advance(2)
  const [successor] = await take()
  assert.equal(successor?.id, lost.id)
  assert.equal(successor.attempt, lost.attempt + 1)
  await settle(room.pools.outbound, [outcome(lost, 'failed')], room.now())
  await release(room.pools.outbound, [lost], room.now())
  assert.equal((await room.settings.log(id, { limit: 1 }))[0]?.state, 'sending')
  await settle(room.pools.outbound, [outcome(successor, 'delivered')], room.now())
  await settle(room.pools.outbound, [outcome(lost, 'pending')], room.now())
  const [delivery] = await room.settings.log(id, { limit: 1 })
  assert.equal(delivery?.state, 'delivered')
  // Both tried, and the book says so.
  assert.deepEqual(
    delivery.attempts.map(({ number, status }) => [number, status]),
    [
      [2, 200],
      [1, 500],
    ],
  )
})

test('what is given back is due at once, and counts as no failure', async () => {
  await room.addEndpoint('closing.example')
  await room.tell(nations(0, 1))
  await fanOut()
  const [held] = await take()
  assert.ok(held)
  await release(room.pools.outbound, [held], room.now())
  const [again] = await take()
  assert.deepEqual([again?.id, again?.failures], [held.id, 0])
})

test('steps of the fan-out at the same time queue every event once, and all of them', async () => {
  const { id } = await room.addEndpoint('once.example')
  for (let batch = 0; batch < 5; batch += 1) await room.tell(nations(batch * 700, 700))
  const steps = await Promise.all(
    Array.from({ length: 5 }, async () => {
      let queued = 0
      for (let step = 0; step < 10; step += 1)
        queued += (await fanOutStep(room.pools.outbound, room.now())).queued
      return queued
    }),
  )
  const left = await fanOut()
  assert.equal(
    steps.reduce((sum, queued) => sum + queued, left),
    3500,
  )
  const found = await room.pools.outbound.first<{ count: number }>(
    sql`select count(distinct seq) as count from chancery_outbound.delivery where endpoint_id = ${id}`,
  )
  assert.equal(found?.count, 3500)
})

test('an endpoint that becomes active beside the fan-out misses nothing that is logged after', async () => {
  const { id } = await room.addEndpoint('racing.example')
  for (let round = 0; round < 10; round += 1) {
    await room.settings.disable(id)
    await room.tell(nations(round * 100, 30))
    const racing = [fanOut(), room.settings.enable(id), fanOut()]
    await Promise.all(racing)
    const { last_seq } = await room.tell(nations(round * 100 + 50, 10))
    await fanOut()
    const found = await room.pools.outbound.first<{ count: number }>(sql`
      select count(*) as count from chancery_outbound.delivery
      where endpoint_id = ${id} and state = 'pending' and seq > ${Number(last_seq) - 10}`)
    assert.equal(found?.count, 10)
  }
})

test('a receiver that hangs costs others nothing', async () => {
  await room.addEndpoint('hanging.example')
  await room.addEndpoint('quick.example')
  const hanging: (() => void)[] = []
  room.receive(
    'hanging.example',
    (_message, signal) =>
      new Promise(resolve => {
        const end = () => resolve(answer(200))
        hanging.push(end)
        signal?.addEventListener('abort', end)
      }),
  )
  room.deliver()
  await room.tell(nations(0, 500))
  await until(() => room.newsAt('quick.example').length === 500, 'the quick one has all')
  assert.equal(room.newsAt('hanging.example').length, 8)
  for (const end of hanging) end()
})
