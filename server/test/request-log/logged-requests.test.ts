import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from '../../src/access/key.ts'
import type { RequestRow } from '../../src/request-log/queries.ts'
import { sendLines, sendRaw } from '../http/raw.ts'
import { everyOperation, playerOf, smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import { startBehindProxy } from '../support/tcp-proxy.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { findRequest } from './test-requests.ts'

const chancery = closeAfter(await startTestServer())
await chancery.ingest(smallWorld())
const key = await chancery.makeKey({ nation_id: 'n1' }, ['military.read', 'treasury.read'])

/** The rows of a request, when there are any: a busy machine writes them late. */
async function linesOf(server: TestServer, requestId: string, count = 1): Promise<RequestRow[]> {
  let lines: RequestRow[] = []
  await until(async () => {
    lines = await findRequest(server, requestId)
    return lines.length >= count
  }, `${requestId} is in the request log`)
  return lines
}

/** Asserts the row of a response; its id is in the response header. */
async function assertLogged(
  server: TestServer,
  { status, requestId }: { status: number; requestId: string | undefined },
  { operation, keyId }: { operation: string; keyId: string | null },
  what: string,
): Promise<void> {
  const [line, ...others] = await linesOf(server, requestId ?? 'none')
  assert.deepEqual(others, [], what)
  assert.ok(line, `${what} is not in the request log`)
  const { at, duration_ms, address, error_code, error_parameter: _, ...rest } = line
  assert.deepEqual(
    rest,
    {
      request_id: requestId,
      operation,
      status,
      key_id: keyId,
      key_name: keyId === null ? null : 'test',
      player_id: keyId === null ? null : playerOf('n1'),
    },
    what,
  )
  assert.equal(error_code !== null, status >= 400, `${what} has the error code ${error_code}`)
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000, `${what} has the time ${at}`)
  assert.ok(duration_ms >= 0 && duration_ms < 60_000, `${what} took ${duration_ms} ms`)
  assert.equal(address, keyId === null ? '127.0.0.1' : null, `${what}: a key or an address, never both`)
}

const raw = async (method: string, path: string, headers: string[] = []) => {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', ...headers]
  const { status, headers: received } = await sendLines(chancery.url, lines, { isHead: method === 'HEAD' })
  return { status, requestId: received['x-request-id'], etag: received.etag }
}
const bearer = (text: string) => `Authorization: Bearer ${text}`

for (const { operation, path } of everyOperation) {
  test(`${operation.id} is logged by its request id, with a key and without`, async () => {
    for (const [name, headers, keyId] of [
      ['with a key', [bearer(key.key)], key.id],
      ['without', [], null],
    ] as const) {
      const response = await raw('GET', `/api/public/v1${path}`, [...headers])
      await assertLogged(chancery, response, { operation: operation.id, keyId }, name)
    }
  })
}

test('a stream is logged once, when it starts', async () => {
  const { id, key: text } = await chancery.makeKey({ nation_id: 'n1' })
  const response = await chancery.get('/events/stream', { key: text })
  const logged = { status: 200, requestId: response.headers.get('x-request-id') ?? undefined }
  const expected = { operation: 'events.stream', keyId: id }
  await assertLogged(chancery, logged, expected, 'while it is open')
  await chancery.operate('POST', `/keys/${id}/revoke`)
  // The server ends it, because its key is revoked.
  await response.text()
  await assertLogged(chancery, logged, expected, 'after its end')
})

