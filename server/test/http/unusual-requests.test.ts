import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bases, type ErrorCode } from '@chancery/contract'
import { createProtocolErrors } from '../../src/http/protocol-errors.ts'
import { createRequestIds } from '../../src/http/request-id.ts'
import { createTrustedProxies } from '../../src/http/trusted-proxies.ts'
import { useTestServer } from '../support/fixture.ts'
import { listen } from '../support/listen.ts'
import { until } from '../support/until.ts'
import { sendLines, sendRaw } from './raw.ts'
import { assertError, assertResponse, remainingAt, remainingOf } from './responses.ts'
import { everyOperation, smallWorld } from './world.ts'

const chancery = useTestServer({}, { facts: smallWorld() })

const api = bases.canonical
const host = 'Host: game.example'

/** A request, the error of its response, the requests it consumes, and whether the connection is closed. */
interface Case {
  name: string
  lines: string[]
  code: ErrorCode
  consumed: number
  closes: boolean
  allow?: string
}

function errorCase(consumed: number) {
  return (name: string, code: ErrorCode, ...lines: string[]): Case => {
    return { name, lines, code, consumed, closes: consumed === 0 }
  }
}
const refused = errorCase(0)
const counted = errorCase(1)
const invalid = (name: string, ...lines: string[]) => refused(name, 'bad_request', ...lines)
const unknown = (name: string, path: string) => counted(name, 'not_found', ...get(path))
const get = (path: string) => [`GET ${path} HTTP/1.1`, host]
const nations = get(`${api}/nations`)

const cases: Case[] = [
  invalid('a garbage request line', 'garbage'),
  invalid('binary garbage', '\u0016\u0003\u0001\u0002'),
  invalid('an unknown method', `FETCH ${api}/nations HTTP/1.1`, host),
  invalid('a method in lower case', `get ${api}/nations HTTP/1.1`, host),
  invalid('a path that does not begin with a slash', 'GET nations HTTP/1.1', host),
  invalid('an unknown version', `GET ${api}/nations HTTP/1.2`, host),
  invalid('HTTP/2 without a negotiation', 'PRI * HTTP/2.0', '', 'SM'),
  invalid(
    'Content-Length beside Transfer-Encoding',
    ...nations,
    'Content-Length: 3',
    'Transfer-Encoding: chunked',
  ),
  invalid('two Content-Lengths', ...nations, 'Content-Length: 3', 'Content-Length: 4'),
  invalid('a Content-Length that is no number', ...nations, 'Content-Length: ten'),
  invalid('a space before the colon', `GET ${api}/nations HTTP/1.1`, 'Host : game.example'),
  invalid('a folded header', ...nations, 'X-A: b', ' c'),
  invalid('a NUL in a header', ...nations, 'X-A: b\0c'),
  invalid('a path of raw bytes', ...get(`${api}/nations/ü`)),
  invalid('no Host', `GET ${api}/nations HTTP/1.1`),
  invalid('two Hosts', ...nations, 'Host: elsewhere.example'),
  invalid('no Host on an unknown path', 'GET /nowhere HTTP/1.1'),
  invalid('no Host on a path that is not UTF-8', 'GET /%ff HTTP/1.1'),
  invalid('no Host with a method that only reads', `OPTIONS ${api}/nations HTTP/1.1`),
  refused('a header block too large', 'headers_too_large', ...nations, `X-A: ${'a'.repeat(17_000)}`),
  refused('too many headers', 'headers_too_large', ...nations, ...Array(2_800).fill('a: bc')),
  refused('a URL too long', 'headers_too_large', ...get(`${api}/nations?search=${'a'.repeat(17_000)}`)),
  refused('an unknown expectation', 'expectation_failed', ...nations, 'Expect: foo'),
  {
    ...refused('CONNECT', 'method_not_allowed', 'CONNECT game.example:443 HTTP/1.1', host),
    allow: 'GET, HEAD, OPTIONS',
  },
  unknown('the root', '/'),
  unknown('an unknown path', '/nowhere'),
  unknown('security.txt where no contact is set', '/.well-known/security.txt'),
  unknown('two slashes', '//'),
  unknown('two slashes before a known path', `/${api}/nations`),
  unknown('two slashes within a known path', `${api}//nations`),
  unknown('a trailing slash', `${api}/nations/`),
  unknown('a trailing slash after an id', `${api}/nations/n1/`),
  unknown('a base alone', api),
  unknown('another version', '/api/v2/nations'),
  unknown('a path in upper case', `${api}/NATIONS`),
  unknown('dot segments', `${api}/wars/../nations`),
  unknown('encoded dot segments', `${api}/%2e%2e/%2E/nations`),
  unknown('encoded dot segments as an id', `${api}/nations/%2e%2e`),
  unknown('encoded dot segments below the pages', '/docs/%2e%2e'),
  unknown('encoded dot segments in place of a guide', '/docs/guides/%2e%2e'),
  unknown('dot segments in place of the page of an error', '/docs/errors/..'),
  unknown('an unknown guide', '/docs/guides/none'),
  unknown('an unknown script', '/docs/js/none.js'),
  unknown('a path below a health check', '/healthz/%2e%2e'),
  unknown('an encoded slash', `${api}%2Fnations`),
  unknown('a semicolon', `${api}/nations;v=1`),
  counted('an asterisk', 'not_found', 'GET * HTTP/1.1', host),
  counted('an absolute form without a path', 'not_found', 'GET http://game.example HTTP/1.1', host),
  counted('a percent sign that encodes nothing', 'invalid_parameter', ...get('/%zz')),
  counted('half of a percent sign', 'invalid_parameter', ...get(`${api}/nations/%f`)),
  counted('a path that is not UTF-8', 'invalid_parameter', ...get(`${api}/nations/%ff`)),
  counted('an unknown path that is not UTF-8', 'invalid_parameter', ...get('/nowhere/%ff')),
  unknown('a NUL in an id', `${api}/nations/%00`),
  counted('a NUL in a code', 'verification_code_unknown', ...get(`${api}/discord/verify/ABCDE%00FGH`)),
  counted('a NUL in a search', 'invalid_parameter', ...get(`${api}/nations?search=a%00`)),
  counted('a NUL in the id of a query', 'invalid_parameter', ...get(`${api}/wars?conflict_id=%00`)),
  unknown('an id of 101 characters', `${api}/nations/${'a'.repeat(101)}`),
  unknown('an id of 1,001 characters', `${api}/nations/${'a'.repeat(1_001)}`),
  counted(
    'a code of 1,001 characters',
    'verification_code_unknown',
    ...get(`${api}/discord/verify/${'A'.repeat(1_001)}`),
  ),
  unknown('an id of other characters', `${api}/wars/%C3%A9/battles`),
  counted('a lone ampersand of parameters', 'invalid_parameter', ...get(`${api}/nations?&&limit=&`)),
]

