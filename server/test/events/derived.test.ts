import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { contractFor, demoProfile } from '@chancery/contract'
import { Compile } from 'typebox/compile'
import { seqOf } from '../ingest/answers.ts'
import { type Fact, startTestServer, type TestServer } from '../support/test-server.ts'
import { type Case, cases, type Event } from './cases.ts'

const { eventKinds } = contractFor(demoProfile)

let chancery: TestServer
before(async () => {
  chancery = await startTestServer()
})
after(() => chancery.close())

async function told(facts: Fact[]): Promise<Event[]> {
  const after = await seqOf(chancery)
  await chancery.ingest(facts, { waits: false })
  return (await chancery.read<{ data: Event[] }>(`/events?after=${after}&limit=100`)).data
}

const essence = ({ id: _id, seq: _seq, ...rest }: Event) => rest

const nothing = { nation_ids: [], alliance_ids: [], war_id: null, conflict_id: null }

for (const { name, given, fact, events } of cases) {
  test(`${name}: exactly ${events.length === 0 ? 'nothing' : events.map(({ type }) => type).join(', ')}`, async () => {
    await chancery.ingest(given, { waits: false })
    const found = await told([fact])
    assert.deepEqual(
      found.map(essence),
      events.map(event => ({ ...nothing, occurred_at: '2026-05-30T12:00:00Z', ...event })),
    )
    for (const { type, data, id, seq } of found) {
      assert.equal(id, `evt_${seq}`)
      const kind = eventKinds[type]
      assert.ok(kind)
      assert.ok(Compile(kind.data).Check(data), `${type} ${JSON.stringify(data)}`)
    }
  })

  test(`${name}, sent again: nothing`, async () => {
    const isSent = fact.op === 'event'
    assert.deepEqual((await told([fact])).length, isSent ? events.length : 0)
  })
}

test('every kind of the contract that a change gives rise to is among these cases', () => {
  const covered = new Set(cases.flatMap(({ events }: Case) => events.map(({ type }) => type)))
  assert.deepEqual(
    Object.keys(eventKinds).filter(type => !covered.has(type)),
    // Told of what is asked for, whatever it changes: server/test/redaction.
    ['record.redacted'],
  )
})

test('events stand in the order of the facts that gave rise to them, whatever their resource', async () => {
  const named = (id: string) => ({ id, nation_name: id })
  const found = await told([
    { op: 'put', resource: 'nation', data: named('order-1') },
    {
      op: 'event',
      data: { type: 'game.disaster', occurred_at: '2026-05-30T12:00:00Z', data: {}, nation_ids: ['order-1'] },
    },
    {
      op: 'put',
      resource: 'war',
      data: {
        id: 'order-w',
        attacker: { nation_id: 'order-1' },
        defender: { nation_id: 'order-2' },
        declared_at: '2026-05-30T12:00:00Z',
      },
    },
    { op: 'put', resource: 'alliance', data: { id: 'order-a', name: 'A' } },
    { op: 'put', resource: 'alliance_member', data: { nation_id: 'order-1', alliance_id: 'order-a' } },
    { op: 'put', resource: 'nation', data: named('order-2') },
    { op: 'put', resource: 'war', data: { id: 'order-w', status: 'ended' } },
    { op: 'put', resource: 'nation', data: { id: 'order-2', nation_name: 'Renamed' } },
  ])
  assert.deepEqual(
    found.map(({ type }) => type),
    [
      'nation.founded',
      'game.disaster',
      'war.declared',
      'alliance.founded',
      'alliance.member_joined',
      'nation.founded',
      'war.ended',
      'nation.renamed',
    ],
  )
})

test('where the game gives no time, the event occurred when it was logged', async () => {
  const [event] = await told([{ op: 'put', resource: 'nation', data: { id: 'now', nation_name: 'Now' } }])
  const age = Date.now() - Date.parse(event?.occurred_at ?? '')
  assert.ok(age >= 0 && age < 60_000, `${age}`)
})

test('a move to another alliance is one departure and one arrival', async () => {
  const found = await told([
    { op: 'put', resource: 'nation', data: { id: 'mover', nation_name: 'M' } },
    { op: 'put', resource: 'alliance', data: { id: 'mover-a', name: 'A' } },
    { op: 'put', resource: 'alliance', data: { id: 'mover-b', name: 'B' } },
    { op: 'put', resource: 'alliance_member', data: { nation_id: 'mover', alliance_id: 'mover-a' } },
    { op: 'put', resource: 'alliance_member', data: { nation_id: 'mover', alliance_id: 'mover-b' } },
  ])
  assert.deepEqual(
    found.slice(3).map(({ type, alliance_ids }) => [type, alliance_ids]),
    [
      ['alliance.member_joined', ['mover-a']],
      ['alliance.member_left', ['mover-a']],
      ['alliance.member_joined', ['mover-b']],
    ],
  )
})

test('a price move of 10 % from the last event, or from the day before, emits an event', async () => {
  const price = async (value: number, as_of: string) =>
    (
      await told([{ op: 'put', resource: 'market_price', data: { resource: 'oil', price: value, as_of } }])
    ).map(({ data }) => [data.reference_price, data.change_percent])
  assert.deepEqual(await price(100, '2026-05-01T00:00:00Z'), [])
  assert.deepEqual(await price(109.9, '2026-05-01T06:00:00Z'), [])
  assert.deepEqual(await price(110, '2026-05-01T12:00:00Z'), [[100, 10]])
  assert.deepEqual(await price(120.9, '2026-05-01T13:00:00Z'), [])
  assert.deepEqual(await price(99, '2026-05-01T14:00:00Z'), [[110, -10]])
  assert.deepEqual(await price(100, '2026-05-02T13:00:00Z'), [])
  assert.deepEqual(await price(105, '2026-05-02T15:00:00Z'), [], 'the last told price is over a day old')
  assert.deepEqual(await price(109, '2026-05-03T14:00:00Z'), [])
  assert.deepEqual(await price(115.5, '2026-05-03T14:30:00Z'), [[105, 10]])
})
