import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { connect, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { bases, type ErrorCode } from '@chancery/contract'
import { createProtocolErrors } from '../../src/http/protocol-errors.ts'
import { createRequestIds } from '../../src/http/request-id.ts'
import { createTrustedProxies } from '../../src/http/trusted-proxies.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { exchange, sendLines } from './raw.ts'
import { assertError, assertResponse, remainingOf } from './responses.ts'
import { everyOperation, smallWorld } from './world.ts'

let chancery: TestServer
before(async () => {
  chancery = await startTestServer()
  await chancery.ingest(smallWorld())
})
after(() => chancery.close())

const api = bases.canonical
const host = 'Host: game.example'

/** What is left in this address's bucket. Asking takes nothing. */
async function left(): Promise<number> {
  return remainingOf(await sendLines(chancery.url, [`OPTIONS ${api}/nations HTTP/1.1`, host]))
}

/** A request, the error that answers it, the calls that it takes, and whether it costs the connection. */
interface Case {
  name: string
  lines: string[]
  code: ErrorCode
  taken: number
  closes: boolean
  allow?: string
}

const refused = (name: string, code: ErrorCode, ...lines: string[]): Case => ({
  name,
  lines,
  code,
  taken: 0,
  closes: true,
})
const counted = (name: string, code: ErrorCode, ...lines: string[]): Case => ({
  name,
  lines,
  code,
  taken: 1,
  closes: false,
})
const get = (path: string) => [`GET ${path} HTTP/1.1`, host]

const cases: Case[] = [
  refused('a garbage request line', 'bad_request', 'garbage'),
  refused('binary garbage', 'bad_request', '\u0016\u0003\u0001\u0002'),
  refused('an unknown method', 'bad_request', `FETCH ${api}/nations HTTP/1.1`, host),
  refused('a method in lower case', 'bad_request', `get ${api}/nations HTTP/1.1`, host),
  refused('a path that does not begin with a slash', 'bad_request', 'GET nations HTTP/1.1', host),
  refused('an unknown version', 'bad_request', `GET ${api}/nations HTTP/1.2`, host),
  refused('HTTP/2 without a negotiation', 'bad_request', 'PRI * HTTP/2.0', '', 'SM'),
  refused(
    'Content-Length beside Transfer-Encoding',
    'bad_request',
    ...get(`${api}/nations`),
    'Content-Length: 3',
    'Transfer-Encoding: chunked',
  ),
  refused(
    'two Content-Lengths',
    'bad_request',
    ...get(`${api}/nations`),
    'Content-Length: 3',
    'Content-Length: 4',
  ),
  refused(
    'a Content-Length that is no number',
    'bad_request',
    ...get(`${api}/nations`),
    'Content-Length: ten',
  ),
  refused('a space before the colon', 'bad_request', `GET ${api}/nations HTTP/1.1`, 'Host : game.example'),
  refused('a folded header', 'bad_request', ...get(`${api}/nations`), 'X-A: b', ' c'),
  refused('a NUL in a header', 'bad_request', ...get(`${api}/nations`), 'X-A: b\0c'),
  refused('a path of raw bytes', 'bad_request', ...get(`${api}/nations/ü`)),
  refused('no Host', 'bad_request', `GET ${api}/nations HTTP/1.1`),
  refused('two Hosts', 'bad_request', ...get(`${api}/nations`), 'Host: elsewhere.example'),
  refused('no Host on an unknown path', 'bad_request', 'GET /nowhere HTTP/1.1'),
  refused('no Host on a path that is not UTF-8', 'bad_request', 'GET /%ff HTTP/1.1'),
  refused('no Host with a method that only reads', 'bad_request', `OPTIONS ${api}/nations HTTP/1.1`),
  refused(
    'a header block too large',
    'headers_too_large',
    ...get(`${api}/nations`),
    `X-A: ${'a'.repeat(17_000)}`,
  ),
  refused('too many headers', 'headers_too_large', ...get(`${api}/nations`), ...Array(2_800).fill('a: bc')),
  refused('a URL too long', 'headers_too_large', ...get(`${api}/nations?search=${'a'.repeat(17_000)}`)),
  refused('an unknown expectation', 'expectation_failed', ...get(`${api}/nations`), 'Expect: foo'),
  {
    ...refused('CONNECT', 'method_not_allowed', 'CONNECT game.example:443 HTTP/1.1', host),
    allow: 'GET, HEAD, OPTIONS',
  },
  counted('the root', 'not_found', ...get('/')),
  counted('an unknown path', 'not_found', ...get('/nowhere')),
  counted('security.txt where no contact is set', 'not_found', ...get('/.well-known/security.txt')),
  counted('two slashes', 'not_found', ...get('//')),
  counted('two slashes before a known path', 'not_found', ...get(`/${api}/nations`)),
  counted('two slashes within a known path', 'not_found', ...get(`${api}//nations`)),
  counted('a trailing slash', 'not_found', ...get(`${api}/nations/`)),
  counted('a trailing slash after an id', 'not_found', ...get(`${api}/nations/n1/`)),
  counted('a base alone', 'not_found', ...get(api)),
  counted('another version', 'not_found', ...get('/api/v2/nations')),
  counted('a path in upper case', 'not_found', ...get(`${api}/NATIONS`)),
  counted('dot segments', 'not_found', ...get(`${api}/wars/../nations`)),
  counted('encoded dot segments', 'not_found', ...get(`${api}/%2e%2e/%2E/nations`)),
  counted('encoded dot segments as an id', 'not_found', ...get(`${api}/nations/%2e%2e`)),
  counted('encoded dot segments below the pages', 'not_found', ...get('/docs/%2e%2e')),
  counted('encoded dot segments in place of a guide', 'not_found', ...get('/docs/guides/%2e%2e')),
  counted('dot segments in place of the page of an error', 'not_found', ...get('/docs/errors/..')),
  counted('an unknown guide', 'not_found', ...get('/docs/guides/none')),
  counted('an unknown script', 'not_found', ...get('/docs/js/none.js')),
  counted('a path below a health check', 'not_found', ...get('/healthz/%2e%2e')),
  counted('an encoded slash', 'not_found', ...get(`${api}%2Fnations`)),
  counted('a semicolon', 'not_found', ...get(`${api}/nations;v=1`)),
  counted('an asterisk', 'not_found', 'GET * HTTP/1.1', host),
  counted('an absolute form without a path', 'not_found', 'GET http://game.example HTTP/1.1', host),
  counted('a percent sign that encodes nothing', 'invalid_parameter', ...get('/%zz')),
  counted('half of a percent sign', 'invalid_parameter', ...get(`${api}/nations/%f`)),
  counted('a path that is not UTF-8', 'invalid_parameter', ...get(`${api}/nations/%ff`)),
  counted('an unknown path that is not UTF-8', 'invalid_parameter', ...get('/nowhere/%ff')),
  counted('a NUL in an id', 'not_found', ...get(`${api}/nations/%00`)),
  counted('a NUL in a code', 'verification_code_unknown', ...get(`${api}/discord/verify/ABCDE%00FGH`)),
  counted('a NUL in a search', 'invalid_parameter', ...get(`${api}/nations?search=a%00`)),
  counted('a NUL in the id of a query', 'invalid_parameter', ...get(`${api}/wars?conflict_id=%00`)),
  counted('an id of 101 characters', 'not_found', ...get(`${api}/nations/${'a'.repeat(101)}`)),
  counted('an id of 1,001 characters', 'not_found', ...get(`${api}/nations/${'a'.repeat(1_001)}`)),
  counted(
    'a code of 1,001 characters',
    'verification_code_unknown',
    ...get(`${api}/discord/verify/${'A'.repeat(1_001)}`),
  ),
  counted('an id of other characters', 'not_found', ...get(`${api}/wars/%C3%A9/battles`)),
  counted('a lone ampersand of parameters', 'invalid_parameter', ...get(`${api}/nations?&&limit=&`)),
]

for (const { name, lines, code, taken, closes, allow } of cases) {
  test(`${name} is ${code}`, async () => {
    const before = await left()
    const { answers, isClosed } = await exchange(chancery.url, `${lines.join('\r\n')}\r\n\r\n`)
    const [answer] = answers
    assert.ok(answer && answers.length === 1)
    assertError(answer, code, name)
    assert.equal(answer.headers.allow, allow)
    assert.equal(isClosed, closes)
    assert.equal(remainingOf(answer), before - taken, 'the answer states what is left')
    assert.equal(await left(), before - taken)
  })
}

test('bare line feeds and half a request line are not HTTP', async () => {
  for (const text of [`GET ${api}/nations HTTP/1.1\n${host}\n\n`, '\r\n\r\n\0']) {
    const { answers, isClosed } = await exchange(chancery.url, text)
    assert.ok(answers[0] && isClosed)
    assertError(answers[0], 'bad_request', JSON.stringify(text))
  }
})

test('what does not arrive in time is 408, and the connection is closed', async t => {
  const peek = () => ({ limit: 60, remaining: 60, resetAt: 0, isAllowed: true, retryAfterSeconds: 1 })
  const statuses: number[] = []
  const parserErrors = createProtocolErrors(
    { peek },
    createRequestIds(createTrustedProxies([])),
    {
      recordUnrouted: ({ status }) => statuses.push(status),
    },
    { lingerMs: 2_000 },
  )
  // Node waits half a minute before it says so: here it says so at once.
  const timedOut = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  const server = createServer(socket => parserErrors.onClientError(timedOut, socket))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  const { answers, isClosed } = await exchange(`http://127.0.0.1:${address.port}`, 'GET /')
  assert.ok(answers[0] && isClosed)
  assertError(answers[0], 'request_timeout', 'slow')
  assert.deepEqual(statuses, [408], 'it is counted')
})

/** The parser takes these over; `OPTIONS` and `CONNECT` are told of elsewhere. */
const otherMethods = METHODS.filter(method => !['GET', 'HEAD', 'OPTIONS', 'CONNECT'].includes(method))

test('the methods that are refused are all that HTTP knows', () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY', 'PROPFIND'])
    assert.ok(otherMethods.includes(method), method)
})

