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

test('a path of broken percent-encoding is refused like anything else that is wrong', async () => {
  for (const path of ['/feeds/%', '/keys/%zz/revoke', '/%ff'])
    await assertRefused(await chancery.operate('GET', path), 400, 'bad_request')
})

test('a query of broken percent-encoding is refused, and not taken as it stands', async () => {
  for (const query of ['player_id=%', 'player_id=%zz', 'player_id=%ff', '%=p1'])
    await assertRefused(await chancery.operate('GET', `/webhooks?${query}`), 400, 'bad_request')
})

test('a stranger is told nothing about a path of broken percent-encoding', async () => {
  await assertRefused(await fetch(`${chancery.operatorUrl}/feeds/%`), 401, 'invalid_api_key')
})

test('an id of any length that names nothing is not found', async () => {
  await assertRefused(await chancery.operate('GET', `/feeds/${'x'.repeat(3_000)}`), 404, 'not_found')
})

test('null is no body, also where none is needed', async () => {
  await assertRefused(await chancery.operate('POST', '/players/p1/suspend', null), 400, 'bad_request')
})

test('what cannot be the id of a player is not suspended', async () => {
  for (const id of ['', '%20', 'a%2Fb', 'x'.repeat(65)])
    await assertRefused(await chancery.operate('POST', `/players/${id}/suspend`), 400, 'bad_request')
})
