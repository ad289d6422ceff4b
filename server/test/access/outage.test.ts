import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from '../../src/access/key.ts'
import { sendLines } from '../http/raw.ts'
import { assertError, readResponse } from '../http/responses.ts'
import { everyOperation, smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import { startBehindProxy, untilStatus } from '../support/tcp-proxy.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'

const chancery = closeAfter(await startTestServer())
await chancery.ingest(smallWorld())

const call = async (server: TestServer, path: string, key?: string) =>
  readResponse(await server.get(path, key === undefined ? {} : { key }))

test('while the database is unavailable a key is neither valid nor invalid: 503, never 401', async t => {
  const { server, proxy } = await startBehindProxy(t, chancery.databaseUrl)
  const { id, key } = await chancery.makeKey({ nation_id: 'n1' })
  const { key: unseen } = await chancery.makeKey({ nation_id: 'n1' })
  await untilStatus(200, server, '/me/key', key)
  proxy.cut()
  assert.equal((await chancery.operate('POST', `/keys/${id}/revoke`)).status, 200)
  // It is cached for a moment; after that its revocation cannot be checked. A malformed code needs no query, so only the key does.
  await until(async () => {
    const { status } = await call(server, '/discord/verify/NOSUCHCODE', key)
    assert.notEqual(status, 401)
    return status === 503
  }, 'the cached key is not trusted')

  for (const [name, bearer] of Object.entries({ cached: key, unseen, unknown: generateKey() })) {
    for (const { path } of everyOperation) {
      const response = await call(server, path, bearer)
      assertError(response, 'unavailable', `${name} ${path}`)
      assert.equal(response.headers['retry-after'], '1')
      assert.equal(response.headers['www-authenticate'], undefined)
    }
    assertError(await call(server, '/nowhere', bearer), 'unavailable', name)
  }
  const lines = (method: string, path: string) => [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${unseen}`,
  ]
  assertError(
    await sendLines(server.url, lines('GET', '/%zz')),
    'unavailable',
    'the key comes before the path',
  )
  assertError(
    await sendLines(server.url, lines('POST', '/api/v1/game')),
    'method_not_allowed',
    '405 comes before the key',
  )
  assertError(
    await sendLines(server.url, lines('POST', '/%zz')),
    'method_not_allowed',
    '405 comes before the key',
  )
  assert.equal((await sendLines(server.url, lines('OPTIONS', '/api/v1/game'))).status, 204)

  proxy.restore()
  await untilStatus(200, server, '/me/key', unseen)
  assertError(await call(server, '/me/key', key), 'invalid_api_key', 'revoked in the meantime')
})

test('while the database is unavailable a mistyped key gets 401: it needs no query', async t => {
  const { server, proxy } = await startBehindProxy(t, chancery.databaseUrl)
  const { key } = await chancery.makeKey({ nation_id: 'n1' })
  proxy.cut()
  const mistyped = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
  assertError(await call(server, '/game', mistyped), 'invalid_api_key', 'mistyped')
  assertError(await call(server, '/game', 'nonsense'), 'invalid_api_key', 'nonsense')
})

test('while the database is unavailable all operations return 503, and paths without a database keep working', async t => {
  const { server, proxy } = await startBehindProxy(t, chancery.databaseUrl)
  const code = await chancery.makeCode('n1')
  await until(async () => (await fetch(`${server.url}/readyz`)).status === 200, 'it is ready')
  proxy.cut()
  await untilStatus(503, server, '/nations')
  for (const { path, operation } of everyOperation) {
    if (operation.scope !== 'none' || operation.id === 'discord.verify') continue
    assertError(await call(server, path), 'unavailable', path)
  }
  assertError(await call(server, `/discord/verify/${code}`), 'unavailable', 'a code')
  assertError(await call(server, '/me/nation'), 'api_key_required', 'no key')
  assertError(await call(server, '/nowhere'), 'not_found', 'an unknown path')
  assertError(await call(server, '/nations?limit=x'), 'invalid_parameter', 'a parameter')
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
  await until(
    async () => (await fetch(`${server.url}/readyz`)).status === 503,
    'a server without its database is not ready',
  )
  proxy.restore()
  await untilStatus(200, server, '/nations')
  await server.read(`/discord/verify/${code}`)
})

test('an unresponsive database counts as unavailable: requests time out, and caches are not trusted', async t => {
  const { server, proxy } = await startBehindProxy(t, chancery.databaseUrl)
  const { id, key } = await chancery.makeKey({ nation_id: 'n1' })
  // Dead idle connections are not noticed before they are used.
  await Promise.all(Array.from({ length: 20 }, () => call(server, '/game', generateKey())))
  await untilStatus(200, server, '/me/key', key)
  proxy.pause()
  assert.equal((await chancery.operate('POST', `/keys/${id}/revoke`)).status, 200)
  // More than there are connections: some requests wait for dead ones, some for new ones.
  const responses = await Promise.all(Array.from({ length: 12 }, () => call(server, '/game', generateKey())))
  for (const response of responses) assertError(response, 'unavailable', 'unresponsive')
  proxy.restore()
  await untilStatus(401, server, '/me/key', key)
})
