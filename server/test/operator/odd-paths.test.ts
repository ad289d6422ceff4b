import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let chancery: TestServer
before(async () => {
  chancery = await startTestServer()
})
after(() => chancery.close())

async function assertRefused(response: Response, status: number, code: string): Promise<void> {
  const { error } = (await response.json()) as { error: { code: string; request_id: string } }
  assert.deepEqual([response.status, error.code], [status, code])
  assert.equal(error.request_id, response.headers.get('x-request-id'))
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
}

test('a path with invalid percent-encoding is a bad request', async () => {
  for (const path of ['/feeds/%', '/keys/%zz/revoke', '/%ff'])
    await assertRefused(await chancery.operate('GET', path), 400, 'bad_request')
})

test('a query with invalid percent-encoding is rejected', async () => {
  for (const query of ['player_id=%', 'player_id=%zz', 'player_id=%ff', '%=p1'])
    await assertRefused(await chancery.operate('GET', `/webhooks?${query}`), 400, 'bad_request')
})

test('a path with invalid percent-encoding is 401 without a token', async () => {
  await assertRefused(await fetch(`${chancery.operatorUrl}/feeds/%`), 401, 'invalid_api_key')
})

test('an unknown id of any length is not found', async () => {
  await assertRefused(await chancery.operate('GET', `/feeds/${'x'.repeat(3_000)}`), 404, 'not_found')
})

test('null is rejected as a body, also where none is needed', async () => {
  await assertRefused(await chancery.operate('POST', '/players/p1/suspend', null), 400, 'bad_request')
})

test('an invalid player id cannot be suspended', async () => {
  for (const id of ['', '%20', 'a%2Fb', 'x'.repeat(65)])
    await assertRefused(await chancery.operate('POST', `/players/${id}/suspend`), 400, 'bad_request')
})