test('HEAD, 304, 405, 404, 400, 403 and preflights are logged', async () => {
  const nations = { operation: 'nations.list', keyId: key.id }
  const { etag } = await raw('GET', '/api/v1/nations')
  const cases = [
    ['HEAD', '/api/v1/nations', [bearer(key.key)], 200, nations],
    ['GET', '/api/v1/nations', [bearer(key.key), `If-None-Match: ${etag}`], 304, nations],
    ['POST', '/api/v1/nations', [bearer(key.key)], 405, nations],
    ['GET', '/api/v1/nations?limit=0', [bearer(key.key)], 400, nations],
    ['OPTIONS', '/api/v1/nations', [], 204, { ...nations, keyId: null }],
    [
      'GET',
      '/api/v1/alliances/a2?include=treasury',
      [bearer(key.key)],
      403,
      { ...nations, operation: 'alliances.get' },
    ],
    ['GET', '/api/v1/nowhere', [], 404, { operation: 'none', keyId: null }],
    ['GET', '/%zz', [], 400, { operation: 'none', keyId: null }],
  ] as const
  for (const [method, path, headers, status, expected] of cases) {
    const response = await raw(method, path, [...headers])
    assert.equal(response.status, status, `${method} ${path}`)
    await assertLogged(chancery, response, expected, `${method} ${path}`)
  }
})

test('a wrong key is logged by its address: 401', async () => {
  const { id, key: revoked } = await chancery.makeKey({ nation_id: 'n2' })
  await chancery.operate('POST', `/keys/${id}/revoke`)
  for (const [name, text] of Object.entries({ unknown: generateKey(), revoked, malformed: 'x' })) {
    const response = await raw('GET', '/api/v1/game', [bearer(text)])
    assert.equal(response.status, 401)
    await assertLogged(chancery, response, { operation: 'game.get', keyId: null }, name)
  }
})

test('invalid HTTP is logged too', async () => {
  for (const [text, status] of [
    ['GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['GET /api/v1/game HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n', 417],
    ['GET /api/v1/game HTTP/1.1\r\n\r\n', 400],
    ['CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ] as const) {
    const { responses } = await sendRaw(chancery.url, text)
    const [response] = responses
    assert.equal(response?.status, status)
    const [line] = await linesOf(chancery, response?.headers['x-request-id'] ?? 'none')
    assert.deepEqual([line?.status, line?.key_id, line?.address], [status, null, '127.0.0.1'])
  }
})

test('a 429 is logged with its key or address', async t => {
  const limited = await startTestServer(
    { CHANCERY_ANONYMOUS_LIMIT: '1' },
    { databaseUrl: chancery.databaseUrl },
  )
  t.after(() => limited.close())
  const { id, key: text } = await limited.makeKey({ nation_id: 'n1' }, undefined, { limit: 1 })
  for (const [name, options, keyId] of [
    ['with a key', { key: text }, id],
    ['without', {}, null],
  ] as const) {
    await (await limited.get('/game', options)).arrayBuffer()
    const response = await limited.get('/game', options)
    assert.equal(response.status, 429)
    const logged = { status: 429, requestId: response.headers.get('x-request-id') ?? undefined }
    await assertLogged(limited, logged, { operation: 'game.get', keyId }, name)
  }
})

test('a 503 is logged when the database is back', async t => {
  const { server, proxy } = await startBehindProxy(t, chancery.databaseUrl)
  proxy.cut()
  const response = await server.get('/me/key', { key: key.key })
  assert.equal(response.status, 503)
  proxy.restore()
  const requestId = response.headers.get('x-request-id') ?? ''
  const found = await linesOf(server, requestId)
  // The key could not be identified.
  assert.deepEqual(
    found.map(({ operation, status, key_id, address }) => [operation, status, key_id, address]),
    [['me.key', 503, null, '127.0.0.1']],
  )
})

test('a request id from a trusted proxy is found as sent, once per request', async t => {
  const server = await startTestServer(
    { CHANCERY_TRUSTED_PROXIES: '127.0.0.1' },
    { databaseUrl: chancery.databaseUrl },
  )
  t.after(() => server.close())
  const headers = { 'x-request-id': 'a-proxy_gave-This1', 'x-forwarded-for': '2001:db8:1:2:3::4' }
  await (await server.get('/game', { headers })).arrayBuffer()
  await (await server.get('/nations', { headers })).arrayBuffer()
  const lines = await linesOf(server, 'a-proxy_gave-This1', 2)
  assert.deepEqual(lines.map(({ operation, address }) => [operation, address]).sort(), [
    ['game.get', '2001:db8:1:2::/64'],
    ['nations.list', '2001:db8:1:2::/64'],
  ])
})
