import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, test } from 'node:test'
import type { ChanceryEvent } from '@chancery/client'
import { openStore } from '../src/store.ts'
import { createWebhookServer } from '../src/webhook.ts'

const key = Buffer.from('a secret of a test, long enough')
const secret = `whsec_${key.toString('base64')}`

let server: Server
let handled: ChanceryEvent[]
let invalidated: string[]
let isFailing = false

beforeEach(async () => {
  handled = []
  invalidated = []
  isFailing = false
  server = createWebhookServer({
    client: { invalidate: event => invalidated.push(event.id) },
    store: openStore(':memory:'),
    secrets: [`whsec_${Buffer.from('the secret before this one').toString('base64')}`, secret],
    async handle(event) {
      if (isFailing) throw new Error('Discord is unavailable')
      handled.push(event)
    },
    onError: () => {},
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => server.close())

const event = (id: string) => ({ id, seq: 7, type: 'war.declared', data: {} })

function post(
  body: object,
  { signedAs = body, method = 'POST' }: { signedAs?: object; method?: string } = {},
) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signed = `evt.${timestamp}.${JSON.stringify(signedAs)}`
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  const { port } = server.address() as AddressInfo
  const headers = { 'webhook-id': 'evt', 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  const sent = method === 'POST' ? { body: JSON.stringify(body) } : {}
  return fetch(`http://127.0.0.1:${port}/`, { method, headers, ...sent })
}
const wrapped = (id: string) => ({ type: 'war.declared', timestamp: '2026-05-27T18:04:11Z', data: event(id) })

test('a signed event is handled, and evicts what the client cached about it', async () => {
  assert.equal((await post(wrapped('evt_1'))).status, 204)
  assert.deepEqual(
    handled.map(({ id }) => id),
    ['evt_1'],
  )
  assert.deepEqual(invalidated, ['evt_1'])
})

test('a repeated event is handled once', async () => {
  for (const id of ['evt_1', 'evt_1', 'evt_2']) assert.equal((await post(wrapped(id))).status, 204)
  assert.deepEqual(
    handled.map(({ id }) => id),
    ['evt_1', 'evt_2'],
  )
})

test('an event that failed is retried by the service, and then handled', async () => {
  isFailing = true
  assert.equal((await post(wrapped('evt_1'))).status, 500)
  isFailing = false
  assert.equal((await post(wrapped('evt_1'))).status, 204)
  assert.equal(handled.length, 1)
})

test('a message with a changed body is rejected', async () => {
  assert.equal((await post(wrapped('evt_1'), { signedAs: wrapped('evt_2') })).status, 401)
  assert.deepEqual(handled, [])
})

test('a test message is acknowledged, and nothing else', async () => {
  const sent = { type: 'webhook.test', timestamp: '2026-05-27T18:04:11Z', data: { id: 'evt_test_1', seq: 0 } }
  assert.equal((await post(sent)).status, 204)
  assert.deepEqual(handled, [])
})

test('other methods and too long bodies are rejected', async () => {
  assert.equal((await post({}, { method: 'GET' })).status, 405)
  assert.equal((await post({ long: 'x'.repeat(1_100_000) })).status, 413)
})
