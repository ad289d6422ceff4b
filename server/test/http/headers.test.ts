import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { bases, type Operation, scopeNames } from '@chancery/contract'
import { prepare, useTestServer } from '../support/fixture.ts'
import { sendLines } from './raw.ts'
import {
  assertError,
  assertResponse,
  type ReceivedResponse,
  readResponse,
  remainingAt,
  remainingOf,
} from './responses.ts'
import { everyOperation, sharedOperations, smallWorld } from './world.ts'

const chancery = useTestServer({}, { facts: smallWorld() })
let key: string

prepare(async () => {
  key = (await chancery.makeKey({ nation_id: 'n1' }, scopeNames)).key
})

const get = async (path: string, headers: Record<string, string> = {}) =>
  readResponse(await chancery.get(path, { headers: { 'accept-encoding': 'identity', ...headers } }))

const cacheControl: Record<Operation['cache'], string> = {
  public: 'private, max-age=60',
  revalidate: 'private, no-cache',
  private: 'no-store',
  stream: 'private, no-cache',
}

for (const { operation, path } of sharedOperations) {
  test(`${operation.id} may be cached as its policy allows, and can be revalidated`, async () => {
    const { status, headers, body } = await get(path)
    assert.equal(status, 200)
    assert.match(headers.etag ?? '', /^"[A-Za-z0-9_-]+"$/)
    assert.equal(headers['cache-control'], cacheControl[operation.cache])
    assert.equal(headers.vary, 'accept-encoding')
    assert.equal(headers['content-length'], String(Buffer.byteLength(body)))
  })

  test(`${operation.id} returns 304 for a current ETag, which counts against the limit`, async () => {
    const first = await get(path)
    const etag = first.headers.etag ?? ''
    for (const known of [etag, `W/${etag}`, '*', ` ${etag} `, `"other", ${etag}`, `"a",W/${etag},"b"`]) {
      const before = await remainingAt(chancery)
      const again = await get(path, { 'if-none-match': known })
      assertResponse(again, known)
      assert.deepEqual([again.status, again.body], [304, ''], known)
      for (const name of ['etag', 'cache-control', 'vary'])
        assert.equal(again.headers[name], first.headers[name])
      assert.equal(remainingOf(again), before - 1, known)
    }
    for (const unknown of ['"other"', etag.replaceAll('"', ''), `${etag.slice(0, -2)}"`, '']) {
      assert.equal((await get(path, { 'if-none-match': unknown })).status, 200, unknown)
    }
  })

  test(`${operation.id} is 304 to HEAD as to GET`, async () => {
    const { headers } = await get(path)
    const lines = [`HEAD ${bases.canonical}${path} HTTP/1.1`, 'Host: x', `If-None-Match: ${headers.etag}`]
    assert.equal((await sendLines(chancery.url, lines, { isHead: true })).status, 304)
  })

  test(`${operation.id} is the same for every viewer, with a key or without`, async () => {
    const anonymous = await get(path)
    const keyed = await get(path, { authorization: `Bearer ${key}` })
    assert.deepEqual([keyed.body, keyed.headers.etag], [anonymous.body, anonymous.headers.etag])
  })
}

test('a response that needs a key, or a code, is never stored', async () => {
  const code = await chancery.makeCode('n1')
  const authorization = `Bearer ${key}`
  const personal = everyOperation
    .filter(({ operation }) => operation.cache === 'private')
    .map(({ path }) => path)
  assert.ok(personal.length >= 3)
  for (const path of [...personal, `/discord/verify/${code}`, '/alliances/a1?include=treasury']) {
    const response = await get(path, { authorization, 'if-none-match': '*' })
    assertResponse(response, path)
    assert.equal(response.headers['cache-control'], 'no-store', path)
    assert.equal(response.headers.etag, undefined, path)
    assert.ok(response.status === 200 || path.includes('NOSUCHCODE'), path)
  }
})

test('a treasury that one request includes is not in the next response without it', async () => {
  const authorization = `Bearer ${key}`
  const withTreasury = await get('/alliances/a1?include=treasury', { authorization })
  assert.match(withTreasury.body, /"treasury"/)
  const callers: Record<string, string>[] = [{}, { authorization }]
  for (const headers of callers) {
    assert.doesNotMatch((await get('/alliances/a1', headers)).body, /"treasury"/)
    assert.doesNotMatch((await get('/alliances/a1?include=', headers)).body, /"treasury"/)
  }
  assertError(await get('/alliances/a1?include=treasury'), 'api_key_required', 'the same again without a key')
})

test('an error has neither ETag nor max-age, also if If-None-Match is *', async () => {
  for (const path of ['/nations/none', '/nowhere', '/nations?limit=x', '/me/nation'])
    assertError(await get(path, { 'if-none-match': '*' }), errorOf(path), path)
})
const errorOf = (path: string) =>
  path.includes('limit') ? 'invalid_parameter' : path.includes('me/') ? 'api_key_required' : 'not_found'

test('an ETag changes with the body, and only then', async () => {
  const seen = async () => (await get('/nations/n7')).headers.etag
  const before = await seen()
  assert.equal(await seen(), before)
  await chancery.ingest([{ op: 'put', resource: 'nation', data: { id: 'n6', motto: 'Elsewhere.' } }])
  assert.equal(await seen(), before)
  await chancery.ingest([{ op: 'put', resource: 'nation', data: { id: 'n7', motto: 'Here.' } }])
  const after = await seen()
  assert.notEqual(after, before)
  assert.equal((await get('/nations/n7', { 'if-none-match': before ?? '' })).status, 200)
})

