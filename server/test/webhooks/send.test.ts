import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type DeliveryError, webhooks } from '@chancery/contract'
import fc from 'fast-check'
import {
  messageTo,
  type OnRequest,
  openSender,
  sendTo,
  startRawReceiver,
  trickle,
  withBytes,
  withStatus,
} from './raw-receiver.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

test('a message arrives as a POST with its headers and body, and no header that identifies the sender', async t => {
  const receiver = await startRawReceiver(t, withStatus(204, ''))
  const url = `http://127.0.0.1:${receiver.port}/hooks/in?key=a%20b&c`
  const response = await openSender(t).send(messageTo(url))
  assert.deepEqual(
    { ...response, latencyMs: 0 },
    { status: 204, error: null, body: '', retryAfter: null, latencyMs: 0 },
  )
  const [head = '', body = ''] = receiver.requests[0]?.split('\r\n\r\n') ?? []
  const [line, ...headers] = head.split('\r\n')
  assert.equal(line, 'POST /hooks/in?key=a%20b&c HTTP/1.1')
  assert.deepEqual(headers.sort(), [
    'connection: keep-alive',
    'content-length: 50',
    'content-type: application/json; charset=utf-8',
    `host: 127.0.0.1:${receiver.port}`,
    'user-agent: Chancery/1.2.3',
    'webhook-id: evt_1',
  ])
  assert.equal(Buffer.from(body, 'latin1').toString(), messageTo(url).body)
})

describe('the response is reported', () => {
  const statuses = [200, 201, 299, 301, 400, 404, 410, 429, 500, 503]
  for (const status of statuses) {
    test(`${status}`, async t => {
      const response = await sendTo(t, withStatus(status, 'body'))
      assert.deepEqual([response.status, response.error, response.body], [status, null, 'body'])
    })
  }

  test('with the Retry-After as received', async t => {
    const values = ['120', 'Fri, 31 Dec 2027 23:59:59 GMT', 'soon']
    const receiver = await startRawReceiver(t, (socket, number) =>
      withStatus(503, '', [`Retry-After: ${values[number]}`])(socket, number),
    )
    const sender = openSender(t)
    for (const value of values) {
      assert.equal((await sender.send(messageTo(receiver.url))).retryAfter, value)
    }
  })

  test('a Retry-After longer than any date is ignored', async t => {
    assert.equal(
      (await sendTo(t, withStatus(503, '', [`Retry-After: ${'1'.repeat(5_000)}`]))).retryAfter,
      null,
    )
  })

  const bodies: [promise: string, body: Buffer, text: string][] = [
    ['as text', Buffer.from('grüße 👋'), 'grüße 👋'],
    ['with its first kilobyte only', Buffer.alloc(5_000, 'a'), 'a'.repeat(webhooks.responseBytesKept)],
    ['without the character that was cut', Buffer.from(`${'a'.repeat(1_022)}👋`), 'a'.repeat(1_022)],
    [
      'with a replacement character for invalid UTF-8',
      Buffer.from([0x61, 0xff, 0xfe, 0x62]),
      'a\uFFFD\uFFFDb',
    ],
    ['without NUL', Buffer.from('a\0b'), 'a\uFFFDb'],
  ]
  for (const [promise, body, text] of bodies) {
    test(promise, async t => {
      const head = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`
      assert.equal((await sendTo(t, withBytes(Buffer.concat([Buffer.from(head), body])))).body, text)
    })
  }

  test('PostgreSQL can store the text of any bytes', async t => {
    let body = Buffer.alloc(0)
    const receiver = await startRawReceiver(t, socket => {
      // In pieces, as a network may split it anywhere.
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`)
      for (const byte of body.subarray(0, 20)) socket.write(Buffer.from([byte]))
      socket.write(body.subarray(20))
    })
    const sender = openSender(t)
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 1_100 }), async bytes => {
        body = Buffer.from(bytes)
        const { body: text } = await sender.send(messageTo(receiver.url))
        assert.ok(text?.isWellFormed() && !text.includes('\0'))
      }),
      { numRuns: 50 },
    )
  })

  test('a compressed response is not decompressed', async t => {
    const bomb = gzipSync(Buffer.alloc(20_000_000))
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
    const { status, body } = await sendTo(t, withBytes(Buffer.concat([Buffer.from(head), bomb])))
    assert.equal(status, 200)
    assert.ok(body && body.length <= webhooks.responseBytesKept && body.startsWith('\u001f'))
  })

  test('a redirect is a response, and is not followed', async t => {
    const target = await startRawReceiver(t, withStatus(200))
    for (const status of [301, 302, 303, 307, 308]) {
      assert.equal((await sendTo(t, withStatus(status, '', [`Location: ${target.url}`]))).status, status)
    }
    assert.equal(target.connectionCount(), 0)
  })

  test('cookies are not kept', async t => {
    const receiver = await startRawReceiver(t, withStatus(200, 'ok', ['Set-Cookie: session=1; Path=/']))
    const sender = openSender(t)
    await sender.send(messageTo(receiver.url))
    await sender.send(messageTo(receiver.url))
    assert.equal(receiver.requests.length, 2)
    assert.doesNotMatch(receiver.requests.join(), /cookie/i)
  })

  const interims: [name: string, bytes: string][] = [
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['103 with headers', 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'],
    ['103 twice', 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'],
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ]
  for (const [name, bytes] of interims) {
    test(`${name} first is skipped`, async t => {
      const receiver = await startRawReceiver(t, withBytes(bytes + ok))
      const sender = openSender(t)
      for (const _ of [1, 2, 3, 4]) {
        const { status, body } = await sender.send(messageTo(receiver.url))
        assert.deepEqual([status, body], [200, 'ok'])
      }
      assert.ok(receiver.connectionCount() <= 2, 'the connection is kept')
    })
  }

  test('the end of the connection may end the response', async t => {
    const { status, body } = await sendTo(t, socket => socket.end('HTTP/1.0 200 OK\r\n\r\nuntil the end'))
    assert.deepEqual([status, body], [200, 'until the end'])
  })
})

