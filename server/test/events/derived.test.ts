import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contractFor,
  demoProfile,
  originOf,
  redactableFields,
  type TextCopy,
  type TextSchema,
} from '@chancery/contract'
import { Compile } from 'typebox/compile'
import { alliance, event, member, nation, put, seqOf, war } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { type Fact, startTestServer } from '../support/test-server.ts'
import { cases } from './cases.ts'
import type { Event } from './log-model.ts'

const { eventKinds } = contractFor(demoProfile)

type Item = Record<string, unknown>

const chancery = closeAfter(await startTestServer())

/** Ingests facts and returns the events that they emit. */
async function eventsOf(...facts: Fact[]): Promise<Event[]> {
  const after = await seqOf(chancery)
  await chancery.ingest(facts, { waits: false })
  return (await chancery.read<{ data: Event[] }>(`/events?after=${after}&limit=100`)).data
}

for (const { name, given, fact, events } of cases) {
  test(`${name} emits ${events.map(({ type }) => type).join(', ') || 'no event'}`, async () => {
    await chancery.ingest(given, { waits: false })
    const emitted = await eventsOf(fact)
    assert.deepEqual(
      emitted.map(({ id: _id, seq: _seq, ...rest }) => rest),
      events,
    )
    for (const { type, data, id, seq } of emitted) {
      assert.equal(id, `evt_${seq}`)
      const kind = eventKinds[type]
      assert.ok(kind)
      assert.ok(Compile(kind.data).Check(data), `${type} ${JSON.stringify(data)}`)
    }
  })

  const repeated = fact.op === 'event' ? events.length : 0
  test(`${name}, sent again, emits ${repeated === 0 ? 'no event' : 'the event again'}`, async () => {
    assert.equal((await eventsOf(fact)).length, repeated)
  })
}

test('every event kind of the contract that a change emits has a case', () => {
  const covered = new Set(cases.flatMap(({ events }) => events.map(({ type }) => type)))
  assert.deepEqual(
    Object.keys(eventKinds).filter(type => !covered.has(type)),
    // Emitted by redactions: server/test/redaction.
    ['record.redacted'],
  )
})

interface CopiedText {
  path: string
  origin: TextCopy
  id: unknown
  text: unknown
}

/** The texts of an event that are copies, with the ids of their entities. A list counts as its first item. */
function copiedTexts(
  schema: TextSchema | undefined,
  value: unknown,
  holder: unknown,
  path: string,
): CopiedText[] {
  const origin = originOf(schema)
  if (typeof origin === 'object') {
    const id = origin.id
      .split('.')
      .reduce<unknown>((inner, member) => (inner as Item | null)?.[member], holder)
    return [{ path, origin, id, text: value }]
  }
  if (schema?.items) return copiedTexts(schema.items, (value as unknown[] | null)?.[0], holder, `${path}[]`)
  return Object.entries(schema?.properties ?? {}).flatMap(([member, inner]) =>
    copiedTexts(inner, (value as Item | null)?.[member], value, `${path}.${member}`),
  )
}

test('a redaction replaces the texts that an event copies, in every kind of event', async () => {
  const events = cases.flatMap(({ events }) => events.map(({ type }) => type))
  const copiesOf = async (type: string) => {
    const { data } = await chancery.read<{ data: Event[] }>(`/events?type=${type}&limit=100`)
    return data.flatMap(event =>
      copiedTexts(eventKinds[type]?.data, event.data, event.data, type).map(copy => ({
        seq: event.seq,
        ...copy,
      })),
    )
  }
  const copies = (await Promise.all([...new Set(events)].map(copiesOf))).flat()
  const entities = new Map(
    copies
      .filter(({ text }) => typeof text === 'string')
      .map(({ origin: { resource }, id }) => [`${resource} ${id}`, { resource, id }]),
  )
  await chancery.ingest(
    [...entities.values()].map(({ resource, id }) => {
      const fields = redactableFields[resource].filter(field =>
        copies.some(({ origin }) => origin.resource === resource && origin.field === field),
      )
      return { op: 'redact', resource, id, data: Object.fromEntries(fields.map(field => [field, 'Former'])) }
    }),
    { waits: false },
  )
  const redacted = (await Promise.all([...new Set(events)].map(copiesOf))).flat()
  const places = new Map<string, boolean>()
  for (const [index, { path, seq, text }] of copies.entries()) {
    const isText = typeof text === 'string'
    places.set(path, isText || (places.get(path) ?? false))
    if (isText) assert.equal(redacted[index]?.text, 'Former', `${path} of event ${seq}`)
  }
  assert.ok(places.size > 40, `${places.size} places`)
  assert.deepEqual(
    [...places].filter(([, hadText]) => !hadText).map(([path]) => path),
    [],
    'texts that no case contains: add them to cases.ts',
  )
})

test('events are in the order of the facts that emit them, across resources', async () => {
  const noon = '2026-05-30T12:00:00Z'
  const emitted = await eventsOf(
    nation('order-1'),
    event({ type: 'game.disaster', occurred_at: noon, data: {}, nation_ids: ['order-1'] }),
    war('order-w', 'order-1', 'order-2'),
    alliance('order-a'),
    member('order-1', 'order-a'),
    nation('order-2'),
    put('war', { id: 'order-w', status: 'ended' }),
    nation('order-2', { nation_name: 'Renamed' }),
  )
  assert.deepEqual(
    emitted.map(({ type }) => type),
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

test('an event without a time from the game occurred when it was logged', async () => {
  const [emitted] = await eventsOf(nation('now'))
  const age = Date.now() - Date.parse(emitted?.occurred_at ?? '')
  assert.ok(age >= 0 && age < 60_000, `${age}`)
})

test('a move to another alliance is one departure and one arrival', async () => {
  const emitted = await eventsOf(
    nation('mover'),
    alliance('mover-a'),
    alliance('mover-b'),
    member('mover', 'mover-a'),
    member('mover', 'mover-b'),
  )
  assert.deepEqual(
    emitted.slice(3).map(({ type, alliance_ids }) => [type, alliance_ids]),
    [
      ['alliance.member_joined', ['mover-a']],
      ['alliance.member_left', ['mover-a']],
      ['alliance.member_joined', ['mover-b']],
    ],
  )
})

test('a price move of 10 % from the last event, or from the day before, emits an event', async () => {
  const price = async (price: number, as_of: string) =>
    (await eventsOf(put('market_price', { resource: 'oil', price, as_of }))).map(({ data }) => [
      data.reference_price,
      data.change_percent,
    ])
  assert.deepEqual(await price(100, '2026-05-01T00:00:00Z'), [])
  assert.deepEqual(await price(109.9, '2026-05-01T06:00:00Z'), [])
  assert.deepEqual(await price(110, '2026-05-01T12:00:00Z'), [[100, 10]])
  assert.deepEqual(await price(120.9, '2026-05-01T13:00:00Z'), [])
  assert.deepEqual(await price(99, '2026-05-01T14:00:00Z'), [[110, -10]])
  assert.deepEqual(await price(100, '2026-05-02T13:00:00Z'), [])
  assert.deepEqual(await price(105, '2026-05-02T15:00:00Z'), [], 'the last event is over a day old')
  assert.deepEqual(await price(109, '2026-05-03T14:00:00Z'), [])
  assert.deepEqual(await price(115.5, '2026-05-03T14:30:00Z'), [[105, 10]])
})
