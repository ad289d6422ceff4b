import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { bases, type Operation, scopeNames } from '@chancery/contract'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { sendLines } from './raw.ts'
import { assertError, assertResponse, type ReceivedResponse, readResponse, remainingOf } from './responses.ts'
import { everyOperation, sharedOperations, smallWorld } from './world.ts'

let chancery: TestServer
let key: string

before(async () => {
  chancery = await startTestServer()
  await chancery.ingest(smallWorld())
  key = (await chancery.makeKey({ nation_id: 'n1' }, scopeNames)).key
})
after(() => chancery.close())

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

  test(`${operation.id} returns 304 to a client that has it, which counts against the limit`, async () => {
    const first = await get(path)
    const etag = first.headers.etag ?? ''
    for (const known of [etag, `W/${etag}`, '*', ` ${etag} `, `"other", ${etag}`, `"a",W/${etag},"b"`]) {
      const before = await left()
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

/** What is left in this address's bucket. */
async function left(): Promise<number> {
  const response = await fetch(`${chancery.url}${bases.canonical}/nations`, { method: 'OPTIONS' })
  return remainingOf(await readResponse(response))
}

test('a response that needs a key, or a code, is never stored', async () => {
  const code = await chancery.makeCode('n1')
  const authorization = `Bearer ${key}`
  const personal = everyOperation
    .filter(({ operation }) => operation.cache === 'private')
    .map(({ path }) => path)
  assert.ok(personal.length >= 3)
  for (const path of [...personal, `/discord/verify/${code}`, '/alliances/a1?include=treasury']) {
    const answer = await get(path, { authorization, 'if-none-match': '*' })
    assertResponse(answer, path)
    assert.equal(answer.headers['cache-control'], 'no-store', path)
    assert.equal(answer.headers.etag, undefined, path)
    assert.ok(answer.status === 200 || path.includes('NOSUCHCODE'), path)
  }
})

test('a demanded treasury is not what the next caller without it is given', async () => {
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

test('an error has neither a tag nor a life, also where If-None-Match would take anything', async () => {
  for (const path of ['/nations/none', '/nowhere', '/nations?limit=x', '/me/nation'])
    assertError(await get(path, { 'if-none-match': '*' }), errorOf(path), path)
})
const errorOf = (path: string) =>
  path.includes('limit') ? 'invalid_parameter' : path.includes('me/') ? 'api_key_required' : 'not_found'

test('a tag changes with the body, and only then', async () => {
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

/** Asks with this Accept-Encoding: over a socket, because `fetch` unpacks. */
const accepting = (encoding: string, path = '/nations', more: string[] = []) =>
  sendLines(chancery.url, [
    `GET ${bases.canonical}${path} HTTP/1.1`,
    'Host: x',
    `Accept-Encoding: ${encoding}`,
    ...more,
  ])

test('a body is compressed where the client accepts it, with an ETag of its own', async () => {
  const plain = await accepting('identity')
  for (const encoding of [
    'gzip',
    'GZIP',
    'br, gzip;q=0.5',
    'deflate,gzip',
    '*',
    '*;q=0.1',
    'gzip; q=1.0',
    'gzip;q=0.001',
  ]) {
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

test('a body is not compressed where the client does not accept it, or rules it out', async () => {
  for (const encoding of [
    '',
    'identity',
    'br',
    'deflate',
    'gzip;q=0',
    'gzip; q=0',
    'gzip;q=0.000',
    '*;q=0',
    'gzip;q=0, *',
    '*, gzip;q=0',
    'xgzip',
    'gzip;q=x',
  ]) {
    const answer = await accepting(encoding)
    assert.equal(answer.headers['content-encoding'], undefined, encoding)
    assert.equal(answer.headers.vary, 'accept-encoding')
    assert.equal(answer.status, 200)
  }
})

test('a client that has the compressed or the plain body gets 304', async () => {
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

test('a small body is sent as it is', async () => {
  assert.equal((await accepting('gzip', '/eras?page=9')).headers['content-encoding'], undefined)
})

test('OPTIONS gets a response on every path, known or not, and consumes nothing', async () => {
  const paths = [...everyOperation.map(({ path }) => path), '/nowhere', '/nations/', '/%zz']
  for (const base of Object.values(bases)) {
    for (const path of paths) {
      const before = await left()
      const answer = await sendLines(chancery.url, [
        `OPTIONS ${base}${path} HTTP/1.1`,
        'Host: x',
        'Origin: https://tool.example',
        'Access-Control-Request-Method: GET',
        'Access-Control-Request-Headers: authorization,traceparent,x-requested-with',
      ])
      assertResponse(answer, path)
      const operation = everyOperation.find(each => each.path === path)?.operation
      const methods = operation?.allowsHead === false ? 'GET, OPTIONS' : 'GET, HEAD, OPTIONS'
      assert.deepEqual(
        [answer.status, answer.body, answer.headers['access-control-allow-methods'], answer.headers.allow],
        [204, '', methods, methods],
      )
      // A browser takes `*` for every header but Authorization, which has to be named.
      const allowed = answer.headers['access-control-allow-headers']?.split(', ') ?? []
      assert.ok(allowed.includes('*') && allowed.includes('authorization'), String(allowed))
      assert.equal(answer.headers['access-control-max-age'], '86400')
      assert.equal(answer.headers['access-control-allow-credentials'], undefined)
      assert.equal(remainingOf(answer), before)
    }
  }
})

test('OPTIONS needs no valid key, as a browser sends none', async () => {
  const lines = [`OPTIONS ${bases.canonical}/me/nation HTTP/1.1`, 'Host: x', 'Authorization: Bearer nonsense']
  assert.equal((await sendLines(chancery.url, lines)).status, 204)
})

test('no origin may send credentials, and all are treated alike', async () => {
  const seen = new Set<string>()
  for (const origin of ['https://tool.example', 'null', 'http://localhost:3000']) {
    const { headers }: ReceivedResponse = await get('/nations/n1', { origin })
    assert.equal(headers['access-control-allow-credentials'], undefined)
    seen.add(`${headers['access-control-allow-origin']} ${headers.vary} ${headers.etag}`)
  }
  assert.equal(seen.size, 1)
})

test('every response has a request id of its own', async () => {
  const answers = await Promise.all(Array.from({ length: 300 }, () => get('/nations/n1')))
  assert.equal(new Set(answers.map(({ headers }) => headers['x-request-id'])).size, 300)
})

test('responses do not reveal the software', async () => {
  for (const path of ['/nations', '/nowhere', '/%zz']) {
    const { headers } = await get(path)
    for (const name of ['server', 'x-powered-by', 'set-cookie', 'via']) assert.equal(headers[name], undefined)
  }
})

test('me.key and its headers say the same of the limit', async () => {
  const { headers, body } = await get('/me/key', { authorization: `Bearer ${key}` })
  const { data } = JSON.parse(body) as { data: { limit: number; remaining: number } }
  assert.equal(data.limit, Number(headers['x-ratelimit-limit']))
  assert.equal(data.remaining, Number(headers['x-ratelimit-remaining']))
})