for (const { name, lines, code, consumed, closes, allow } of cases) {
  test(`${name} is ${code}`, async () => {
    const before = await remainingAt(chancery)
    const { responses, isClosed } = await sendRaw(chancery.url, `${lines.join('\r\n')}\r\n\r\n`)
    const [response] = responses
    assert.ok(response && responses.length === 1)
    assertError(response, code, name)
    assert.equal(response.headers.allow, allow)
    assert.equal(isClosed, closes)
    assert.equal(remainingOf(response), before - consumed, 'the response states what remains')
    assert.equal(await remainingAt(chancery), before - consumed)
  })
}

test('bare line feeds and half a request line are not HTTP', async () => {
  for (const text of [`GET ${api}/nations HTTP/1.1\n${host}\n\n`, '\r\n\r\n\0']) {
    const { responses, isClosed } = await sendRaw(chancery.url, text)
    assert.ok(responses[0] && isClosed)
    assertError(responses[0], 'bad_request', JSON.stringify(text))
  }
})

test('a request that does not arrive in time is 408, and the connection is closed', async t => {
  const peek = () => ({ limit: 60, remaining: 60, resetAt: 0, isAllowed: true, retryAfterSeconds: 1 })
  const statuses: number[] = []
  const parserErrors = createProtocolErrors(
    { peek },
    createRequestIds(createTrustedProxies([])),
    { recordUnrouted: ({ status }) => statuses.push(status) },
    { lingerMs: 2_000 },
  )
  // Node raises this error after half a minute.
  const timedOut = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  const server = createServer(socket => parserErrors.onClientError(timedOut, socket))
  const port = await listen(server, t)
  const { responses, isClosed } = await sendRaw(`http://127.0.0.1:${port}`, 'GET /')
  assert.ok(responses[0] && isClosed)
  assertError(responses[0], 'request_timeout', 'slow')
  assert.deepEqual(statuses, [408], 'it is counted')
})

/** The methods that the parser accepts; other tests cover `OPTIONS` and `CONNECT`. */
const otherMethods = METHODS.filter(method => !['GET', 'HEAD', 'OPTIONS', 'CONNECT'].includes(method))

test('the rejected methods are all that Node knows', () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY', 'PROPFIND'])
    assert.ok(otherMethods.includes(method), method)
})

