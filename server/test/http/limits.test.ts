import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { bases, type RateLimitReason, rateLimitReasons } from '@chancery/contract'
import { rateHeaders } from '../../src/http/admission.ts'
import { useTestServer } from '../support/fixture.ts'
import { redisUrl } from '../support/redis-server.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../support/test-server.ts'
import { sendLines, sendRaw } from './raw.ts'
import { assertError, type ReceivedResponse, readResponse, remainingOf } from './responses.ts'
import { smallWorld } from './world.ts'

/** The default limits, those of the contract. */
const byDefault = { CHANCERY_ANONYMOUS_LIMIT: '', CHANCERY_KEY_LIMIT: '' }

/** With the default limits, and with two requests for an address. Each test has addresses of its own. */
const usual = useTestServer({ ...byDefault, CHANCERY_TRUSTED_PROXIES: '127.0.0.1' })
const narrow = useTestServer({
  ...byDefault,
  CHANCERY_TRUSTED_PROXIES: '127.0.0.1',
  CHANCERY_ANONYMOUS_LIMIT: '2',
})
const from = (address: string) => ({ 'x-forwarded-for': address })

async function start(
  t: TestContext,
  env: Record<string, string> = {},
  options: TestServerOptions = {},
): Promise<TestServer> {
  const chancery = await startTestServer({ ...byDefault, ...env }, options)
  t.after(() => chancery.close())
  return chancery
}

/** Sends this many requests at once, over the bases of one server or several in rotation. */
async function atOnce(
  count: number,
  servers: TestServer[],
  { key, headers = {} }: { key?: string; headers?: Record<string, string> } = {},
): Promise<ReceivedResponse[]> {
  const ways = servers.flatMap(server => Object.values(bases).map(base => ({ server, base })))
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const way = ways[index % ways.length]
      assert.ok(way)
      return readResponse(await way.server.get('/game', { base: way.base, headers, ...(key ? { key } : {}) }))
    }),
  )
}

/** Asserts that exactly `limit` succeed, each with another number remaining; the rest have Retry-After. */
function assertLimited(responses: ReceivedResponse[], limit: number, from = limit - 1): void {
  const passed = responses.filter(({ status }) => status === 200)
  const left = passed.map(remainingOf).sort((one, other) => other - one)
  assert.deepEqual(
    left,
    Array.from({ length: from + 1 }, (_, index) => from - index),
  )
  const now = Date.now() / 1000
  for (const response of responses) {
    assert.equal(response.headers['x-ratelimit-limit'], String(limit))
    const reset = Number(response.headers['x-ratelimit-reset'])
    assert.ok(Number.isInteger(reset) && reset > now - 1 && reset <= now + 61, `resets at ${reset}`)
    if (response.status === 200) {
      assert.equal(response.headers['retry-after'], undefined)
      continue
    }
    assertError(response, 'rate_limited', 'beyond the limit')
    assert.equal(remainingOf(response), 0)
    const retryAfter = Number(response.headers['retry-after'])
    assert.ok(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 60, `waits ${retryAfter}`)
  }
}

const options = async (chancery: TestServer, headers: Record<string, string> = {}) =>
  readResponse(await fetch(`${chancery.url}${bases.canonical}/game`, { method: 'OPTIONS', headers }))

test('the number of remaining requests is written in full', () => {
  for (const remaining of [0, 7, 60, 999, 1_000, 1_007, 1_070, 12_345, 600_000, 999_999_999]) {
    const headers = rateHeaders({ limit: 1e9, remaining, resetAt: 0, isAllowed: true, retryAfterSeconds: 1 })
    assert.equal(headers['x-ratelimit-remaining'], String(remaining))
  }
})

