import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AccountEndpoint,
  type AccountList,
  type NewAccountEndpoint,
  type TestedAccountEndpoint,
  type WebhookDelivery,
  type WebhookRequests,
  webhooks,
} from '@chancery/contract'
import { smallWorld } from '../http/world.ts'
import { nation, put, remove } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { until } from '../support/until.ts'
import { isTest, respondAfter, respondStatus, startWebhookReceiver } from '../support/webhook-receiver.ts'
import { assertRejected, endpointDraft, type SignedIn, signIn, startAccounts } from './browser.ts'

const chancery = closeAfter(await startAccounts(smallWorld(), { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' }))
const receiver = closeAfter(await startWebhookReceiver())

let players = 0
const newPlayer = () => signIn(chancery, { player_id: `listener_${players++}` })

const draft = (path: string, more: object = {}) =>
  endpointDraft(receiver.url(path), { description: 'a bot', ...more })
const add = (player: SignedIn, path: string, more: object = {}) =>
  player.requestOk<NewAccountEndpoint>('POST', '/webhooks', draft(path, more))
const sendTest = (player: SignedIn, id: string) =>
  player.requestOk<TestedAccountEndpoint>('POST', `/webhooks/${id}/test`, {})
/** Adds an endpoint and sends its test. */
const addTested = async (player: SignedIn, path: string, more: object = {}) => {
  const { id, secret } = await add(player, path, more)
  return { ...(await sendTest(player, id)), secret }
}
const list = async (player: SignedIn) =>
  (await player.requestOk<AccountList<AccountEndpoint>>('GET', '/webhooks')).data
const deliveries = async (player: SignedIn, id: string) =>
  (await player.requestOk<AccountList<WebhookDelivery>>('GET', `/webhooks/${id}/deliveries`)).data
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

test('an endpoint is added with its secret, activated by a test, receives events, and is removed', async () => {
  const player = await newPlayer()
  const response = await player.request<NewAccountEndpoint>('POST', '/webhooks', {
    body: draft('/story', { types: ['nation.*'] }),
  })
  assert.equal(response.status, 201)
  const { secret, ...added } = response.body
  assert.match(secret, /^whsec_/)
  assert.equal(added.status, 'unconfirmed')
  assert.deepEqual(receiver.testsAt('/story'), [], 'nothing is sent before the player has the secret')
  const { test: tested, ...shown } = await sendTest(player, added.id)
  assert.deepEqual([tested?.has_arrived, tested?.status, shown.status], [true, 204, 'active'])
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
  const { id } = await addTested(player, '/filter')
  const changed = await change(player, id, '/filter', { types: ['war.*'], description: 'wars' })
  assert.deepEqual(
    [changed.status, changed.test, changed.types, changed.description],
    ['active', null, ['war.*'], 'wars'],
  )
  assert.equal(receiver.testsAt('/filter').length, 1)
  const bystander = await addTested(await newPlayer(), '/filter-bystander')
  await emitEvent()
  await receivedAt('/filter-bystander', 1)
  assert.equal(bystander.status, 'active')
  assert.deepEqual(receiver.eventsAt('/filter'), [])
})

test('a changed URL receives nothing before a successful test', async () => {
  const player = await newPlayer()
  const { id } = await addTested(player, '/old')
  receiver.respondWith('/new', respondStatus(500, 'not yet'))
  const moved = await change(player, id, '/new')
  assert.deepEqual(
    [moved.url, moved.status, moved.test?.has_arrived, moved.test?.answer],
    [receiver.url('/new'), 'unconfirmed', false, 'not yet'],
  )
  const bystander = await addTested(await newPlayer(), '/bystander')
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
  const { id } = await addTested(player, '/first')
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
  const { id } = await addTested(player, '/off')
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
  const { id } = await addTested(player, '/kept')
  const before = await list(player)
  const wrong: [field: string | undefined, object, RegExp][] = [
    ['url', { url: '' }, /^Url must not be empty\.$/],
    ['url', { url: 'ftp://example.com/' }, /must begin with/],
    ['url', { url: 'nonsense' }, /not a complete address/],
    ['url', { url: 'https://user:secret@example.com/' }, /user name or password/],
    ['url', { url: `https://example.com/${'x'.repeat(2_000)}` }, /^Url must not have more than 2000/],
    ['description', { description: 'x'.repeat(201) }, /^Description must not have more than 200/],
    ['types', { types: ['nonsense.*'] }, /neither an event type/],
    ['types', { types: [] }, /^Types /],
    ['nation_ids', { nation_ids: ['a b'] }, /^Nation ids: entry 1 must be an id of 1 to 64 letters/],
    ['nation_ids', { nation_ids: ['n1', 'n404', 'n405'] }, /^There is no nation with the id n404, n405\.$/],
    ['alliance_ids', { alliance_ids: ['a404'] }, /^There is no alliance with the id a404\.$/],
    [undefined, { secret: 'whsec_mine' }, /Reload the page/],
    [undefined, { player_id: 'other_player' }, /Reload the page/],
  ]
  for (const [field, more, message] of wrong) {
    for (const [method, path] of [
      ['POST', '/webhooks'],
      ['PUT', `/webhooks/${id}`],
    ] as const) {
      const response = await player.request(method, path, { body: draft('/kept', more) })
      const what = `${method} ${JSON.stringify(more)}`
      assert.match(assertRejected(response, 400, 'invalid_request', what), message)
      assert.equal(response.body.error.field, field, what)
    }
  }
  assert.deepEqual(await list(player), before)
})

test('the response of a receiver is returned unchanged', async () => {
  const player = await newPlayer()
  const script = '<script>alert(1)</script>'
  receiver.respondWith('/script', respondStatus(500, script))
  const { test: tested } = await addTested(player, '/script', { description: script })
  assert.equal(tested?.answer, script)
  const [endpoint] = await list(player)
  assert.equal(endpoint?.description, script)
})

test('a nation of a filter that was deleted since may stay, and no other may be added', async () => {
  const player = await newPlayer()
  await chancery.ingest([nation('n_gone')])
  const { id } = await add(player, '/gone', { nation_ids: ['n1', 'n_gone'] })
  await chancery.ingest([remove('nation', 'n_gone')])
  const changed = await change(player, id, '/gone', { nation_ids: ['n_gone'], description: 'still there' })
  assert.deepEqual([changed.nation_ids, changed.description], [['n_gone'], 'still there'])
  const body = draft('/gone', { nation_ids: ['n_gone'] })
  assertRejected(await player.request('POST', '/webhooks', { body }), 400, 'invalid_request')
})

test('a failed test is the last failure of an endpoint, with its reason', async () => {
  const player = await newPlayer()
  receiver.respondWith('/down', respondStatus(503, 'no'))
  const { id, ...failed } = await addTested(player, '/down')
  const lastFailure = (of: AccountEndpoint | undefined) => [
    of?.status,
    of?.last_failed_at !== null,
    of?.last_failed_status,
    of?.last_failed_error,
  ]
  assert.deepEqual(lastFailure({ id, ...failed }), ['unconfirmed', true, 503, null])
  receiver.respondWith('/down', respondStatus(204))
  assert.deepEqual(lastFailure(await sendTest(player, id)), ['active', true, 503, null])
  receiver.respondWith('/down', respondStatus(500))
  await sendTest(player, id)
  const [endpoint] = await list(player)
  assert.deepEqual(lastFailure(endpoint), ['active', true, 500, null])
  assert.equal(endpoint?.failing_since, null, 'a test begins no failure period')
})

test('a failing endpoint names the last failure and the next attempt', async () => {
  const player = await newPlayer()
  const { id, ...before } = await addTested(player, '/failing-events')
  assert.deepEqual([before.last_failed_status, before.next_attempt_at], [null, null])
  receiver.respondWith('/failing-events', respondStatus(502))
  await emitEvent()
  await until(async () => (await list(player))[0]?.failing_since != null, 'the failure is recorded')
  const [endpoint] = await list(player)
  const [delivery] = (await deliveries(player, id)).filter(({ event_id }) => event_id !== null)
  assert.deepEqual([endpoint?.last_failed_status, endpoint?.last_failed_error], [502, null])
  assert.equal(endpoint?.next_attempt_at, delivery?.next_at)
  assert.ok(endpoint?.next_attempt_at)
})

test('the requests of a delivery are shown as they were sent, without the secret', async () => {
  const player = await newPlayer()
  const { id, secret } = await addTested(player, '/shown')
  await emitEvent()
  await receivedAt('/shown', 1)
  await until(
    async () => (await deliveries(player, id)).filter(({ state }) => state === 'delivered').length === 2,
    'both are recorded',
  )
  const requestsOf = (delivery: string) =>
    player.requestOk<WebhookRequests>('GET', `/webhooks/${id}/requests?delivery=${delivery}`)
  for (const delivery of await deliveries(player, id)) {
    const [received] = [...receiver.testsAt('/shown'), ...receiver.eventsAt('/shown')].filter(
      message => isTest(message) === (delivery.event_id === null),
    )
    const shown = await requestsOf(delivery.id)
    assert.equal(shown.body, received?.body)
    assert.equal(shown.attempts.length, 1)
    const names = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature']
    assert.deepEqual(
      shown.attempts[0]?.headers,
      names.map(name => ({ name, value: received?.headers[name] })),
    )
    assert.ok(!JSON.stringify(shown).includes(secret.slice(6)), 'the secret is not shown')
  }
  // A signature that was sent stays, although another secret signs now.
  const [delivery] = await deliveries(player, id)
  const before = await requestsOf(delivery?.id ?? '')
  await player.requestOk('POST', `/webhooks/${id}/rotate`, {})
  assert.deepEqual(await requestsOf(delivery?.id ?? ''), before)

  const other = await newPlayer()
  const { id: theirId } = await add(other, '/shown-other')
  for (const unknown of ['dlv_999999', 'dlv_test_0', 'nonsense', delivery?.id ?? '']) {
    const response = await other.request('GET', `/webhooks/${theirId}/requests?delivery=${unknown}`)
    assertRejected(response, 404, 'not_found')
  }
})