for (const { operation, path } of everyOperation) {
  test(`${operation.id} is read only: every other method is 405 on both bases, and counts`, async () => {
    const allow = operation.allowsHead ? 'GET, HEAD, OPTIONS' : 'GET, OPTIONS'
    for (const base of Object.values(bases)) {
      const before = await remainingAt(chancery)
      const seen = await sendRaw(
        chancery.url,
        otherMethods.map(method => `${method} ${base}${path} HTTP/1.1\r\n${host}\r\n\r\n`).join(''),
        { count: otherMethods.length },
      )
      assert.equal(seen.responses.length, otherMethods.length)
      for (const [index, response] of seen.responses.entries()) {
        assertError(response, 'method_not_allowed', `${otherMethods[index]} ${path}`)
        assert.equal(response.headers.allow, allow)
      }
      assert.equal(await remainingAt(chancery), before - otherMethods.length)
    }
  })
}

test('other methods are 405 on unknown paths too', async () => {
  const ofApi = [`${api}/nowhere`, `${bases.mirror}/nations/`, `${api}/nations/%ff`]
  for (const path of ['/', '/nowhere', '//', '/%zz', ...ofApi]) {
    const { responses } = await sendRaw(
      chancery.url,
      otherMethods.map(method => `${method} ${path} HTTP/1.1\r\n${host}\r\n\r\n`).join(''),
      { count: otherMethods.length },
    )
    assert.equal(responses.length, otherMethods.length)
    for (const [index, response] of responses.entries()) {
      assertError(response, 'method_not_allowed', `${otherMethods[index]} ${path}`)
      assert.equal(response.headers.allow, 'GET, HEAD, OPTIONS')
    }
  }
})

test('HEAD on a code is rejected before it is looked up: the code stays valid', async () => {
  const code = await chancery.makeCode('n1')
  for (const base of Object.values(bases)) {
    const lines = [`HEAD ${base}/discord/verify/${code} HTTP/1.1`, host]
    const response = await sendLines(chancery.url, lines, { isHead: true })
    assert.deepEqual([response.status, response.headers.allow], [405, 'GET, OPTIONS'])
  }
  await chancery.read(`/discord/verify/${code}`)
})

test('every method but GET leaves a code valid', async () => {
  const code = await chancery.makeCode('n1')
  const { responses } = await sendRaw(
    chancery.url,
    [...otherMethods, 'OPTIONS']
      .map(method => `${method} ${api}/discord/verify/${code} HTTP/1.1\r\n${host}\r\n\r\n`)
      .join(''),
    { count: otherMethods.length + 1 },
  )
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([405, 204]))
  await chancery.read(`/discord/verify/${code}`)
})

test('HEAD gets the response of GET without a body, also for an error', async () => {
  for (const path of ['/nations/n1', '/nations/none', '/nowhere', '/nations?limit=x', '/me/nation']) {
    const head = await sendLines(chancery.url, [`HEAD ${api}${path} HTTP/1.1`, host], { isHead: true })
    const got = await sendLines(chancery.url, get(api + path))
    assertResponse(head, path)
    assert.equal(head.status, got.status, path)
    assert.equal(head.headers['content-length'], got.headers['content-length'], path)
  }
})

test('HEAD has no body also if the parser rejects it, alone or after another request', async () => {
  const refusals: [status: number, lines: string[]][] = [
    [431, [`X-A: ${'a'.repeat(17_000)}`]],
    [400, ['Content-Length: 3', 'Transfer-Encoding: chunked']],
    [400, ['X-A: b\0c']],
    [417, ['Expect: foo']],
  ]
  for (const [status, lines] of refusals) {
    const head = [`HEAD ${api}/nations/n1 HTTP/1.1`, host, ...lines, '', ''].join('\r\n')
    for (const before of ['', `GET ${api}/nations/n1 HTTP/1.1\r\n${host}\r\n\r\n`]) {
      const place = before ? 1 : 0
      const { responses, rest, isClosed } = await sendRaw(chancery.url, before + head, {
        count: place + 1,
        bodiless: [place],
      })
      assert.deepEqual(
        [responses.length, responses[place]?.status, isClosed, rest],
        [place + 1, status, true, ''],
      )
      assert.ok(Number(responses[place]?.headers['content-length']) > 0)
    }
  }
})

test('a request that the parser rejects gets its error after the responses to those before it', async () => {
  const before = ['none', 'other', 'third'].map(id => `GET ${api}/nations/${id} HTTP/1.1\r\n${host}\r\n\r\n`)
  const rejections: [status: number, head: string][] = [
    [400, `GET ${api}/nations/n1 HTTP/1.1\r\n${host}\r\nX-A: b\0c\r\n\r\n`],
    [405, `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n\r\n`],
  ]
  for (const [status, head] of rejections) {
    const { responses, rest, isClosed } = await sendRaw(chancery.url, before.join('') + head, { count: 4 })
    assert.deepEqual(
      responses.map(response => response.status),
      [404, 404, 404, status],
    )
    assert.deepEqual([isClosed, rest], [true, ''])
  }
})

