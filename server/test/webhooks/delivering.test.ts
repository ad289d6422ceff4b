import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { webhooks } from '@chancery/contract'
import { Webhook } from 'standardwebhooks'
import { sql } from '../../src/store/database.ts'
import { nation, war } from '../ingest/facts.ts'
import { until } from '../support/until.ts'
import { answer, type DeliveryFixture, noAnswer, openDeliveryFixture } from './delivery-fixture.ts'

let room: DeliveryFixture
beforeEach(async () => {
  room = await openDeliveryFixture()
})
afterEach(() => room.close())

const second = 1_000
const hour = 3_600_000
const day = 24 * hour
const waits = webhooks.retryDelaysSeconds.map(seconds => seconds * second)

/** Moves the clock on in steps, and lets workers do what is due at each. */
async function live(ms: number, stepMs: number): Promise<void> {
  for (let lived = 0; lived < ms; lived += stepMs) {
    room.advance(stepMs)
    await settled()
  }
}

/** All news is queued, nothing is due, and nothing under way. */
async function settled(): Promise<void> {
  await until(async () => {
    const row = await room.pools.outbound.first<{ due: number; unread: number }>(sql`
      select count(*) as due, (select p.seq - f.seq from chancery_world.pulse p, chancery_outbound.fan_out f) as unread
      from chancery_outbound.delivery d join chancery_outbound.endpoint e on e.id = d.endpoint_id
      where e.status = 'active'
        and (d.state = 'sending' or d.state = 'pending' and d.due_at <= ${new Date(room.now()).toISOString()})`)
    return row?.due === 0 && row.unread === 0
  }, 'nothing is due')
}

test('events that match an endpoint are delivered once, signed, with the body of the log', async () => {
  const all = await room.addEndpoint('all.example')
  await room.addEndpoint('wars.example', { types: ['war.*'] })
  await room.addEndpoint('n2.example', { types: ['nation.founded', 'war.declared'], nation_ids: ['n2'] })
  await room.addEndpoint('a1.example', { alliance_ids: ['a1'] })
  room.deliver()
  await room.ingest([nation('n1'), nation('n2'), nation('n3'), war('w1', 'n1', 'n3'), war('w2', 'n1', 'n2')])
  await until(() => room.newsAt('all.example').length === 5, 'all five events arrive')
  await settled()
  const typesAt = (host: string) =>
    room
      .newsAt(host)
      .map(({ body }) => (JSON.parse(body) as { type: string }).type)
      .sort()
  assert.deepEqual(typesAt('wars.example'), ['war.declared', 'war.declared'])
  assert.deepEqual(typesAt('n2.example'), ['nation.founded', 'war.declared'])
  assert.deepEqual(typesAt('a1.example'), [])
  for (const { id, timestamp, signature, body } of room.newsAt('all.example')) {
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': new Webhook(all.secret).sign(id, new Date(), body),
    }
    const verified = new Webhook(all.secret).verify(body, headers) as {
      type: string
      timestamp: string
      data: { id: string; type: string; occurred_at: string; seq: number }
    }
    assert.equal(new Webhook(all.secret).sign(id, new Date(timestamp * 1000), body), signature)
    assert.equal(verified.data.id, id)
    assert.equal(verified.type, verified.data.type)
    assert.equal(verified.timestamp, verified.data.occurred_at)
  }
})