/** Sends this Accept-Encoding over a socket, because `fetch` decompresses. */
const accepting = (encoding: string, path = '/nations', more: string[] = []) =>
  sendLines(chancery.url, [
    `GET ${bases.canonical}${path} HTTP/1.1`,
    'Host: x',
    `Accept-Encoding: ${encoding}`,
    ...more,
  ])

test('a body is compressed if the client accepts it, with an ETag of its own', async () => {
  const plain = await accepting('identity')
  const accepted = ['gzip', 'GZIP', 'br, gzip;q=0.5', 'deflate,gzip', '*', '*;q=0.1', 'gzip; q=1.0']
  for (const encoding of [...accepted, 'gzip;q=0.001']) {
    const packed = await accepting(encoding)
    assertResponse(packed, encoding)
    assert.equal(packed.headers['content-encoding'], 'gzip', encoding)
    assert.equal(packed.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(packed.headers.vary, 'accept-encoding')
    assert.match(packed.headers.etag ?? '', /^"[^"]+"$/)
    assert.notEqual(packed.headers.etag, plain.headers.etag)
    assert.equal(gunzipSync(packed.bytes).toString(), plain.body)
  }
})

test('a body is not compressed if the client does not accept it, or rules it out', async () => {
  const excluded = ['gzip;q=0', 'gzip; q=0', 'gzip;q=0.000', '*;q=0', 'gzip;q=0, *', '*, gzip;q=0']
  for (const encoding of ['', 'identity', 'br', 'deflate', ...excluded, 'xgzip', 'gzip;q=x']) {
    const response = await accepting(encoding)
    assert.equal(response.headers['content-encoding'], undefined, encoding)
    assert.equal(response.headers.vary, 'accept-encoding')
    assert.equal(response.status, 200)
  }
})

test('the ETag of either the compressed or the plain body gets 304', async () => {
  const plain = await accepting('identity')
  const packed = await accepting('gzip')
  for (const { headers } of [plain, packed]) {
    for (const encoding of ['gzip', 'identity']) {
      const again = await accepting(encoding, '/nations', [`If-None-Match: ${headers.etag}`])
      assert.equal(again.status, 304)
      assert.equal(again.headers.etag, (encoding === 'gzip' ? packed : plain).headers.etag)
    }
  }
})

test('a small body is not compressed', async () => {
  assert.equal((await accepting('gzip', '/eras?page=9')).headers['content-encoding'], undefined)
})

test('OPTIONS gets a response on every path, known or not, and consumes nothing', async () => {
  const paths = [...everyOperation.map(({ path }) => path), '/nowhere', '/nations/', '/%zz']
  for (const base of Object.values(bases)) {
    for (const path of paths) {
      const before = await remainingAt(chancery)
      const response = await sendLines(chancery.url, [
        `OPTIONS ${base}${path} HTTP/1.1`,
        'Host: x',
        'Origin: https://tool.example',
        'Access-Control-Request-Method: GET',
        'Access-Control-Request-Headers: authorization,traceparent,x-requested-with',
      ])
      assertResponse(response, path)
      const operation = everyOperation.find(each => each.path === path)?.operation
      const methods = operation?.allowsHead === false ? 'GET, OPTIONS' : 'GET, HEAD, OPTIONS'
      assert.deepEqual(
        [
          response.status,
          response.body,
          response.headers['access-control-allow-methods'],
          response.headers.allow,
        ],
        [204, '', methods, methods],
      )
      // A browser takes `*` for every header but Authorization, which has to be named.
      const allowed = response.headers['access-control-allow-headers']?.split(', ') ?? []
      assert.ok(allowed.includes('*') && allowed.includes('authorization'), String(allowed))
      assert.equal(response.headers['access-control-max-age'], '86400')
      assert.equal(response.headers['access-control-allow-credentials'], undefined)
      assert.equal(remainingOf(response), before)
    }
  }
})

test('OPTIONS needs no valid key, as a browser sends none', async () => {
  const lines = [`OPTIONS ${bases.canonical}/me/nation HTTP/1.1`, 'Host: x', 'Authorization: Bearer nonsense']
  assert.equal((await sendLines(chancery.url, lines)).status, 204)
})

test('no origin may send credentials, and all get the same response', async () => {
  const seen = new Set<string>()
  for (const origin of ['https://tool.example', 'null', 'http://localhost:3000']) {
    const { headers }: ReceivedResponse = await get('/nations/n1', { origin })
    assert.equal(headers['access-control-allow-credentials'], undefined)
    seen.add(`${headers['access-control-allow-origin']} ${headers.vary} ${headers.etag}`)
  }
  assert.equal(seen.size, 1)
})

test('every response has a request id of its own', async () => {
  const responses = await Promise.all(Array.from({ length: 300 }, () => get('/nations/n1')))
  assert.equal(new Set(responses.map(({ headers }) => headers['x-request-id'])).size, 300)
})

test('responses do not reveal the software', async () => {
  for (const path of ['/nations', '/nowhere', '/%zz']) {
    const { headers } = await get(path)
    for (const name of ['server', 'x-powered-by', 'set-cookie', 'via']) assert.equal(headers[name], undefined)
  }
})

test('me.key and its headers state the same limit', async () => {
  const { headers, body } = await get('/me/key', { authorization: `Bearer ${key}` })
  const { data } = JSON.parse(body) as { data: { limit: number; remaining: number } }
  assert.equal(data.limit, Number(headers['x-ratelimit-limit']))
  assert.equal(data.remaining, Number(headers['x-ratelimit-remaining']))
})