test('of many calls at once without a key 60 succeed, and of many with one 120, over both bases', async () => {
  const chancery = usual
  const { key } = await chancery.makeKey({ player_id: 'p1' })
  const { key: other } = await chancery.makeKey({ player_id: 'p1' })
  const [anonymous, keyed] = await Promise.all([atOnce(80, [chancery]), atOnce(140, [chancery], { key })])
  assertLimited(anonymous, 60)
  assertLimited(keyed, 120)

  const untouched = await readResponse(await chancery.get('/game', { key: other }))
  assert.deepEqual([untouched.status, remainingOf(untouched)], [200, 119], 'two keys of one player are two')
  for (const authorization of ['Bearer nonsense', '']) {
    const refused = await readResponse(await chancery.get('/game', { headers: { authorization } }))
    assertError(refused, 'rate_limited', 'a bad key from an address without calls left')
  }
  for (const path of [
    '/nowhere',
    '/nations?limit=x',
    '/nations/none',
    '/me/key',
    '/discord/verify/NOSUCHCODE',
  ])
    assertError(await readResponse(await chancery.get(path)), 'rate_limited', path)
  const lines = (method: string, path: string) => [`${method} ${path} HTTP/1.1`, 'Host: x']
  assertError(await sendLines(chancery.url, lines('GET', '/%zz')), 'rate_limited', '/%zz')
  for (const unread of [lines('POST', '/%zz'), lines('DELETE', '/api/v1/game')])
    assertError(await sendLines(chancery.url, unread), 'method_not_allowed', '405 comes before 429')
  const head = await sendLines(chancery.url, lines('HEAD', '/api/v1/game'), { isHead: true })
  assert.equal(head.status, 429)
  const preflight = await options(chancery)
  assert.deepEqual([preflight.status, remainingOf(preflight)], [204, 0], 'OPTIONS is never refused')
  assertError(await sendLines(chancery.url, lines('GET', '/ü')), 'bad_request', 'nor is an invalid request')
})

test('429 states which limit was reached, in its message and in x-ratelimit-reason', async t => {
  const chancery = await start(t, { CHANCERY_ANONYMOUS_LIMIT: '1000', CHANCERY_STREAMS_PER_IP: '1' })
  const { key } = await chancery.makeKey({ player_id: 'p1' }, undefined, { limit: 1 })
  const stream = await chancery.get('/events/stream')
  t.after(() => stream.body?.cancel())
  assert.equal(stream.headers.get('x-ratelimit-reason'), null)
  const request = 'GET /api/v1/game HTTP/1.1\r\nHost: x\r\n\r\n'
  const cases: Record<
    RateLimitReason,
    { refused: () => Promise<ReceivedResponse | undefined>; message: RegExp }
  > = {
    calls: {
      refused: async () => (await atOnce(2, [chancery], { key })).find(({ status }) => status === 429),
      message: /^Rate limit exceeded: 1 call in 60 seconds with this key\. .*retry-after/,
    },
    streams: {
      refused: async () => readResponse(await chancery.get('/events/stream')),
      message: /^Stream limit exceeded: at most 1 event stream .*one address without a key\./,
    },
    pipelining: {
      refused: async () => (await sendRaw(chancery.url, request.repeat(50), { count: 34 })).responses.at(-1),
      message: /^Too many pipelined requests: at most 32, of 64 KB .*one connection\./,
    },
  }
  const reached = async (reason: RateLimitReason) => {
    const response = await cases[reason].refused()
    assert.ok(response, reason)
    assert.match(assertError(response, 'rate_limited', reason), cases[reason].message)
    assert.equal(response.headers['x-ratelimit-reason'], reason)
    assert.match(response.headers['retry-after'] ?? '', /^[1-9]\d*$/)
    return response
  }
  for (const reason of rateLimitReasons) await reached(reason)
  const calls = await atOnce(3, [narrow], { headers: from('192.0.2.1') })
  const refused = calls.find(({ status }) => status === 429)
  assert.ok(refused)
  assert.match(assertError(refused, 'rate_limited', 'an address'), /: 2 calls in 60 seconds from one address/)
})