test('a failed delivery is retried by the schedule with the same id and body, and then fails', async () => {
  const { id } = await room.addEndpoint('down.example')
  room.receive('down.example', () => answer(500))
  room.deliver()
  const from = room.now()
  await room.ingest([nation('n1')])
  await until(() => room.newsAt('down.example').length === 1, 'the first attempt is made')
  await settled()
  for (const [index, wait] of waits.entries()) {
    // The second before is too early. The waits sum up beyond five days of failing only at the very end.
    room.advance(wait - second)
    await settled()
    assert.equal(room.newsAt('down.example').length, index + 1, `too early after ${wait / second} s`)
    room.advance(second + 1)
    await until(() => room.newsAt('down.example').length === index + 2, `retry ${index + 1} is made`)
    await settled()
  }
  const attempts = room.newsAt('down.example')
  assert.equal(new Set(attempts.map(attempt => `${attempt.id} ${attempt.body}`)).size, 1)
  assert.equal(new Set(attempts.map(attempt => attempt.signature)).size, attempts.length)
  assert.ok(room.now() - from < 5 * day)
  const [delivery] = await room.settings.deliveries(id, { limit: 10 })
  assert.equal(delivery?.state, 'failed')
  assert.equal(delivery.attempts.length, 10)
  assert.deepEqual(
    delivery.attempts.map(({ number }) => number),
    [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
  )
  assert.equal(delivery.attempts[0]?.next_at, null)
  await live(30 * hour, hour)
  assert.equal(room.newsAt('down.example').length, 10)
})

test('410 Gone disables an endpoint at once', async () => {
  const { id } = await room.addEndpoint('gone.example')
  room.receive('gone.example', () => answer(410))
  room.deliver()
  await room.ingest([nation('n1'), nation('n2'), nation('n3')])
  await until(async () => (await room.settings.find(id)).status === 'disabled', 'it is off')
  assert.equal((await room.settings.find(id)).disabled_reason, 'gone')
  const tries = room.newsAt('gone.example').length
  await room.ingest([nation('n4')])
  await live(2 * hour, hour / 2)
  assert.equal(room.newsAt('gone.example').length, tries)
  const states = (await room.settings.deliveries(id, { limit: 10 })).filter(
    ({ event_id }) => event_id !== null,
  )
  assert.ok(states.length >= 3 && states.every(({ state }) => state === 'failed'))
})

test('five days of failures disable an endpoint, after warnings to its owner', async () => {
  const { id } = await room.addEndpoint('dead.example')
  room.receive('dead.example', () => noAnswer('connection_failed'))
  room.deliver()
  const warned: number[] = []
  for (let hours = 0; hours <= 126; hours += 6) {
    await room.ingest([nation(`n${hours}`)])
    await settled()
    const { warnings, status } = await room.settings.find(id)
    if (status === 'active') warned[hours] = warnings.length
    else {
      assert.ok(hours >= 120, `off after ${hours} hours`)
      break
    }
    await live(6 * hour, 2 * hour)
  }
  const { status, disabled_reason, warnings } = await room.settings.find(id)
  assert.deepEqual([status, disabled_reason], ['disabled', 'failing'])
  assert.deepEqual(
    warnings.map(({ percent }) => percent),
    [50, 70, 90],
  )
  assert.deepEqual([warned[54], warned[66], warned[90], warned[114]], [0, 1, 2, 3])
})

test('failures that are sporadic do not add up', async () => {
  const { id } = await room.addEndpoint('flaky.example')
  let calls = 0
  room.receive('flaky.example', () => answer(calls++ % 2 === 0 ? 503 : 200))
  room.deliver()
  for (let days = 0; days < 12; days += 1) {
    await room.ingest([nation(`n${days}`)])
    await live(day, 12 * hour)
  }
  const { status, warnings, failing_since } = await room.settings.find(id)
  assert.deepEqual([status, warnings, failing_since], ['active', [], null])
})

test('two failures days apart are not one failure period', async () => {
  const { id } = await room.addEndpoint('rare.example', { types: ['nation.founded'] })
  room.receive('rare.example', () => answer(500))
  room.deliver()
  await room.ingest([nation('n1')])
  // The retries go on for three days, then nothing is tried for eight.
  await live(4 * day, 2 * hour)
  await live(8 * day, 12 * hour)
  await room.ingest([nation('n2')])
  await settled()
  const { status, failing_since } = await room.settings.find(id)
  assert.equal(status, 'active')
  assert.ok(Date.parse(failing_since ?? '') > room.now() - hour)
})

test('an endpoint enabled again receives new events, and missed ones only by replay', async () => {
  const { id } = await room.addEndpoint('back.example')
  room.deliver()
  await room.ingest([nation('n1')])
  await until(() => room.newsAt('back.example').length === 1, 'it hears')
  await settled()
  await room.settings.disable(id)
  const missedFrom = new Date().toISOString()
  await room.ingest([nation('n2'), nation('n3')])
  await live(10 * second, second)
  const missedUntil = new Date(Date.now() + 1).toISOString()
  await assert.rejects(room.settings.replay(id, { failed: true }), /not active/)
  await room.settings.enable(id)
  await live(10 * second, second)
  assert.equal(room.newsAt('back.example').length, 1)
  await new Promise(resolve => setTimeout(resolve, 5))
  await room.ingest([nation('n4')])
  await until(() => room.newsAt('back.example').length === 2, 'it hears what is new')
  await settled()
  assert.equal(await room.settings.replay(id, { since: missedFrom, until: missedUntil }), 2)
  room.advance(1)
  await until(() => room.newsAt('back.example').length === 4, 'the replay arrives')
  const seqs = room
    .newsAt('back.example')
    .map(({ body }) => (JSON.parse(body) as { data: { seq: number } }).data.seq)
  assert.deepEqual(seqs, [1, 4, 2, 3])
})

test('one delivery or all failed ones can be replayed', async () => {
  const { id } = await room.addEndpoint('replay.example')
  room.receive('replay.example', () => answer(500))
  room.deliver()
  await room.ingest([nation('n1'), nation('n2')])
  await live(4 * day, 2 * hour)
  assert.ok((await room.settings.deliveries(id, { limit: 10, state: 'failed' })).length >= 2)
  room.receive('replay.example', () => answer(204))
  const before = room.newsAt('replay.example').length
  assert.equal(await room.settings.replay(id, { failed: true }), 2)
  room.advance(1)
  await until(() => room.newsAt('replay.example').length === before + 2, 'both arrive')
  await settled()
  const [first] = await room.settings.deliveries(id, { limit: 1, state: 'delivered' })
  assert.equal(await room.settings.replay(id, { delivery: first?.id ?? '' }), 1)
  room.advance(1)
  await until(() => room.newsAt('replay.example').length === before + 3, 'the one arrives')
  const other = await room.addEndpoint('other.example')
  await assert.rejects(room.settings.replay(other.id, { delivery: first?.id ?? '' }), /delivery/)
  await assert.rejects(room.settings.replay(id, { delivery: 'dlv_x' }), /delivery/)
})

test('unannounced events are delivered only by a replay', async () => {
  const { id } = await room.addEndpoint('quiet.example')
  room.deliver()
  const since = new Date(Date.now() - 1000).toISOString()
  await room.ingest([nation('n1'), nation('n2'), nation('n3')], { announce: false })
  await room.ingest([nation('n4')])
  await until(() => room.newsAt('quiet.example').length === 1, 'the news arrives')
  await settled()
  assert.match(room.newsAt('quiet.example')[0]?.body ?? '', /"n4"/)
  assert.equal(await room.settings.replay(id, { since, until: new Date(Date.now() + 1000).toISOString() }), 4)
})

test('a rotated secret signs together with its successor for a day', async () => {
  const { id, secret: older } = await room.addEndpoint('rotating.example')
  const { secret: newer, previous_secret_ends_at } = await room.settings.rotate(id)
  assert.equal(previous_secret_ends_at, new Date(room.now() + day).toISOString().replace('.000Z', 'Z'))
  room.deliver()
  const signers = async (nationId: string): Promise<string[]> => {
    const seen = room.received.length
    await room.ingest([nation(nationId)])
    await until(() => room.received.length > seen, 'it arrives')
    const { id: eventId, timestamp, signature, body } = room.received.at(-1) ?? assert.fail()
    return Object.entries({ older, newer }).flatMap(([name, secret]) =>
      signature.split(' ').includes(new Webhook(secret).sign(eventId, new Date(timestamp * 1000), body))
        ? [name]
        : [],
    )
  }
  assert.deepEqual(await signers('n1'), ['older', 'newer'])
  // A receiver that has not changed over yet must be able to answer a test too.
  await room.settings.test(id)
  assert.equal(room.received.at(-1)?.signature.split(' ').length, 2)
  room.advance(day + 1)
  assert.deepEqual(await signers('n2'), ['newer'])
})

test('an endpoint receives events only after a successful test', async () => {
  room.receive('shy.example', () => noAnswer('timed_out'))
  const { id, status } = await room.addEndpoint('shy.example')
  assert.equal(status, 'unconfirmed')
  room.deliver()
  await room.ingest([nation('n1')])
  await live(10 * second, second)
  assert.deepEqual(room.newsAt('shy.example'), [])
  const again = await room.settings.test(id)
  assert.deepEqual([again.endpoint.status, again.test.error], ['unconfirmed', 'timed_out'])
  room.receive('shy.example', () => answer(200, { body: 'hello' }))
  const answered = await room.settings.test(id)
  assert.deepEqual([answered.endpoint.status, answered.test.answer], ['active', 'hello'])
  await room.ingest([nation('n2')])
  await until(() => room.newsAt('shy.example').length === 1, 'it hears')
  const tests = (await room.settings.deliveries(id, { limit: 10 })).filter(
    ({ type }) => type === 'webhook.test',
  )
  assert.deepEqual(
    tests.map(({ state }) => state),
    ['delivered', 'failed', 'failed'],
  )
})

test('a replay of too many events is rejected, not truncated', async () => {
  const { id } = await room.addEndpoint('long.example')
  const since = new Date(Date.now() - 1000).toISOString()
  const until = () => new Date(Date.now() + 1000).toISOString()
  const nations = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => nation(`n${from + index}`))
  await room.ingest(nations(0, 3), { announce: false })
  assert.equal(await room.settings.replay(id, { since, until: until() }), 3)
  await room.ingest(nations(3, webhooks.replayEventsMax - 2), { announce: false })
  await assert.rejects(room.settings.replay(id, { since, until: until() }), /100001 events/)
})

