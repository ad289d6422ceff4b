import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { webhooks } from '@chancery/contract'
import { Webhook } from 'standardwebhooks'
import { sql } from '../../src/store/database.ts'
import { nation, war } from '../ingest/facts.ts'
import { until } from '../support/until.ts'
import { type DeliveryFixture, failWith, openDeliveryFixture, respond } from './delivery-fixture.ts'

let fixture: DeliveryFixture
beforeEach(async () => {
  fixture = await openDeliveryFixture()
})
afterEach(() => fixture.close())

const second = 1_000
const hour = 3_600_000
const day = 24 * hour
const waits = webhooks.retryDelaysSeconds.map(seconds => seconds * second)

/** Advances the clock in steps, and waits for the deliveries that are due after each. */
async function advanceBy(ms: number, stepMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
    fixture.advance(stepMs)
    await untilIdle()
  }
}

/** Waits until every event is queued, and no delivery is due or in flight. */
async function untilIdle(): Promise<void> {
  await until(async () => {
    const row = await fixture.pools.outbound.first<{ due: number; unread: number }>(sql`
      select count(*) as due, (select p.seq - f.seq from chancery_world.pulse p, chancery_outbound.fan_out f) as unread
      from chancery_outbound.delivery d join chancery_outbound.endpoint e on e.id = d.endpoint_id
      where e.status = 'active'
        and (d.state = 'sending' or d.state = 'pending' and d.due_at <= ${new Date(fixture.now()).toISOString()})`)
    return row?.due === 0 && row.unread === 0
  }, 'no delivery is due')
}

