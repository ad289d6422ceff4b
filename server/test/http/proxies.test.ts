import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { bases } from '@chancery/contract'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { sendLines } from './raw.ts'
import { readResponse, remainingOf } from './responses.ts'

async function start(t: TestContext, proxies: string, env: Record<string, string> = {}): Promise<TestServer> {
  const chancery = await startTestServer({
    CHANCERY_TRUSTED_PROXIES: proxies,
    CHANCERY_ANONYMOUS_LIMIT: '',
    ...env,
  })
  t.after(() => chancery.close())
  return chancery
}

const call = async (chancery: TestServer, headers: Record<string, string> = {}) =>
  readResponse(await chancery.get('/game', { headers }))

/** The remaining requests after one that is forwarded for these addresses. */
const leftFor = async (chancery: TestServer, forwardedFor: string) =>
  remainingOf(await call(chancery, { 'x-forwarded-for': forwardedFor }))

test('an untrusted client cannot choose its address', async t => {
  for (const proxies of ['', '10.0.0.0/8, 192.0.2.7']) {
    const chancery = await start(t, proxies)
    const claims = ['198.51.100.1', '198.51.100.2', '10.0.0.1', '2001:db8::1', '127.0.0.1', 'nonsense', '']
    for (const [index, claim] of claims.entries())
      assert.equal(await leftFor(chancery, claim), 59 - index, claim)
    for (const name of ['forwarded', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip'])
      await call(chancery, { [name]: '198.51.100.9' })
    assert.equal(await leftFor(chancery, '198.51.100.10'), 59 - claims.length - 4)
  }
})

test('a trusted proxy states the client, and each address has its own bucket', async t => {
  const chancery = await start(t, '127.0.0.1')
  assert.equal(await leftFor(chancery, '198.51.100.1'), 59)
  assert.equal(await leftFor(chancery, '198.51.100.2'), 59)
  assert.equal(await leftFor(chancery, '198.51.100.1'), 58)
  assert.equal(remainingOf(await call(chancery)), 59, 'without the header the proxy is the client')
})

test('the last address of a chain that is not a trusted proxy is the client: those before it may be forged', async t => {
  const chancery = await start(t, '127.0.0.0/8, 10.0.0.0/8')
  assert.equal(await leftFor(chancery, '198.51.100.1, 10.0.0.5'), 59)
  assert.equal(await leftFor(chancery, '203.0.113.1, 198.51.100.1, 10.0.0.6, 10.9.9.9'), 58)
  assert.equal(await leftFor(chancery, '203.0.113.77,198.51.100.1'), 57)
})

test('IPv6 callers share a bucket by /64, and a mapped IPv4 address is that address', async t => {
  const chancery = await start(t, '127.0.0.1')
  const left = []
  const addresses = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:0DB8:0001:0002::', '2001:db8:1:3::1']
  for (const address of addresses) left.push(await leftFor(chancery, address))
  assert.deepEqual(left, [59, 58, 57, 59])
  const mapped = []
  for (const address of ['198.51.100.7', '::ffff:198.51.100.7', '::FFFF:c633:6407'])
    mapped.push(await leftFor(chancery, address))
  assert.deepEqual(mapped, [59, 58, 57])
})

test('a proxy that connects over IPv6 is trusted by its IPv4 address too', async t => {
  const chancery = await start(t, '127.0.0.1', { CHANCERY_HOST: '::' })
  assert.equal(await leftFor(chancery, '198.51.100.1'), 59)
  assert.equal(await leftFor(chancery, '198.51.100.2'), 59)
})

test('OPTIONS states the bucket of the caller whom the proxy names', async t => {
  const chancery = await start(t, '127.0.0.1')
  await leftFor(chancery, '198.51.100.1')
  const lines = [`OPTIONS ${bases.canonical}/game HTTP/1.1`, 'Host: x', 'X-Forwarded-For: 198.51.100.1']
  assert.equal(remainingOf(await sendLines(chancery.url, lines)), 59)
})

const idOf = async (chancery: TestServer, id: string) => {
  const { headers } = await call(chancery, { 'x-request-id': id })
  return headers['x-request-id']
}

test('a request id is kept from a trusted proxy alone, and only in a form that is safe to log', async t => {
  const trusting = await start(t, '127.0.0.1')
  for (const id of ['abcdefgh', '9f0c-ABC_123', 'a'.repeat(64)]) {
    assert.equal(await idOf(trusting, id), id)
    const { headers, body } = await readResponse(
      await trusting.get('/nowhere', { headers: { 'x-request-id': id } }),
    )
    assert.deepEqual([headers['x-request-id'], JSON.parse(body).error.request_id], [id, id])
  }
  const unsafe = ['with space', 'semi;colon1', '<script>1', 'abcdefgh, ijklmnop']
  for (const id of ['', 'short', 'a'.repeat(65), ...unsafe]) {
    assert.match((await idOf(trusting, id)) ?? '', /^req_[0-9a-f]{16}$/, id)
  }
  const wary = await start(t, '10.0.0.0/8')
  assert.match((await idOf(wary, 'abcdefgh')) ?? '', /^req_[0-9a-f]{16}$/)
})