test('every rotated secret signs for a day of its own, up to a limit', async () => {
  const { id, secret: first } = await room.addEndpoint('rotating-often.example')
  const secrets = [first]
  const hourMs = 3_600_000
  const rotate = async () => secrets.push((await room.settings.rotate(id)).secret)
  const signatures = async () => {
    await room.settings.test(id)
    const { id: eventId, timestamp, signature, body } = room.received.at(-1) ?? assert.fail()
    const at = new Date(timestamp * 1000)
    const signed = secrets.map(secret => new Webhook(secret).sign(eventId, at, body))
    return signature.split(' ').map(each => signed.indexOf(each))
  }
  for (let rotation = 1; rotation <= webhooks.previousSecretsMax; rotation += 1) {
    await rotate()
    room.advance(hourMs)
  }
  assert.deepEqual(await signatures(), [5, 4, 3, 2, 1, 0])
  await assert.rejects(
    room.settings.rotate(id),
    /limit of 5 previous secrets is reached.*2026-06-02T12:00:00Z/,
  )
  room.advance(day - webhooks.previousSecretsMax * hourMs - 1)
  assert.deepEqual(await signatures(), [5, 4, 3, 2, 1, 0])
  room.advance(1)
  assert.deepEqual(await signatures(), [5, 4, 3, 2, 1])
  await rotate()
  assert.deepEqual(await signatures(), [6, 5, 4, 3, 2, 1])
  room.advance(day)
  assert.deepEqual(await signatures(), [6])
  await rotate()
  assert.deepEqual(await signatures(), [7, 6])
})

