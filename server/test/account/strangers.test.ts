import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AccountOperation, accountOperations } from '@chancery/contract'
import { smallWorld } from '../http/world.ts'
import type { TestServer } from '../support/test-server.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { assertRefused, type SignedIn, signIn, startAccounts } from './browser.ts'

let chancery: TestServer
let receiver: WebhookReceiver
let owner: SignedIn
let stranger: SignedIn
/** What the owner has, by the folder of its path. */
const owned: Record<string, string> = {}

before(async () => {
  chancery = await startAccounts(smallWorld(), {
    CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true',
    CHANCERY_KEY_LIMIT: '120',
  })
  receiver = await startWebhookReceiver()
  owner = await signIn(chancery, { nation_id: 'n1' })
  stranger = await signIn(chancery, { nation_id: 'n2' })
  const key = { name: 'theirs', scopes: ['military.read'], expires_at: null }
  owned.keys = (await owner.done<{ id: string }>('POST', '/keys', key)).id
  owned.codes = (await owner.done<{ id: string }>('POST', '/codes', {})).id
  owned.webhooks = (await owner.done<{ id: string }>('POST', '/webhooks', draft('/owners'))).id
})
after(async () => {
  await chancery.close()
  await receiver.close()
})

const draft = (path: string) => ({
  url: receiver.url(path),
  description: '',
  types: null,
  nation_ids: null,
  alliance_ids: null,
})

/** Bodies with which the owner's own request is taken. */
const bodies: Record<string, () => object> = {
  '/keys/{id}/rotate': () => ({ overlap_hours: 1 }),
  '/keys/{id}/limit-request': () => ({ calls_per_minute: 600, sentence: 'We are many.' }),
  '/webhooks/{id}': () => draft('/moved'),
  '/webhooks/{id}/replay': () => ({ failed: true }),
}

const operations: AccountOperation[] = Object.values(accountOperations)
const named = operations.filter(({ path }) => path.includes('{id}'))

/** As it stands, but for what differs from call to call. */
const withoutRequest = (text: string) => text.replace(/"request_id":"[^"]*"/, '')

for (const { method, path } of named) {
  test(`${method} ${path}: another player’s item gets the response of an unknown one`, async () => {
    const kind = path.split('/')[1] ?? ''
    const ask = (id: string) => {
      const body = method === 'GET' || method === 'DELETE' ? undefined : (bodies[path]?.() ?? {})
      return stranger.ask(method, path.replace('{id}', id), { body })
    }
    const theirs = owned[kind] ?? ''
    const nobodys = theirs.slice(0, -2) + (theirs.endsWith('xy') ? 'yx' : 'xy')
    const before = await owner.done('GET', `/${kind}`)
    const answers = [await ask(theirs), await ask(nobodys)]
    for (const answer of answers) assertRefused(answer, 404, 'not_found', path)
    const [first, second] = answers.map(({ text, headers }) => [
      withoutRequest(text),
      [...headers.keys()].sort(),
      headers.get('content-length'),
    ])
    assert.deepEqual(first, second)
    assert.deepEqual(await owner.done('GET', `/${kind}`), before, 'and stays as it is')
  })
}

test('every resource with an id is tested', () => {
  assert.deepEqual(
    [...new Set(named.map(({ path }) => path.split('/')[1]))].sort(),
    Object.keys(owned).sort(),
  )
})

test('no player sees items, log lines or requests of another', async () => {
  const lists = ['/keys', '/webhooks', '/calls']
  for (const path of lists) assert.deepEqual(await stranger.done('GET', path), { data: [] }, path)
  assert.deepEqual(await stranger.done('GET', '/codes'), { live: [], redeemed: [], live_max: 10 })
  const { data } = await stranger.done<{ data: { action: string }[] }>('GET', '/log')
  assert.deepEqual(
    data.map(({ action }) => action),
    ['session.started'],
  )
  const calls = await stranger.ask('GET', `/calls?key_id=${owned.keys}`)
  assertRefused(calls, 404, 'not_found')
})

test('a body is validated before the id is looked up, so that an invalid one reveals nothing', async () => {
  for (const id of [owned.keys, 'key_nobodys']) {
    const answer = await stranger.ask('POST', `/keys/${id}/rotate`, { body: { overlap_hours: 25 } })
    assertRefused(answer, 400, 'invalid_request')
  }
})
