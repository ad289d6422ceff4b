import assert from 'node:assert/strict'
import { after as afterAll, before, test } from 'node:test'
import type { Event } from '../events/cases.ts'
import { secrets, smallWorld } from '../http/world.ts'
import { event, member, nation, put, war } from '../ingest/facts.ts'
import { allowedMs } from '../support/allowed-ms.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { type AddedEndpoint, addHearing } from './owner.ts'
import { dataOf, verified } from './verified.ts'

let chancery: TestServer
let receiver: WebhookReceiver
let everything: AddedEndpoint
/** What endpoints ask for, and how the API is asked for the same. */
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
  '/nothing': { wants: { nation_ids: ['nobody'] }, query: 'nation_id=nobody' },
}
before(async () => {
  chancery = await startTestServer({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })
  receiver = await startWebhookReceiver()
  everything = await addHearing(chancery, receiver.url('/everything'))
  for (const [path, { wants }] of Object.entries(filters))
    await addHearing(chancery, receiver.url(path), wants)
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
})
afterAll(async () => {
  await chancery.close()
  await receiver.close()
})

/** The whole log as text, oldest first. */
async function logText(query = ''): Promise<string> {
  const response = await chancery.get(`/events?after=0&limit=100${query && `&${query}`}`)
  assert.equal(response.status, 200)
  return response.text()
}
const eventsOf = (text: string) => (JSON.parse(text) as { data: Event[] }).data

const newsInOrder = (path: string) =>
  receiver
    .newsAt(path)
    .map(message => ({ message, seq: (JSON.parse(dataOf(message)) as Event).seq }))
    .sort((one, other) => one.seq - other.seq)
    .map(({ message }) => message)

test('every event arrives once, signed, and its data are byte for byte those of /events', async () => {
  const text = await logText()
  const log = eventsOf(text)
  assert.ok(new Set(log.map(({ type }) => type)).size >= 10)
  await until(() => receiver.newsAt('/everything').length >= log.length, 'all of it arrives')
  const news = newsInOrder('/everything')
  assert.deepEqual(
    news.map(({ id }) => id),
    log.map(({ id }) => id),
  )
  for (const [index, message] of news.entries()) {
    const { type, timestamp, data } = verified(everything.secret, message)
    assert.deepEqual(data, log[index])
    assert.deepEqual([type, timestamp], [data.type, data.occurred_at])
    assert.equal(message.headers['content-type'], 'application/json; charset=utf-8')
    assert.match(String(message.headers['user-agent']), /^Chancery\//)
    assert.ok(Math.abs(Number(message.headers['webhook-timestamp']) * 1000 - message.atMs) < 5_000)
  }
  assert.ok(text.startsWith(`{"data":[${news.map(dataOf).join(',')}],"pagination":`), text)
})

for (const [path, { wants, query }] of Object.entries(filters)) {
  test(`an endpoint for ${JSON.stringify(wants)} receives what /events returns for the same filter`, async () => {
    const wanted = eventsOf(await logText(query)).map(({ id }) => id)
    assert.equal(wanted.length === 0, path === '/nothing')
    // Everybody is told at the same time: when all have arrived at one, those of another are not far.
    await until(() => receiver.newsAt(path).length >= wanted.length, `${path} hears`)
    const { last_seq } = await chancery.ingest([nation(`after${path.replace('/', '-')}`)], { waits: false })
    await until(
      () => receiver.newsAt('/everything').some(({ id }) => id === `evt_${last_seq}`),
      'what follows arrives',
    )
    const heard = newsInOrder(path).map(({ id }) => id)
    assert.deepEqual(heard.slice(0, wanted.length), wanted)
    assert.ok(heard.length <= wanted.length + (path === '/kinds' ? 1 : 0), `${heard}`)
  })
}

test('an event arrives within a second of the acknowledgement to the game', async () => {
  for (let round = 0; round < 10; round += 1) {
    const beganAtMs = Date.now()
    const { last_seq } = await chancery.ingest([nation(`quick-${round}`)], { waits: false })
    const toldAtMs = Date.now()
    const find = () => receiver.newsAt('/everything').find(({ id }) => id === `evt_${last_seq}`)
    await until(() => find() !== undefined, 'it arrives')
    const tookMs = (find()?.atMs ?? Number.POSITIVE_INFINITY) - toldAtMs
    assert.ok(tookMs < allowedMs(1_000, toldAtMs - beganAtMs), `${tookMs} ms`)
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
  const find = () => receiver.newsAt('/everything').find(({ id }) => id === `evt_${last_seq}`)
  await until(() => find() !== undefined, 'it arrives')
  assert.match(find()?.body ?? '', /^\{"type":"strategic_weapon.intercepted"/)
  for (const { body } of receiver.received)
    for (const secret of Object.values(secrets)) assert.ok(!body.includes(String(secret)), body)
})
