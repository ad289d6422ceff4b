import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../events/log-model.ts'
import { secrets, smallWorld } from '../http/world.ts'
import { event, member, nation, put, war } from '../ingest/facts.ts'
import { allowedMs, until } from '../support/until.ts'
import { addActiveEndpoint, startWebhookServer } from './owner.ts'
import { eventJsonOf, verified } from './verified.ts'

const { chancery, receiver } = await startWebhookServer()
/** The filters of endpoints, and the same filters as queries of `/events`. */
const filters: Record<string, { wants: object; query: string }> = {
  '/family': { wants: { types: ['war.*'] }, query: 'type=war.*' },
  '/kinds': {
    wants: { types: ['nation.founded', 'alliance.*', 'strategic_weapon.launched'] },
    query: 'type=nation.founded,alliance.*,strategic_weapon.launched',
  },
  '/nations': { wants: { nation_ids: ['n1', 'n7'] }, query: 'nation_id=n1,n7' },
  '/alliances': { wants: { alliance_ids: ['a2'] }, query: 'alliance_id=a2' },
  '/all-of-it': {
    wants: { types: ['war.*', 'battle.fought'], nation_ids: ['n5'], alliance_ids: ['a1'] },
    query: 'type=war.*,battle.fought&nation_id=n5&alliance_id=a1',
  },
  '/nothing': { wants: { nation_ids: ['none'] }, query: 'nation_id=none' },
}
const everything = await addActiveEndpoint(chancery, receiver.url('/everything'))
for (const [path, { wants }] of Object.entries(filters))
  await addActiveEndpoint(chancery, receiver.url(path), wants)
await chancery.ingest(smallWorld(), { waits: false })
await chancery.ingest(
  [
    put('nation', { id: 'n7', nation_name: 'Sørrow "the Last" 🕊' }),
    member('n7', 'a2'),
    war('w2', 'n7', 'n5', { reason: '</script>\\u0000\u2028' }),
    put('war', { id: 'w1', ended_at: '2026-05-20T10:00:00Z', outcome: 'peace' }),
    put('market_price', { resource: 'steel', price: 500.25, as_of: '2026-05-20T10:00:00Z' }),
  ],
  { waits: false },
)

/** The whole log as text, oldest first. */
async function logText(query = ''): Promise<string> {
  const response = await chancery.get(`/events?after=0&limit=100${query && `&${query}`}`)
  assert.equal(response.status, 200)
  return response.text()
}
const eventsOf = (text: string) => (JSON.parse(text) as { data: Event[] }).data

const eventsInOrder = (path: string) =>
  receiver
    .eventsAt(path)
    .map(message => ({ message, seq: (JSON.parse(eventJsonOf(message)) as Event).seq }))
    .sort((one, other) => one.seq - other.seq)
    .map(({ message }) => message)

test('every event arrives once, signed, and its data are byte for byte those of /events', async () => {
  const text = await logText()
  const log = eventsOf(text)
  assert.ok(new Set(log.map(({ type }) => type)).size >= 10)
  await until(() => receiver.eventsAt('/everything').length >= log.length, 'every event arrives')
  const messages = eventsInOrder('/everything')
  assert.deepEqual(
    messages.map(({ id }) => id),
    log.map(({ id }) => id),
  )
  for (const [index, message] of messages.entries()) {
    const { type, timestamp, data } = verified(everything.secret, message)
    assert.deepEqual(data, log[index])
    assert.deepEqual([type, timestamp], [data.type, data.occurred_at])
    assert.equal(message.headers['content-type'], 'application/json; charset=utf-8')
    assert.match(String(message.headers['user-agent']), /^Chancery\//)
    assert.ok(Math.abs(Number(message.headers['webhook-timestamp']) * 1000 - message.atMs) < 5_000)
  }
  assert.ok(text.startsWith(`{"data":[${messages.map(eventJsonOf).join(',')}],"pagination":`), text)
})

for (const [path, { wants, query }] of Object.entries(filters)) {
  test(`an endpoint for ${JSON.stringify(wants)} receives what /events returns for the same filter`, async () => {
    const wanted = eventsOf(await logText(query)).map(({ id }) => id)
    assert.equal(wanted.length === 0, path === '/nothing')
    // When an event has arrived at one endpoint, it soon arrives at all others.
    await until(() => receiver.eventsAt(path).length >= wanted.length, `the events arrive at ${path}`)
    const { last_seq } = await chancery.ingest([nation(`after${path.replace('/', '-')}`)], { waits: false })
    await until(
      () => receiver.eventsAt('/everything').some(({ id }) => id === `evt_${last_seq}`),
      'the next event arrives',
    )
    const ids = eventsInOrder(path).map(({ id }) => id)
    assert.deepEqual(ids.slice(0, wanted.length), wanted)
    assert.ok(ids.length <= wanted.length + (path === '/kinds' ? 1 : 0), `${ids}`)
  })
}

test('an event arrives within a second of the acknowledgement to the game', async () => {
  for (let round = 0; round < 10; round += 1) {
    const beganAtMs = Date.now()
    const { last_seq } = await chancery.ingest([nation(`quick-${round}`)], { waits: false })
    const confirmedAtMs = Date.now()
    const find = () => receiver.eventsAt('/everything').find(({ id }) => id === `evt_${last_seq}`)
    await until(() => find() !== undefined, 'it arrives')
    const tookMs = (find()?.atMs ?? Number.POSITIVE_INFINITY) - confirmedAtMs
    assert.ok(tookMs < allowedMs(1_000, confirmedAtMs - beganAtMs), `${tookMs} ms`)
  }
})

test('an event sent by the game is delivered too, and none contains a secret', async () => {
  const { last_seq } = await chancery.ingest(
    [
      event({
        type: 'strategic_weapon.intercepted',
        occurred_at: '2026-05-21T10:00:00Z',
        data: { weapon: 'nuclear_missile', attacker_nation_id: 'n1', defender_nation_id: 'n5' },
      }),
    ],
    { waits: false },
  )
  const find = () => receiver.eventsAt('/everything').find(({ id }) => id === `evt_${last_seq}`)
  await until(() => find() !== undefined, 'it arrives')
  assert.match(find()?.body ?? '', /^\{"type":"strategic_weapon.intercepted"/)
  for (const { body } of receiver.received)
    for (const secret of Object.values(secrets)) assert.ok(!body.includes(String(secret)), body)
})