test('the error of a request behind a stream is not written into the stream', async t => {
  const { hostname, port } = new URL(chancery.url)
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  let received = ''
  socket.on('data', data => {
    received += data
  })
  socket.write([...get(`${api}/events/stream`), '', ''].join('\r\n'))
  await until(() => received.includes('retry:'), 'the stream is open')
  socket.write('no request\r\n\r\n')
  await sleep(200)
  assert.equal(received.match(/HTTP\/1\.1/g)?.length, 1)
  assert.equal(socket.readyState, 'open')
})

test('a request target in absolute form is handled as its path, and poisons no cache', async () => {
  const plain = await sendLines(chancery.url, get(`${api}/rankings?limit=2`))
  assert.equal(plain.status, 200)
  for (const origin of ['http://game.example', 'https://nations', 'HTTP://x', 'http://rankings:80']) {
    const response = await sendLines(chancery.url, get(`${origin}${api}/rankings?limit=2`))
    assert.equal(response.body, plain.body, origin)
    const mirror = await sendLines(chancery.url, get(`${origin}${bases.mirror}/rankings?limit=2`))
    assert.equal(mirror.body, plain.body, origin)
  }
  const nations = await sendLines(chancery.url, get(`${api}/nations/n1`))
  assert.match(nations.body, /^\{"data":\{"id":"n1"/)
})

test('an encoded path is decoded', async () => {
  const plain = await sendLines(chancery.url, get(`${api}/nations/n1`))
  const encoded = await sendLines(chancery.url, get(`/%61pi/v1/n%61tions/n%31`))
  assert.equal(encoded.body, plain.body)
})

test('HTTP/1.0 needs no Host, and the connection is closed', async () => {
  const { responses, isClosed } = await sendRaw(chancery.url, `GET ${api}/nations/n1 HTTP/1.0\r\n\r\n`)
  assert.deepEqual([responses[0]?.status, isClosed], [200, true])
})

test('pipelined requests get their responses in order', async () => {
  const ids = ['n1', 'none', 'n2', 'n3']
  const text = ids.map(id => `GET ${api}/nations/${id} HTTP/1.1\r\n${host}\r\n\r\n`).join('')
  const before = await remainingAt(chancery)
  const { responses } = await sendRaw(chancery.url, text, { count: ids.length })
  assert.deepEqual(
    responses.map(({ status, body }) => (status === 200 ? JSON.parse(body).data.id : status)),
    ['n1', 404, 'n2', 'n3'],
  )
  assert.equal(await remainingAt(chancery), before - ids.length)
})

test('a body is ignored, and the next request is not read from it', async () => {
  const ignored = ['GET', 'POST', 'DELETE'].flatMap(method => [
    `${method} ${api}/nations/n1 HTTP/1.1\r\n${host}\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{x}`,
    `${method} ${api}/nations/n1 HTTP/1.1\r\n${host}\r\nContent-Type: no/type\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nGET\r\n0\r\n\r\n`,
  ])
  const text = `${ignored.join('')}GET ${api}/nations/n2 HTTP/1.1\r\n${host}\r\n\r\n`
  const { responses } = await sendRaw(chancery.url, text, { count: 7 })
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 405, 405, 405, 405, 200],
  )
  assert.match(responses.at(-1)?.body ?? '', /"id":"n2"/)
})

test('100-continue is the only expectation that is met', async () => {
  const response = await sendLines(chancery.url, [...get(`${api}/nations/n1`), 'Expect: 100-continue'])
  assert.equal(response.status, 200)
})

test('an upgrade is ignored: the request is handled', async () => {
  for (const protocol of ['websocket', 'h2c']) {
    const lines = [...get(`${api}/nations/n1`), 'Connection: Upgrade', `Upgrade: ${protocol}`]
    assert.equal((await sendLines(chancery.url, lines)).status, 200)
  }
})

test('requests succeed after a client disconnects in the middle of one', async () => {
  const { hostname, port } = new URL(chancery.url)
  for (const text of [
    'GET',
    `GET ${api}/nations HTTP/1.1\r\nHo`,
    `GET ${api}/nations HTTP/1.1\r\n${host}\r\n\r\n`,
  ]) {
    await new Promise<void>(resolve => {
      const socket = connect(Number(port), hostname, () => socket.write(text, () => socket.resetAndDestroy()))
      socket.on('close', () => resolve())
    })
  }
  assert.equal((await chancery.get('/nations/n1')).status, 200)
})