for (const { operation, path } of everyOperation) {
  test(`${operation.id} is read only: every other method is 405 on both bases, and counts`, async () => {
    const allow = operation.allowsHead ? 'GET, HEAD, OPTIONS' : 'GET, OPTIONS'
    for (const base of Object.values(bases)) {
      const before = await left()
      const seen = await exchange(
        chancery.url,
        otherMethods.map(method => `${method} ${base}${path} HTTP/1.1\r\n${host}\r\n\r\n`).join(''),
        { count: otherMethods.length },
      )
      assert.equal(seen.answers.length, otherMethods.length)
      for (const [index, answer] of seen.answers.entries()) {
        assertError(answer, 'method_not_allowed', `${otherMethods[index]} ${path}`)
        assert.equal(answer.headers.allow, allow)
      }
      assert.equal(await left(), before - otherMethods.length)
    }
  })
}

test('other methods are 405 on unknown paths too', async () => {
  for (const path of [
    '/',
    '/nowhere',
    '//',
    `${api}/nowhere`,
    `${bases.mirror}/nations/`,
    '/%zz',
    `${api}/nations/%ff`,
  ]) {
    const { answers } = await exchange(
      chancery.url,
      otherMethods.map(method => `${method} ${path} HTTP/1.1\r\n${host}\r\n\r\n`).join(''),
      { count: otherMethods.length },
    )
    assert.equal(answers.length, otherMethods.length)
    for (const [index, answer] of answers.entries()) {
      assertError(answer, 'method_not_allowed', `${otherMethods[index]} ${path}`)
      assert.equal(answer.headers.allow, 'GET, HEAD, OPTIONS')
    }
  }
})