test('the id of a delivery reveals nothing of deliveries to other endpoints', async () => {
  const ids = async (others: number) => {
    for (let index = 0; index < others; index += 1)
      await room.addEndpoint('stranger.example', {}, `p${index}`)
    await room.ingest([nation(`n${others}a`)])
    await room.ingest([nation(`n${others}b`)])
    await settled()
    const log = await room.settings.deliveries(id, { limit: 2 })
    return log.map(delivery => ({ ...delivery, number: Number(delivery.id.replace('dlv_', '')) }))
  }
  const { id } = await room.addEndpoint('counting.example')
  room.deliver()
  for (const others of [0, 7]) {
    const [second, first] = await ids(others)
    assert.ok(first && second)
    // Only its own events, whose numbers everybody sees, are told by it.
    assert.deepEqual(
      [first.id, second.id],
      [first, second].map(({ event_id }) => event_id?.replace('evt_', 'dlv_')),
    )
    assert.equal(second.number - first.number, 1)
  }
  await room.settings.test(id)
  await room.settings.test(id)
  const tests = (await room.settings.deliveries(id, { limit: 100 })).filter(
    ({ event_id }) => event_id === null,
  )
  assert.equal(new Set(tests.map(test => test.id)).size, tests.length)
  for (const test of tests) assert.match(test.id, /^dlv_test_[0-9a-f]{32}$/)
})