test('a code that is sent when no request remains is not redeemed', async () => {
  await narrow.ingest(smallWorld(), { waits: false })
  const code = await narrow.makeCode('n1')
  const { key } = await narrow.makeKey({ player_id: 'p1' })
  const path = `/discord/verify/${code}`
  const headers = from('192.0.2.2')
  for (let call = 0; call < 2; call += 1) assert.equal((await narrow.get('/game', { headers })).status, 200)
  assertError(await readResponse(await narrow.get(path, { headers })), 'rate_limited', 'no call left')
  const verified = await readResponse(await narrow.get(path, { headers, key }))
  assert.deepEqual([verified.status, remainingOf(verified)], [200, 119], 'with a key, its bucket')
})

test('every kind of response counts one request, and 59 are left after the first', async () => {
  const requests: [string, number, Record<string, string>?][] = [
    ['/game', 200],
    ['/game', 304, { 'if-none-match': '*' }],
    ['/nowhere', 404],
    ['/nations/none', 404],
    ['/nations?limit=0', 400],
    ['/me/key', 401],
    ['/me/key', 401, { authorization: 'Bearer nonsense' }],
    ['/discord/verify/NOSUCHCODE', 404],
  ]
  // If the machine takes longer than a window, the requests of another address are counted.
  for (let attempt = 1; ; attempt += 1) {
    const beganAt = performance.now()
    const address = from(`198.51.100.${attempt}`)
    const responses: ReceivedResponse[] = []
    for (const [path, , headers = {}] of requests)
      responses.push(await readResponse(await usual.get(path, { headers: { ...address, ...headers } })))
    for (const method of ['HEAD', 'POST']) {
      await fetch(`${usual.url}/api/v1/game`, { method, headers: address })
      await options(usual, address)
    }
    const last = await options(usual, address)
    if (performance.now() - beganAt > 50_000) continue
    assert.deepEqual(
      responses.map(response => [response.status, remainingOf(response)]),
      requests.map(([, status], index) => [status, 59 - index]),
    )
    assert.equal(remainingOf(last), 59 - requests.length - 1)
    const resets = new Set(responses.map(({ headers }) => headers['x-ratelimit-reset']))
    return assert.equal(resets.size, 1, 'the end of a window does not move')
  }
})

test('a limit of its own applies to a key from the next request on, and until it is removed', async () => {
  const chancery = usual
  const { id, key } = await chancery.makeKey({ player_id: 'p2' }, undefined, { limit: 5 })
  assertLimited(await atOnce(20, [chancery], { key }), 5)
  const setLimit = async (limit: number | null) =>
    assert.equal((await chancery.operate('PUT', `/keys/${id}/limit`, { limit })).status, 200)

  await setLimit(8)
  assertLimited(await atOnce(20, [chancery], { key }), 8, 2)
  await setLimit(null)
  const response = await readResponse(await chancery.get('/me/key', { key }))
  assert.deepEqual([response.headers['x-ratelimit-limit'], remainingOf(response)], ['120', 111])
  await setLimit(2)
  assertError(
    await readResponse(await chancery.get('/me/key', { key })),
    'rate_limited',
    'below what was used',
  )
})

test('refused calls do not lengthen the wait', async () => {
  const responses = await atOnce(20, [narrow], { headers: from('192.0.2.4') })
  assert.equal(new Set(responses.map(({ headers }) => headers['x-ratelimit-reset'])).size, 1)
})

test('with a shared store two servers hold one limit between them', async t => {
  const url = await redisUrl(t)
  if (url === undefined) return
  const env = { CHANCERY_VALKEY_URL: url, CHANCERY_TRUSTED_PROXIES: '127.0.0.1' }
  const one = await start(t, env)
  const other = await start(t, env, { databaseUrl: one.databaseUrl })
  const { key } = await one.makeKey({ player_id: 'p1' })
  const { key: second } = await one.makeKey({ player_id: 'p1' }, undefined, { limit: 30 })
  assertLimited(await atOnce(140, [one, other], { key }), 120)
  assertLimited(await atOnce(50, [one, other], { key: second }), 30)
  // The store may outlive this test: the address is a random one.
  const address = `10.${[...randomBytes(3)].join('.')}`
  assertLimited(await atOnce(80, [one, other], { headers: { 'x-forwarded-for': address } }), 60)
})
