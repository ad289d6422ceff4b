import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AccountEndpoint,
  type AccountList,
  type NewAccountEndpoint,
  type TestedAccountEndpoint,
  type WebhookDelivery,
  webhooks,
} from '@chancery/contract'
import { smallWorld } from '../http/world.ts'
import { put } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { until } from '../support/until.ts'
import { respondAfter, respondStatus, startWebhookReceiver } from '../support/webhook-receiver.ts'
import { assertRejected, endpointDraft, type SignedIn, signIn, startAccounts } from './browser.ts'

const chancery = closeAfter(await startAccounts(smallWorld(), { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' }))
const receiver = closeAfter(await startWebhookReceiver())

let players = 0
const newPlayer = () => signIn(chancery, { player_id: `listener_${players++}` })

const draft = (path: string, more: object = {}) =>
  endpointDraft(receiver.url(path), { description: 'a bot', ...more })
const add = (player: SignedIn, path: string, more: object = {}) =>
  player.requestOk<NewAccountEndpoint>('POST', '/webhooks', draft(path, more))
const list = async (player: SignedIn) =>
  (await player.requestOk<AccountList<AccountEndpoint>>('GET', '/webhooks')).data
const change = (player: SignedIn, id: string, path: string, more: object = {}) =>
  player.requestOk<TestedAccountEndpoint>('PUT', `/webhooks/${id}`, draft(path, more))

let renames = 0
/** Emits an event that every endpoint receives. */
const emitEvent = () =>
  chancery.ingest([put('nation', { id: 'n1', nation_name: `Name ${renames++}` })], {
    waits: false,
  })
const receivedAt = (path: string, count: number) =>
  until(() => receiver.eventsAt(path).length >= count, `${count} events arrive at ${path}`)

test('an endpoint is added with a test, receives events, is listed without its secret, and is removed', async () => {
  const player = await newPlayer()
  const response = await player.request<NewAccountEndpoint>('POST', '/webhooks', {
    body: draft('/story', { types: ['nation.*'] }),
  })
  assert.equal(response.status, 201)
  const { secret, test: tested, ...shown } = response.body
  assert.match(secret, /^whsec_/)
  assert.deepEqual([tested.has_arrived, tested.status, shown.status], [true, 204, 'active'])
  assert.ok(!('player_id' in shown))
  assert.deepEqual(await list(player), [shown])

  await emitEvent()
  await receivedAt('/story', 1)
  const log = async (query: string) =>
    (await player.requestOk<AccountList<WebhookDelivery>>('GET', `/webhooks/${shown.id}/deliveries${query}`))
      .data
  await until(async () => (await log('?state=delivered')).length === 2, 'both are delivered')
  const [news, test] = await log('?limit=2')
  assert.deepEqual([news?.type, test?.type], ['nation.renamed', webhooks.testType])
  assert.deepEqual((await log('?limit=1')).length, 1)
  assert.ok(news && !('endpoint_id' in news))

  assert.deepEqual(await player.requestOk('POST', `/webhooks/${shown.id}/replay`, { delivery: news.id }), {
    queued: 1,
  })
  await receivedAt('/story', 2)
  const rotated = await player.requestOk<NewAccountEndpoint>('POST', `/webhooks/${shown.id}/rotate`, {})
  assert.notEqual(rotated.secret, secret)
  assert.notEqual(rotated.previous_secret_ends_at, null)

  const off = await player.requestOk<AccountEndpoint>('POST', `/webhooks/${shown.id}/disable`, {})
  assert.deepEqual([off.status, off.disabled_reason], ['disabled', 'owner'])
  const on = await player.requestOk<TestedAccountEndpoint>('POST', `/webhooks/${shown.id}/enable`, {})
  assert.deepEqual([on.status, on.test?.has_arrived], ['active', true])
  const retested = await player.requestOk<TestedAccountEndpoint>('POST', `/webhooks/${shown.id}/test`, {})
  assert.equal(retested.test?.has_arrived, true)
  await player.requestOk('DELETE', `/webhooks/${shown.id}`, {})
  assert.deepEqual(await list(player), [])
})

test('a filter is changed without a test, and applies from then on', async () => {
  const player = await newPlayer()
  const { id } = await add(player, '/filter')
  const changed = await change(player, id, '/filter', { types: ['war.*'], description: 'wars' })
  assert.deepEqual(
    [changed.status, changed.test, changed.types, changed.description],
    ['active', null, ['war.*'], 'wars'],
  )
  assert.equal(receiver.testsAt('/filter').length, 1)
  const bystander = await add(await newPlayer(), '/filter-bystander')
  await emitEvent()
  await receivedAt('/filter-bystander', 1)
  assert.equal(bystander.status, 'active')
  assert.deepEqual(receiver.eventsAt('/filter'), [])
})

test('a changed URL receives nothing before a successful test', async () => {
  const player = await newPlayer()
  const { id } = await add(player, '/old')
  receiver.respondWith('/new', respondStatus(500, 'not yet'))
  const moved = await change(player, id, '/new')
  assert.deepEqual(
    [moved.url, moved.status, moved.test?.has_arrived, moved.test?.answer],
    [receiver.url('/new'), 'unconfirmed', false, 'not yet'],
  )
  const bystander = await add(await newPlayer(), '/bystander')
  await emitEvent()
  await receivedAt('/bystander', 1)
  assert.deepEqual([receiver.eventsAt('/old'), receiver.eventsAt('/new')], [[], []])

  receiver.respondWith('/new', respondStatus(204))
  const tested = await player.requestOk<TestedAccountEndpoint>('POST', `/webhooks/${id}/test`, {})
  assert.equal(tested.status, 'active')
  await emitEvent()
  await receivedAt('/new', 1)
  assert.deepEqual(receiver.eventsAt('/old'), [])
  assert.equal(bystander.status, 'active')
})

test('a successful test activates only the URL that was tested, also when the URL changes meanwhile', async () => {
  const player = await newPlayer()
  const { id } = await add(player, '/first')
  receiver.respondWith('/slow', respondAfter(400, respondStatus(204)))
  receiver.respondWith('/failing', respondStatus(500))
  const slow = change(player, id, '/slow')
  await until(() => receiver.testsAt('/slow').length === 1, 'the first test is in progress')
  const failing = await change(player, id, '/failing')
  assert.equal(failing.status, 'unconfirmed')
  await slow
  const [endpoint] = await list(player)
  assert.deepEqual([endpoint?.url, endpoint?.status], [receiver.url('/failing'), 'unconfirmed'])
})

test('a disabled endpoint stays disabled when it is changed', async () => {
  const player = await newPlayer()
  const { id } = await add(player, '/off')
  await player.requestOk('POST', `/webhooks/${id}/disable`, {})
  const changed = await change(player, id, '/off-elsewhere')
  assert.deepEqual([changed.status, changed.test], ['disabled', null])
  assert.deepEqual(receiver.testsAt('/off-elsewhere'), [])
})

test('of thirty endpoints added concurrently a player gets the limit', async () => {
  const player = await newPlayer()
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      player.request('POST', '/webhooks', { body: draft(`/many-${index}`) }),
    ),
  )
  assert.equal(responses.filter(({ status }) => status === 201).length, webhooks.endpointsPerPlayerMax)
  for (const response of responses.filter(({ status }) => status !== 201))
    assertRejected(response, 409, 'too_many')
  assert.equal((await list(player)).length, webhooks.endpointsPerPlayerMax)
})

test('an invalid endpoint is rejected with a message, and changes nothing', async () => {
  const player = await newPlayer()
  const { id } = await add(player, '/kept')
  const before = await list(player)
  const wrong: [object, RegExp][] = [
    [{ url: 'ftp://example.com/' }, /must begin with/],
    [{ url: 'nonsense' }, /not a complete address/],
    [{ url: 'https://user:secret@example.com/' }, /user name or password/],
    [{ url: `https://example.com/${'x'.repeat(2_000)}` }, /url/],
    [{ description: 'x'.repeat(201) }, /description/],
    [{ types: ['nonsense.*'] }, /neither an event type/],
    [{ types: [] }, /types/],
    [{ nation_ids: ['a b'] }, /nation_ids/],
    [{ secret: 'whsec_mine' }, /body/],
    [{ player_id: 'other_player' }, /body/],
  ]
  for (const [more, message] of wrong) {
    for (const [method, path] of [
      ['POST', '/webhooks'],
      ['PUT', `/webhooks/${id}`],
    ] as const) {
      const response = await player.request(method, path, { body: draft('/kept', more) })
      assert.match(assertRejected(response, 400, 'invalid_request', JSON.stringify(more)), message)
    }
  }
  assert.deepEqual(await list(player), before)
})

test('the response of a receiver is returned unchanged', async () => {
  const player = await newPlayer()
  const script = '<script>alert(1)</script>'
  receiver.respondWith('/script', respondStatus(500, script))
  const { test: tested } = await add(player, '/script', { description: script })
  assert.equal(tested.answer, script)
  const [endpoint] = await list(player)
  assert.equal(endpoint?.description, script)
})