test('events that match an endpoint are delivered once, signed, with the body of the log', async () => {
  const all = await fixture.addEndpoint('all.example')
  await fixture.addEndpoint('wars.example', { types: ['war.*'] })
  await fixture.addEndpoint('n2.example', { types: ['nation.founded', 'war.declared'], nation_ids: ['n2'] })
  await fixture.addEndpoint('a1.example', { alliance_ids: ['a1'] })
  fixture.deliver()
  await fixture.ingest([
    nation('n1'),
    nation('n2'),
    nation('n3'),
    war('w1', 'n1', 'n3'),
    war('w2', 'n1', 'n2'),
  ])
  await until(() => fixture.eventsAt('all.example').length === 5, 'all five events arrive')
  await untilIdle()
  const typesAt = (host: string) =>
    fixture
      .eventsAt(host)
      .map(({ body }) => (JSON.parse(body) as { type: string }).type)
      .sort()
  assert.deepEqual(typesAt('wars.example'), ['war.declared', 'war.declared'])
  assert.deepEqual(typesAt('n2.example'), ['nation.founded', 'war.declared'])
  assert.deepEqual(typesAt('a1.example'), [])
  for (const { id, timestamp, signature, body } of fixture.eventsAt('all.example')) {
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
  const { id } = await fixture.addEndpoint('down.example')
  fixture.respondWith('down.example', () => respond(500))
  fixture.deliver()
  const from = fixture.now()
  await fixture.ingest([nation('n1')])
  await until(() => fixture.eventsAt('down.example').length === 1, 'the first attempt is made')
  await untilIdle()
  for (const [index, wait] of waits.entries()) {
    // One second early, no attempt is made. The waits add up to less than five days.
    fixture.advance(wait - second)
    await untilIdle()
    assert.equal(fixture.eventsAt('down.example').length, index + 1, `too early after ${wait / second} s`)
    fixture.advance(second + 1)
    await until(() => fixture.eventsAt('down.example').length === index + 2, `retry ${index + 1} is made`)
    await untilIdle()
  }
  const attempts = fixture.eventsAt('down.example')
  assert.equal(new Set(attempts.map(attempt => `${attempt.id} ${attempt.body}`)).size, 1)
  assert.equal(new Set(attempts.map(attempt => attempt.signature)).size, attempts.length)
  assert.ok(fixture.now() - from < 5 * day)
  const [delivery] = await fixture.settings.deliveries(id, { limit: 10 })
  assert.equal(delivery?.state, 'failed')
  assert.equal(delivery.attempts.length, 10)
  assert.deepEqual(
    delivery.attempts.map(({ number }) => number),
    [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
  )
  assert.equal(delivery.attempts[0]?.next_at, null)
  await advanceBy(30 * hour, hour)
  assert.equal(fixture.eventsAt('down.example').length, 10)
})

test('410 Gone disables an endpoint at once', async () => {
  const { id } = await fixture.addEndpoint('gone.example')
  fixture.respondWith('gone.example', () => respond(410))
  fixture.deliver()
  await fixture.ingest([nation('n1'), nation('n2'), nation('n3')])
  await until(async () => (await fixture.settings.find(id)).status === 'disabled', 'it is disabled')
  assert.equal((await fixture.settings.find(id)).disabled_reason, 'gone')
  const tries = fixture.eventsAt('gone.example').length
  await fixture.ingest([nation('n4')])
  await advanceBy(2 * hour, hour / 2)
  assert.equal(fixture.eventsAt('gone.example').length, tries)
  const states = (await fixture.settings.deliveries(id, { limit: 10 })).filter(
    ({ event_id }) => event_id !== null,
  )
  assert.ok(states.length >= 3 && states.every(({ state }) => state === 'failed'))
})

test('five days of failures disable an endpoint, after warnings to its owner', async () => {
  const { id } = await fixture.addEndpoint('dead.example')
  fixture.respondWith('dead.example', () => failWith('connection_failed'))
  fixture.deliver()
  const warned: number[] = []
  for (let hours = 0; hours <= 126; hours += 6) {
    await fixture.ingest([nation(`n${hours}`)])
    await untilIdle()
    const { warnings, status } = await fixture.settings.find(id)
    if (status === 'active') warned[hours] = warnings.length
    else {
      assert.ok(hours >= 120, `disabled after ${hours} hours`)
      break
    }
    await advanceBy(6 * hour, 2 * hour)
  }
  const { status, disabled_reason, warnings } = await fixture.settings.find(id)
  assert.deepEqual([status, disabled_reason], ['disabled', 'failing'])
  assert.deepEqual(
    warnings.map(({ percent }) => percent),
    [50, 70, 90],
  )
  assert.deepEqual([warned[54], warned[66], warned[90], warned[114]], [0, 1, 2, 3])
})

test('failures that are sporadic do not add up', async () => {
  const { id } = await fixture.addEndpoint('flaky.example')
  let calls = 0
  fixture.respondWith('flaky.example', () => respond(calls++ % 2 === 0 ? 503 : 200))
  fixture.deliver()
  for (let days = 0; days < 12; days += 1) {
    await fixture.ingest([nation(`n${days}`)])
    await advanceBy(day, 12 * hour)
  }
  const { status, warnings, failing_since } = await fixture.settings.find(id)
  assert.deepEqual([status, warnings, failing_since], ['active', [], null])
})

test('two failures days apart are not one failure period', async () => {
  const { id } = await fixture.addEndpoint('rare.example', { types: ['nation.founded'] })
  fixture.respondWith('rare.example', () => respond(500))
  fixture.deliver()
  await fixture.ingest([nation('n1')])
  // The retries end after three days, followed by eight days without an attempt.
  await advanceBy(4 * day, 2 * hour)
  await advanceBy(8 * day, 12 * hour)
  await fixture.ingest([nation('n2')])
  await untilIdle()
  const { status, failing_since } = await fixture.settings.find(id)
  assert.equal(status, 'active')
  assert.ok(Date.parse(failing_since ?? '') > fixture.now() - hour)
})

test('a failed test does not prolong a failure period', async () => {
  const { id } = await fixture.addEndpoint('tested.example', { types: ['nation.founded'] })
  fixture.respondWith('tested.example', () => respond(500))
  fixture.deliver()
  await fixture.ingest([nation('n1')])
  await advanceBy(4 * day, 2 * hour)
  const delivered = await fixture.settings.find(id)
  await fixture.settings.test(id)
  const during = await fixture.settings.find(id)
  assert.deepEqual(
    [during.failing_since, during.last_failed_at],
    [delivered.failing_since, delivered.last_failed_at],
  )
  await advanceBy(8 * day, 12 * hour)
  await fixture.settings.test(id)
  const after = await fixture.settings.find(id)
  assert.equal(after.failing_since, null, 'the period has ended')
  assert.ok(Date.parse(after.last_failed_at ?? '') > fixture.now() - hour, 'the test is the last failure')
  await fixture.ingest([nation('n2')])
  await untilIdle()
  const again = await fixture.settings.find(id)
  assert.equal(again.status, 'active')
  assert.ok(Date.parse(again.failing_since ?? '') > fixture.now() - hour)
})

test('an endpoint enabled again receives new events, and missed ones only by replay', async () => {
  const { id } = await fixture.addEndpoint('back.example')
  fixture.deliver()
  await fixture.ingest([nation('n1')])
  await until(() => fixture.eventsAt('back.example').length === 1, 'an event arrives')
  await untilIdle()
  await fixture.settings.disable(id)
  const missedFrom = new Date().toISOString()
  await fixture.ingest([nation('n2'), nation('n3')])
  await advanceBy(10 * second, second)
  const missedUntil = new Date(Date.now() + 1).toISOString()
  await assert.rejects(fixture.settings.replay(id, { failed: true }), /not active/)
  await fixture.settings.enable(id)
  await advanceBy(10 * second, second)
  assert.equal(fixture.eventsAt('back.example').length, 1)
  await new Promise(resolve => setTimeout(resolve, 5))
  await fixture.ingest([nation('n4')])
  await until(() => fixture.eventsAt('back.example').length === 2, 'a new event arrives')
  await untilIdle()
  assert.equal(await fixture.settings.replay(id, { since: missedFrom, until: missedUntil }), 2)
  fixture.advance(1)
  await until(() => fixture.eventsAt('back.example').length === 4, 'the replay arrives')
  const seqs = fixture
    .eventsAt('back.example')
    .map(({ body }) => (JSON.parse(body) as { data: { seq: number } }).data.seq)
  assert.deepEqual(seqs, [1, 4, 2, 3])
})

test('unannounced events are delivered only by a replay', async () => {
  const { id } = await fixture.addEndpoint('unannounced.example')
  fixture.deliver()
  const since = new Date(Date.now() - 1000).toISOString()
  await fixture.ingest([nation('n1'), nation('n2'), nation('n3')], { announce: false })
  await fixture.ingest([nation('n4')])
  await until(() => fixture.eventsAt('unannounced.example').length === 1, 'the announced event arrives')
  await untilIdle()
  assert.match(fixture.eventsAt('unannounced.example')[0]?.body ?? '', /"n4"/)
  assert.equal(
    await fixture.settings.replay(id, { since, until: new Date(Date.now() + 1000).toISOString() }),
    4,
  )
})

test('a replay of too many events is rejected, not truncated', async () => {
  const { id } = await fixture.addEndpoint('long.example')
  const since = new Date(Date.now() - 1000).toISOString()
  const until = () => new Date(Date.now() + 1000).toISOString()
  await fixture.ingest([nation('n1'), nation('n2'), nation('n3')], { announce: false })
  assert.equal(await fixture.settings.replay(id, { since, until: until() }), 3)
  // As if one batch had logged that many.
  await fixture.pools.ingest.rows(sql`
    insert into chancery_world.event_log_span (first_seq, last_seq, logged_at, is_announced)
    select max(last_seq) + 1, max(last_seq) + ${webhooks.replayEventsMax - 2}, now(), false from chancery_world.event_log_span`)
  await assert.rejects(fixture.settings.replay(id, { since, until: until() }), /100001 events/)
})

test('a rotated secret signs together with its successors for a day, up to a limit of secrets', async () => {
  const { id, secret: first } = await fixture.addEndpoint('rotating-often.example')
  const secrets = [first]
  const hourMs = 3_600_000
  const rotate = async () => {
    const { secret, previous_secret_ends_at } = await fixture.settings.rotate(id)
    secrets.push(secret)
    assert.equal(Date.parse(previous_secret_ends_at ?? ''), fixture.now() + day)
  }
  const signatures = async () => {
    await fixture.settings.test(id)
    return newestSignatures()
  }
  const newestSignatures = () => {
    const { id: eventId, timestamp, signature, body } = fixture.received.at(-1) ?? assert.fail()
    const at = new Date(timestamp * 1000)
    const signed = secrets.map(secret => new Webhook(secret).sign(eventId, at, body))
    return signature.split(' ').map(each => signed.indexOf(each))
  }
  for (let rotation = 1; rotation <= webhooks.previousSecretsMax; rotation += 1) {
    await rotate()
    fixture.advance(hourMs)
  }
  assert.deepEqual(await signatures(), [5, 4, 3, 2, 1, 0])
  await assert.rejects(
    fixture.settings.rotate(id),
    /limit of 5 previous secrets is reached.*2026-06-02T12:00:00Z/,
  )
  fixture.advance(day - webhooks.previousSecretsMax * hourMs - 1)
  assert.deepEqual(await signatures(), [5, 4, 3, 2, 1, 0])
  fixture.advance(1)
  assert.deepEqual(await signatures(), [5, 4, 3, 2, 1])
  await rotate()
  assert.deepEqual(await signatures(), [6, 5, 4, 3, 2, 1])
  fixture.advance(day)
  assert.deepEqual(await signatures(), [6])
  await rotate()
  assert.deepEqual(await signatures(), [7, 6])
  fixture.deliver()
  await fixture.ingest([nation('n1')])
  await until(() => fixture.eventsAt('rotating-often.example').length === 1, 'an event arrives')
  assert.deepEqual(newestSignatures(), [7, 6])
})

test('the id of a delivery reveals nothing of deliveries to other endpoints', async () => {
  const ids = async (others: number) => {
    for (let index = 0; index < others; index += 1)
      await fixture.addEndpoint('other-player.example', {}, `p${index}`)
    await fixture.ingest([nation(`n${others}a`)])
    await fixture.ingest([nation(`n${others}b`)])
    await untilIdle()
    const log = await fixture.settings.deliveries(id, { limit: 2 })
    return log.map(delivery => ({ ...delivery, number: Number(delivery.id.replace('dlv_', '')) }))
  }
  const { id } = await fixture.addEndpoint('counting.example')
  fixture.deliver()
  for (const others of [0, 7]) {
    const [second, first] = await ids(others)
    assert.ok(first && second)
    // The id only contains the number of its event, which is public.
    assert.deepEqual(
      [first.id, second.id],
      [first, second].map(({ event_id }) => event_id?.replace('evt_', 'dlv_')),
    )
    assert.equal(second.number - first.number, 1)
  }
  await fixture.settings.test(id)
  await fixture.settings.test(id)
  const tests = (await fixture.settings.deliveries(id, { limit: 100 })).filter(
    ({ event_id }) => event_id === null,
  )
  assert.equal(new Set(tests.map(test => test.id)).size, tests.length)
  for (const test of tests) assert.match(test.id, /^dlv_test_[0-9a-f]{32}$/)
})