describe('without a response the reason is reported', () => {
  const receivers: [promise: string, error: DeliveryError, onRequest: OnRequest][] = [
    ['a reset', 'closed_early', socket => void socket.resetAndDestroy()],
    ['the end before a response', 'closed_early', socket => void socket.end()],
    ['the end within the headers', 'closed_early', socket => void socket.end('HTTP/1.1 200 OK\r\nConte')],
    ['another protocol', 'not_http', withBytes('SSH-2.0-OpenSSH_9.6\r\n')],
    ['a page without HTTP', 'not_http', withBytes('<!doctype html><p>hello</p>\r\n\r\n')],
    [
      'headers that break after a length',
      'not_http',
      withBytes('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nno header\r\n\r\n'),
    ],
    ['an invalid header', 'not_http', withBytes('HTTP/1.1 200 OK\r\nno header\r\n\r\n')],
    ['huge headers', 'not_http', withBytes(`HTTP/1.1 200 OK\r\nX-Long: ${'a'.repeat(1_000_000)}\r\n\r\n`)],
    ['very many headers', 'not_http', withBytes(`HTTP/1.1 200 OK\r\n${'X-Many: 1\r\n'.repeat(50_000)}\r\n`)],
    ['headers without end', 'not_http', trickle('HTTP/1.1 200 OK\r\n', `X-Long: ${'a'.repeat(4_000)}\r\n`)],
    ['interim responses without end', 'not_http', trickle('', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
    [
      'an upgrade to another protocol',
      'not_http',
      withBytes('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'),
    ],
  ]
  for (const [promise, error, onRequest] of receivers) {
    test(promise, async t => {
      const { receiver, ...response } = await sendTo(t, onRequest)
      assert.deepEqual([response.status, response.error, response.body], [null, error, null])
      await receiver.allClosed()
    })
  }

  test('a banner before the request', async t => {
    const onConnect = (socket: { write(text: string): unknown }) => void socket.write('220 mail ESMTP\r\n')
    const receiver = await startRawReceiver(t, () => undefined, { onConnect })
    const { status, error } = await openSender(t).send(messageTo(receiver.url))
    assert.deepEqual([status, error], [null, 'not_http'])
  })

  test('no listener', async t => {
    const receiver = await startRawReceiver(t, withStatus(200))
    const { port } = receiver
    const sender = openSender(t)
    const unused = port === 65_535 ? port - 1 : port + 1
    const { error } = await sender.send(messageTo(`http://127.0.0.2:${unused}/`))
    assert.equal(error, 'connection_failed')
  })

  test('a URL that is no longer allowed', async t => {
    const receiver = await startRawReceiver(t, withStatus(200))
    const sender = openSender(t, { allowsLocal: false })
    const { error } = await sender.send(messageTo(receiver.url))
    assert.equal(error, 'url_not_allowed')
    assert.equal(receiver.connectionCount(), 0)
  })

  test('the sender never rejects, whatever the message', async t => {
    const sender = openSender(t, {
      lookup: (_name, _options, done) => done(new Error('no'), []),
      timeoutMs: 500,
    })
    const url = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.domain().map(name => `https://${name}:99/#`),
    )
    const headers = fc.dictionary(fc.string(), fc.string())
    await fc.assert(
      fc.asyncProperty(url, headers, fc.string(), async (url, headers, body) => {
        const { status, error } = await sender.send({ url, headers, body })
        assert.ok(status === null && error !== null)
      }),
    )
  })
})