test('HEAD on a code is refused before any look-up: the code lives on', async () => {
  const code = await chancery.makeCode('n1')
  for (const base of Object.values(bases)) {
    const lines = [`HEAD ${base}/discord/verify/${code} HTTP/1.1`, host]
    const answer = await sendLines(chancery.url, lines, { isHead: true })
    assert.deepEqual([answer.status, answer.headers.allow], [405, 'GET, OPTIONS'])
  }
  await chancery.read(`/discord/verify/${code}`)
})

test('every method but GET leaves a code alone', async () => {
  const code = await chancery.makeCode('n1')
  const { answers } = await exchange(
    chancery.url,
    [...otherMethods, 'OPTIONS']
      .map(method => `${method} ${api}/discord/verify/${code} HTTP/1.1\r\n${host}\r\n\r\n`)
      .join(''),
    { count: otherMethods.length + 1 },
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([405, 204]))
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

test('HEAD has no body either where the parser refuses it, also behind another request', async () => {
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
      const { answers, rest, isClosed } = await exchange(chancery.url, before + head, {
        count: place + 1,
        bodiless: [place],
      })
      assert.deepEqual(
        [answers.length, answers[place]?.status, isClosed, rest],
        [place + 1, status, true, ''],
      )
      assert.ok(Number(answers[place]?.headers['content-length']) > 0)
    }
  }
})

