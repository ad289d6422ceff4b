import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type AccountEndpoint,
  type AccountList,
  type NewAccountEndpoint,
  type TestedAccountEndpoint,
  type WebhookDelivery,
  webhooks,
} from '@chancery/contract'
import { smallWorld } from '../http/world.ts'
import type { TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import {
  after as answerAfter,
  startWebhookReceiver,
  type WebhookReceiver,
  withStatus,
} from '../support/webhook-receiver.ts'
import { assertRefused, type SignedIn, signIn, startAccounts } from './browser.ts'

let chancery: TestServer
let receiver: WebhookReceiver
before(async () => {
  chancery = await startAccounts(smallWorld(), { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })
  receiver = await startWebhookReceiver()
})
after(async () => {
  await chancery.close()
  await receiver.close()
})

let players = 0
const newPlayer = () => signIn(chancery, { player_id: `listener_${players++}` })

const draft = (path: string, more: object = {}) => ({
  url: receiver.url(path),
  description: 'a bot',
  types: null,
  nation_ids: null,
  alliance_ids: null,
  ...more,
})
const add = (player: SignedIn, path: string, more: object = {}) =>
  player.done<NewAccountEndpoint>('POST', '/webhooks', draft(path, more))
const list = async (player: SignedIn) =>
  (await player.done<AccountList<AccountEndpoint>>('GET', '/webhooks')).data
const change = (player: SignedIn, id: string, path: string, more: object = {}) =>
  player.done<TestedAccountEndpoint>('PUT', `/webhooks/${id}`, draft(path, more))

let told = 0
/** Something that everybody hears of. */
const happen = () =>
  chancery.ingest([{ op: 'put', resource: 'nation', data: { id: 'n1', nation_name: `Name ${told++}` } }], {
    waits: false,
  })
const heard = (path: string, count: number) =>
  until(() => receiver.newsAt(path).length >= count, `${count} events arrive at ${path}`)

test('an endpoint is added with a test, receives events, is listed without its secret, and is removed', async () => {
  const player = await newPlayer()
  const answer = await player.ask<NewAccountEndpoint>('POST', '/webhooks', {
    body: draft('/story', { types: ['nation.*'] }),
  })
  assert.equal(answer.status, 201)
  const { secret, test: tested, ...shown } = answer.body
  assert.match(secret, /^whsec_/)
  assert.deepEqual([tested.has_arrived, tested.status, shown.status], [true, 204, 'active'])
  assert.ok(!('player_id' in shown))
  assert.deepEqual(await list(player), [shown])

  await happen()
  await heard('/story', 1)
  const log = async (query: string) =>
    (await player.done<AccountList<WebhookDelivery>>('GET', `/webhooks/${shown.id}/deliveries${query}`)).data
  await until(async () => (await log('?state=delivered')).length === 2, 'both deliveries are settled')
  const [news, test] = await log('?limit=2')
  assert.deepEqual([news?.type, test?.type], ['nation.renamed', webhooks.testType])
  assert.deepEqual((await log('?limit=1')).length, 1)
  assert.ok(news && !('endpoint_id' in news))

  assert.deepEqual(await player.done('POST', `/webhooks/${shown.id}/replay`, { delivery: news.id }), {
    queued: 1,
  })
  await heard('/story', 2)
  const rotated = await player.done<NewAccountEndpoint>('POST', `/webhooks/${shown.id}/rotate`, {})
  assert.notEqual(rotated.secret, secret)
  assert.notEqual(rotated.previous_secret_ends_at, null)

  const off = await player.done<AccountEndpoint>('POST', `/webhooks/${shown.id}/disable`, {})
  assert.deepEqual([off.status, off.disabled_reason], ['disabled', 'owner'])
  const on = await player.done<TestedAccountEndpoint>('POST', `/webhooks/${shown.id}/enable`, {})
  assert.deepEqual([on.status, on.test?.has_arrived], ['active', true])
  const retested = await player.done<TestedAccountEndpoint>('POST', `/webhooks/${shown.id}/test`, {})
  assert.equal(retested.test?.has_arrived, true)
  await player.done('DELETE', `/webhooks/${shown.id}`, {})
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
  await happen()
  await heard('/filter-bystander', 1)
  assert.equal(bystander.status, 'active')
  assert.deepEqual(receiver.newsAt('/filter'), [])
})

test('a changed URL receives nothing before a successful test', async () => {
  const player = await newPlayer()
  const { id } = await add(player, '/old')
  receiver.answer('/new', withStatus(500, 'not yet'))
  const moved = await change(player, id, '/new')
  assert.deepEqual(
    [moved.url, moved.status, moved.test?.has_arrived, moved.test?.answer],
    [receiver.url('/new'), 'unconfirmed', false, 'not yet'],
  )
  const bystander = await add(await newPlayer(), '/bystander')
  await happen()
  await heard('/bystander', 1)
  assert.deepEqual([receiver.newsAt('/old'), receiver.newsAt('/new')], [[], []])

  receiver.answer('/new', withStatus(204))
  const tested = await player.done<TestedAccountEndpoint>('POST', `/webhooks/${id}/test`, {})
  assert.equal(tested.status, 'active')
  await happen()
  await heard('/new', 1)
  assert.deepEqual(receiver.newsAt('/old'), [])
  assert.equal(bystander.status, 'active')
})

test('a successful test activates only the URL that was tested, also when the URL changes meanwhile', async () => {
  const player = await newPlayer()
  const { id } = await add(player, '/first')
  receiver.answer('/slow', answerAfter(400, withStatus(204)))
  receiver.answer('/deaf', withStatus(500))
  const slow = change(player, id, '/slow')
  await until(() => receiver.testsAt('/slow').length === 1, 'the first test is under way')
  const deaf = await change(player, id, '/deaf')
  assert.equal(deaf.status, 'unconfirmed')
  await slow
  const [endpoint] = await list(player)
  assert.deepEqual([endpoint?.url, endpoint?.status], [receiver.url('/deaf'), 'unconfirmed'])
})

test('a disabled endpoint stays disabled when it is changed', async () => {
  const player = await newPlayer()
  const { id } = await add(player, '/off')
  await player.done('POST', `/webhooks/${id}/disable`, {})
  const changed = await change(player, id, '/off-elsewhere')
  assert.deepEqual([changed.status, changed.test], ['disabled', null])
  assert.deepEqual(receiver.testsAt('/off-elsewhere'), [])
})

test('of thirty endpoints added concurrently a player gets the limit', async () => {
  const player = await newPlayer()
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      player.ask('POST', '/webhooks', { body: draft(`/many-${index}`) }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, webhooks.endpointsPerPlayerMax)
  for (const answer of answers.filter(({ status }) => status !== 201)) assertRefused(answer, 409, 'too_many')
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
    [{ player_id: 'somebody' }, /body/],
  ]
  for (const [more, message] of wrong) {
    for (const [method, path] of [
      ['POST', '/webhooks'],
      ['PUT', `/webhooks/${id}`],
    ] as const) {
      const answer = await player.ask(method, path, { body: draft('/kept', more) })
      assert.match(assertRefused(answer, 400, 'invalid_request', JSON.stringify(more)), message)
    }
  }
  assert.deepEqual(await list(player), before)
})

test('the response of a receiver is returned unchanged', async () => {
  const player = await newPlayer()
  const script = '<script>alert(1)</script>'
  receiver.answer('/script', withStatus(500, script))
  const { test: tested } = await add(player, '/script', { description: script })
  assert.equal(tested.answer, script)
  const [endpoint] = await list(player)
  assert.equal(endpoint?.description, script)
})
