import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { bases, limits } from '@chancery/contract'
import { openBuiltPages } from '../../src/docs/built-pages.ts'
import { isText } from '../../src/http/static-file.ts'
import { ConfigError, readConfig } from '../../src/index.ts'
import { addressBucket } from '../../src/limits/rate-limit.ts'
import { prepare, useTestServer } from '../support/fixture.ts'

const chancery = useTestServer({
  CHANCERY_ANONYMOUS_LIMIT: '',
  CHANCERY_SECURITY_CONTACT: 'mailto:security@game.example',
})
let pages: string[]
prepare(async () => {
  const built = (await openBuiltPages()).filter(({ listener }) => listener === 'public')
  // The landing page is for browsers only.
  pages = [...built.map(({ path }) => path).filter(path => path !== '/'), '/docs', '/developers']
})

interface RequestOptions {
  method?: string
  /** The client's address, one of this machine. */
  from?: string
  headers?: Record<string, string>
  agent?: http.Agent
}

async function send(
  path: string,
  { method = 'GET', from = '127.0.0.1', headers = {}, agent }: RequestOptions = {},
) {
  const { hostname, port } = new URL(chancery.url)
  const options = { hostname, port, path, method, headers, localAddress: from, agent: agent ?? false }
  const [res] = (await once(http.request(options).end(), 'response')) as [IncomingMessage]
  return { status: res.statusCode, headers: res.headers, body: Buffer.concat(await res.toArray()) }
}

/** Uses up a limit, several requests at a time, so that all fit one window. */
async function useUp(path: string, options: RequestOptions, calls: number, status: number): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 })
  const all = await Promise.all(Array.from({ length: calls }, () => send(path, { ...options, agent })))
  agent.destroy()
  assert.ok(all.every(response => response.status === status))
}

for (const path of ['/healthz', '/readyz', '/openapi.json']) {
  test(`${path} responds to GET and HEAD, and consumes nothing from the limit of the API`, async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(chancery.url + path, { method })
      assert.equal(response.status, 200, method)
      assert.equal(response.headers.get('x-ratelimit-limit'), null, method)
    }
  })
}

test('every page responds to HEAD with the headers of GET, and neither consumes from the limit of the API', async () => {
  const lasting = ({ headers }: { headers: IncomingMessage['headers'] }) => {
    assert.ok(headers['x-request-id'])
    return Object.entries(headers).filter(([name]) => !/^(date|connection|x-request-id)$/.test(name))
  }
  // Four requests of each page from one address would be above the limit.
  for (const [coding, from, again] of [
    ['identity', '127.0.0.30', '127.0.0.40'],
    ['gzip', '127.0.0.31', '127.0.0.41'],
  ] as const)
    for (const path of pages) {
      const headers = { 'accept-encoding': coding }
      const got = await send(path, { headers, from })
      const head = await send(path, { method: 'HEAD', headers, from })
      assert.equal(got.status, path === '/docs' ? 301 : 200, path)
      assert.deepEqual([head.status, head.body.length], [got.status, 0], path)
      if (path === '/docs') continue
      assert.deepEqual(lasting(head), lasting(got), path)
      assert.equal(Number(got.headers['content-length']), got.body.length, path)
      const isCompressed = coding === 'gzip' && isText(String(got.headers['content-type']))
      assert.equal(got.headers['content-encoding'], isCompressed ? 'gzip' : undefined, path)
      const known = { 'if-none-match': String(got.headers.etag), ...headers }
      for (const method of ['GET', 'HEAD'])
        assert.equal((await send(path, { method, headers: known, from: again })).status, 304, path)
    }
  const { headers } = await send(`${bases.canonical}/game`, { from: '127.0.0.31' })
  assert.equal(headers['x-ratelimit-remaining'], '59')
})

test('an address that requests too many pages gets 429 for all of them, and keeps the API and health checks', async () => {
  const from = '127.0.0.32'
  await useUp('/docs', { method: 'HEAD', from }, limits.pageRequests, 301)
  const others = [
    '/.well-known/security.txt',
    '/docs/guides/none',
    '/docs/errors/none',
    '/developers/none.js',
    '/developers/keys',
  ]
  for (const path of [...pages, ...others]) {
    const refused = await send(path, { from })
    assert.equal(refused.status, 429, path)
    assert.ok(Number(refused.headers['retry-after']) >= 1, path)
    const { error } = JSON.parse(refused.body.toString())
    assert.deepEqual([error.code, error.request_id], ['rate_limited', refused.headers['x-request-id']], path)
  }
  for (const path of ['/healthz', '/readyz']) assert.equal((await send(path, { from })).status, 200, path)
  assert.equal((await send(`${bases.canonical}/game`, { from })).headers['x-ratelimit-remaining'], '59')
  assert.equal((await send('/docs/', { from: '127.0.0.33' })).status, 200)
})

test('failed requests to the account API are limited by address too', async () => {
  const from = '127.0.0.34'
  await useUp('/developers/api/none', { from }, limits.accountRequests, 404)
  for (const path of ['none', 'page', 'session']) {
    const refused = await send(`/developers/api/${path}`, { from })
    assert.deepEqual([refused.status, Number(refused.headers['retry-after']) >= 1], [429, true], path)
  }
  assert.equal((await send('/developers/api/page', { from: '127.0.0.35' })).status, 200)
})

test('security.txt states the contact, and expires within a year', async () => {
  const path = '/.well-known/security.txt'
  const { status, headers, body } = await send(path, { from: '127.0.0.36' })
  assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8'])
  const [, expires = ''] =
    /^Contact: mailto:security@game\.example\nExpires: (\S+)\nCanonical: http:\S+\/\.well-known\/security\.txt\n$/.exec(
      body.toString(),
    ) ?? []
  const days = (Date.parse(expires) - Date.now()) / 86_400_000
  assert.ok(days > 100 && days < 365, expires)
  assert.equal((await send(path, { from: '127.0.0.36', method: 'HEAD' })).status, 200)
})

test('a security contact is a URI', () => {
  const contactOf = (text: string) => readConfig({ CHANCERY_SECURITY_CONTACT: text }).securityContact
  for (const text of ['mailto:a@game.example', 'https://game.example/security', 'tel:+1-201-555-0123'])
    assert.equal(contactOf(text), text)
  assert.equal(contactOf(''), undefined)
  for (const text of ['a@game.example', 'http://game.example', 'mailto:a@b\nContact: c', 'javascript:1'])
    assert.throws(() => contactOf(text), ConfigError, text)
})

test('a port after an address does not change the address', () => {
  for (const written of ['192.0.2.7:4711', '[::ffff:192.0.2.7]:80', '192.0.2.7']) {
    assert.equal(addressBucket(written), '192.0.2.7', written)
  }
  assert.equal(addressBucket('[2001:db8::1]:443'), '2001:db8::/64')
})
