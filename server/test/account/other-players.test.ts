import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AccountOperation, accountOperations } from '@chancery/contract'
import { smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import { pluck } from '../support/pluck.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { assertRejected, endpointDraft, signIn, startAccounts } from './browser.ts'

/** The ids of the owner's items, by the first part of the path. */
const owned: Record<string, string> = {}

const chancery = closeAfter(
  await startAccounts(smallWorld(), {
    CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true',
    CHANCERY_KEY_LIMIT: '120',
  }),
)
const receiver = closeAfter(await startWebhookReceiver())
const owner = await signIn(chancery, { nation_id: 'n1' })
const outsider = await signIn(chancery, { nation_id: 'n2' })
const draft = (path: string) => endpointDraft(receiver.url(path))
const key = { name: 'theirs', scopes: ['military.read'], expires_at: null }
owned.keys = (await owner.requestOk<{ id: string }>('POST', '/keys', key)).id
owned.codes = (await owner.requestOk<{ id: string }>('POST', '/codes', {})).id
owned.webhooks = (await owner.requestOk<{ id: string }>('POST', '/webhooks', draft('/owners'))).id

/** Valid bodies by path; others are empty. */
const bodies: Record<string, () => object> = {
  '/keys/{id}/rotate': () => ({ overlap_hours: 1 }),
  '/keys/{id}/limit-request': () => ({ calls_per_minute: 600, sentence: 'We are many.' }),
  '/webhooks/{id}': () => draft('/moved'),
  '/webhooks/{id}/replay': () => ({ failed: true }),
}

/** Required parameters by path. */
const queries: Record<string, string> = { '/webhooks/{id}/requests': '?delivery=dlv_1' }

const operations: AccountOperation[] = Object.values(accountOperations)
const named = operations.filter(({ path }) => path.includes('{id}'))

/** Without the part that differs between requests. */
const withoutRequest = (text: string) => text.replace(/"request_id":"[^"]*"/, '')

for (const { method, path } of named) {
  test(`${method} ${path}: another player’s item gets the response of an unknown one`, async () => {
    const kind = path.split('/')[1] ?? ''
    const request = (id: string) => {
      const body = method === 'GET' || method === 'DELETE' ? undefined : (bodies[path]?.() ?? {})
      return outsider.request(method, path.replace('{id}', id) + (queries[path] ?? ''), { body })
    }
    const ownedId = owned[kind] ?? ''
    const unknownId = ownedId.slice(0, -2) + (ownedId.endsWith('xy') ? 'yx' : 'xy')
    const before = await owner.requestOk('GET', `/${kind}`)
    const responses = [await request(ownedId), await request(unknownId)]
    for (const response of responses) assertRejected(response, 404, 'not_found', path)
    const [first, second] = responses.map(({ text, headers }) => [
      withoutRequest(text),
      [...headers.keys()].sort(),
      headers.get('content-length'),
    ])
    assert.deepEqual(first, second)
    assert.deepEqual(await owner.requestOk('GET', `/${kind}`), before, 'and stays unchanged')
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
  for (const path of lists) assert.deepEqual(await outsider.requestOk('GET', path), { data: [] }, path)
  assert.deepEqual(await outsider.requestOk('GET', '/codes'), { live: [], redeemed: [], live_max: 10 })
  const { data } = await outsider.requestOk<{ data: { action: string }[] }>('GET', '/log')
  assert.deepEqual(pluck(data, 'action'), ['session.started'])
  const calls = await outsider.request('GET', `/calls?key_id=${owned.keys}`)
  assertRejected(calls, 404, 'not_found')
})

test('a body is validated before the id is looked up, so that an invalid one reveals nothing', async () => {
  for (const id of [owned.keys, 'key_unknown']) {
    const response = await outsider.request('POST', `/keys/${id}/rotate`, { body: { overlap_hours: 25 } })
    assertRejected(response, 400, 'invalid_request')
  }
})
