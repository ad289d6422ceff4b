import assert from 'node:assert/strict'
import { after as afterAll, before, test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { after, startWebhookReceiver, type WebhookReceiver, withStatus } from '../support/webhook-receiver.ts'
import { addHearing, deliveriesOf, done, newsOf } from './owner.ts'

let chancery: TestServer
let receiver: WebhookReceiver
before(async () => {
  chancery = await startTestServer({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })
  receiver = await startWebhookReceiver()
})
afterAll(async () => {
  await chancery.close()
  await receiver.close()
})

let told = 0
const tellSome = async (count: number): Promise<string[]> => {
  const facts = Array.from({ length: count }, () => nation(`n${told++}`))
  const { last_seq } = await chancery.ingest(facts, { waits: false })
  return facts.map((_, index) => `evt_${Number(last_seq) - count + 1 + index}`)
}

/** The log, when every event in it has been tried. */
async function triedLog(id: string, count: number) {
  const tried = async () => (await newsOf(chancery, id)).filter(({ attempts }) => attempts.length > 0)
  await until(async () => (await tried()).length >= count, 'all were tried')
  return tried()
}

/** Times are not compared as texts: a fraction has as many digits as it needs. */
const timeOf = (time: string | null | undefined): number => Date.parse(time ?? '')

test('the delivery log shows each attempt, its response and the next one', async () => {
  const { id } = await addHearing(chancery, receiver.url('/told'), { types: ['nation.founded'] })
  receiver.answer('/told', after(30, withStatus(202, 'thanks')))
  const [first = ''] = await tellSome(1)
  await until(async () => (await newsOf(chancery, id))[0]?.state === 'delivered', 'it is booked')
  const sentBefore = new Date().toISOString()
  receiver.answer('/told', withStatus(500, 'out of order'))
  const [second = ''] = await tellSome(1)
  const [failed, arrived] = await triedLog(id, 2)
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
  assert.deepEqual([miss?.number, miss?.status, miss?.answer], [1, 500, 'out of order'])
  assert.ok(timeOf(miss?.attempted_at) >= Date.parse(sentBefore))
  assert.equal(failed?.next_at, miss?.next_at)
  const waitMs = Date.parse(String(miss?.next_at)) - Date.parse(String(miss?.attempted_at))
  assert.ok(waitMs >= 5_000 && waitMs < 7_000, `the first retry comes after ${waitMs} ms`)
})

test('the delivery log keeps the first kilobyte of any response as text', async () => {
  const { id } = await addHearing(chancery, receiver.url('/hostile'))
  const beginning = Buffer.concat([Buffer.from('a\0b'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('ß')])
  const huge = Buffer.concat([beginning, Buffer.alloc(10 * 1_048_576, 'x')])
  receiver.answer('/hostile', withStatus(200, huge))
  await tellSome(1)
  const [arrived] = await triedLog(id, 1)
  assert.equal(arrived?.state, 'delivered')
  // A byte that is no UTF-8, a character that is begun and not ended, and NUL.
  const kept = 'x'.repeat(1024 - beginning.length)
  assert.equal(arrived?.attempts[0]?.answer, `a\uFFFDb\uFFFD\uFFFD(ß${kept}`)

  receiver.answer('/hostile', withStatus(500, Buffer.alloc(2_000, 0)))
  await tellSome(1)
  const [zeros] = await triedLog(id, 2)
  assert.equal(zeros?.attempts[0]?.answer, '\uFFFD'.repeat(1024))
  // The cut goes through a character.
  receiver.answer('/hostile', withStatus(500, `${'x'.repeat(1023)}ß`))
  await tellSome(1)
  const [cut] = await triedLog(id, 3)
  assert.equal(cut?.attempts[0]?.answer, 'x'.repeat(1023))
})

test('a redirect is not followed and does not acknowledge the message', async () => {
  const { id } = await addHearing(chancery, receiver.url('/moved'))
  receiver.answer('/moved', withStatus(307, '', { location: receiver.url('/elsewhere') }))
  await tellSome(1)
  const [moved] = await triedLog(id, 1)
  assert.deepEqual([moved?.state, moved?.attempts[0]?.status], ['pending', 307])
  assert.deepEqual(receiver.newsAt('/elsewhere'), [])
})

test('the delivery log is limited and filtered by state', async () => {
  const { id } = await addHearing(chancery, receiver.url('/listed'))
  const ids = await tellSome(40)
  const settled = async () => (await newsOf(chancery, id, 'limit=100&state=delivered')).length
  await until(async () => (await settled()) === 40, 'all arrive')
  const listed = async (query: string) =>
    (await deliveriesOf(chancery, id, query)).map(({ event_id, type }) => event_id ?? type)
  assert.deepEqual(await listed('limit=3'), ids.slice(-3).reverse())
  assert.deepEqual(await listed('state=delivered&limit=100'), [...ids.toReversed(), 'webhook.test'])
  assert.equal((await listed('')).length, 25)
  assert.deepEqual(await listed('state=failed'), [])
  assert.deepEqual(await listed('state=pending'), [])
})

test('one delivery, all failed ones or a time range can be replayed with the same bodies', async () => {
  const { id } = await addHearing(chancery, receiver.url('/replayed'), { types: ['nation.founded'] })
  const since = new Date().toISOString()
  const ids = await tellSome(3)
  const arrived = () => receiver.newsAt('/replayed')
  await until(() => arrived().length === 3, 'all arrive')
  await until(async () => (await newsOf(chancery, id, 'state=delivered')).length === 3, 'and are booked')
  const replay = (wanted: object) =>
    done<{ queued: number }>(chancery, 'POST', `/webhooks/${id}/replay`, wanted)
  const delivery = (await newsOf(chancery, id)).find(({ event_id }) => event_id === ids[1])

  assert.deepEqual(await replay({ delivery: delivery?.id }), { queued: 1 })
  await until(() => arrived().length === 4, 'the one arrives')
  assert.equal(arrived().at(-1)?.id, ids[1])
  assert.deepEqual(await replay({ failed: true }), { queued: 0 })

  await until(async () => (await newsOf(chancery, id, 'state=delivered')).length === 3, 'it is booked')
  // Switched off, what waits has failed.
  receiver.answer('/replayed', withStatus(500))
  const [missed = ''] = await tellSome(1)
  await triedLog(id, 4)
  await done(chancery, 'POST', `/webhooks/${id}/disable`)
  receiver.answer('/replayed', withStatus(204))
  await done(chancery, 'POST', `/webhooks/${id}/enable`)
  assert.deepEqual(
    (await newsOf(chancery, id, 'state=failed')).map(({ event_id }) => event_id),
    [missed],
  )
  const before = arrived().length
  assert.deepEqual(await replay({ failed: true }), { queued: 1 })
  await until(() => arrived().length === before + 1, 'what failed arrives')
  assert.equal(arrived().at(-1)?.id, missed)

  await until(async () => (await newsOf(chancery, id, 'state=delivered')).length === 4, 'it is booked')
  const later = new Date(Date.now() + 1_000).toISOString()
  assert.deepEqual(await replay({ since, until: later }), { queued: 4 })
  await until(() => arrived().length === before + 5, 'the span arrives')
  const bodies = new Set(arrived().map(message => `${message.id} ${message.body}`))
  assert.equal(bodies.size, 4)
  await until(async () => (await newsOf(chancery, id, 'state=delivered')).length === 4, 'it is booked')
  assert.deepEqual(
    (await newsOf(chancery, id)).map(({ attempts }) => attempts.map(({ number }) => number)),
    [
      [3, 2, 1],
      [2, 1],
      [3, 2, 1],
      [2, 1],
    ],
  )
})