test('a request target in absolute form is handled as its path, and poisons no cache', async () => {
  const plain = await sendLines(chancery.url, get(`${api}/rankings?limit=2`))
  assert.equal(plain.status, 200)
  for (const origin of ['http://game.example', 'https://nations', 'HTTP://x', 'http://rankings:80']) {
    const answer = await sendLines(chancery.url, get(`${origin}${api}/rankings?limit=2`))
    assert.equal(answer.body, plain.body, origin)
    const mirror = await sendLines(chancery.url, get(`${origin}${bases.mirror}/rankings?limit=2`))
    assert.equal(mirror.body, plain.body, origin)
  }
  const nations = await sendLines(chancery.url, get(`${api}/nations/n1`))
  assert.match(nations.body, /^\{"data":\{"id":"n1"/)
})

test('an encoded path is the path', async () => {
  const plain = await sendLines(chancery.url, get(`${api}/nations/n1`))
  const encoded = await sendLines(chancery.url, get(`/%61pi/v1/n%61tions/n%31`))
  assert.equal(encoded.body, plain.body)
})

test('HTTP/1.0 needs no Host, and the connection is closed', async () => {
  const { answers, isClosed } = await exchange(chancery.url, `GET ${api}/nations/n1 HTTP/1.0\r\n\r\n`)
  assert.deepEqual([answers[0]?.status, isClosed], [200, true])
})

test('pipelined requests get their responses in order', async () => {
  const ids = ['n1', 'none', 'n2', 'n3']
  const text = ids.map(id => `GET ${api}/nations/${id} HTTP/1.1\r\n${host}\r\n\r\n`).join('')
  const before = await left()
  const { answers } = await exchange(chancery.url, text, { count: ids.length })
  assert.deepEqual(
    answers.map(({ status, body }) => (status === 200 ? JSON.parse(body).data.id : status)),
    ['n1', 404, 'n2', 'n3'],
  )
  assert.equal(await left(), before - ids.length)
})

test('a body is ignored, whatever it is, and the next request is not taken from it', async () => {
  const ignored = ['GET', 'POST', 'DELETE'].flatMap(method => [
    `${method} ${api}/nations/n1 HTTP/1.1\r\n${host}\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{x}`,
    `${method} ${api}/nations/n1 HTTP/1.1\r\n${host}\r\nContent-Type: no/thing\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nGET\r\n0\r\n\r\n`,
  ])
  const text = `${ignored.join('')}GET ${api}/nations/n2 HTTP/1.1\r\n${host}\r\n\r\n`
  const { answers } = await exchange(chancery.url, text, { count: 7 })
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 405, 405, 405, 405, 200],
  )
  assert.match(answers.at(-1)?.body ?? '', /"id":"n2"/)
})

test('100-continue is the one expectation that is met', async () => {
  const answer = await sendLines(chancery.url, [...get(`${api}/nations/n1`), 'Expect: 100-continue'])
  assert.equal(answer.status, 200)
})

test('an upgrade is ignored: the request is handled', async () => {
  for (const protocol of ['websocket', 'h2c']) {
    const lines = [...get(`${api}/nations/n1`), 'Connection: Upgrade', `Upgrade: ${protocol}`]
    assert.equal((await sendLines(chancery.url, lines)).status, 200)
  }
})

test('a client that disconnects in the middle does no harm', async () => {
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
