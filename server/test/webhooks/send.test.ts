import assert from 'node:assert/strict'
import type { LookupFunction } from 'node:net'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { webhooks } from '@chancery/contract'
import fc from 'fast-check'
import type { SendErrorCode } from '../../src/webhooks/outbound/request.ts'
import { makeCertificate, withoutCertificates } from './certificate.ts'
import { answering, dripping, type OnRequest, saying, startRawReceiver } from './raw-receiver.ts'
import { messageTo, openSender } from './sending.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

test('a message arrives as a POST with its headers and body, and no header that identifies the sender', async t => {
  const receiver = await startRawReceiver(t, answering(204, ''))
  const url = `http://127.0.0.1:${receiver.port}/hooks/in?key=a%20b&c`
  const answered = await openSender(t).send(messageTo(url))
  assert.deepEqual(
    { ...answered, latencyMs: 0 },
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
      const receiver = await startRawReceiver(t, answering(status, 'said'))
      const answered = await openSender(t).send(messageTo(receiver.url))
      assert.deepEqual([answered.status, answered.error, answered.body], [status, null, 'said'])
    })
  }

  test('with the Retry-After as received', async t => {
    const values = ['120', 'Fri, 31 Dec 2027 23:59:59 GMT', 'soon']
    const receiver = await startRawReceiver(t, (socket, number) =>
      answering(503, '', [`Retry-After: ${values[number]}`])(socket, number),
    )
    const sender = openSender(t)
    for (const value of values) {
      assert.equal((await sender.send(messageTo(receiver.url))).retryAfter, value)
    }
  })

  test('a Retry-After longer than any date is ignored', async t => {
    const receiver = await startRawReceiver(t, answering(503, '', [`Retry-After: ${'1'.repeat(5_000)}`]))
    assert.equal((await openSender(t).send(messageTo(receiver.url))).retryAfter, null)
  })

  const bodies: [promise: string, body: Buffer, answer: string][] = [
    ['as text', Buffer.from('grüße 👋'), 'grüße 👋'],
    ['with its first kilobyte only', Buffer.alloc(5_000, 'a'), 'a'.repeat(webhooks.responseBytesKept)],
    [
      'without the character that the cut went through',
      Buffer.from(`${'a'.repeat(1_022)}👋`),
      'a'.repeat(1_022),
    ],
    ['with a mark for bytes that are no text', Buffer.from([0x61, 0xff, 0xfe, 0x62]), 'a\uFFFD\uFFFDb'],
    ['without NUL', Buffer.from('a\0b'), 'a\uFFFDb'],
  ]
  for (const [promise, body, answer] of bodies) {
    test(promise, async t => {
      const head = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`
      const receiver = await startRawReceiver(t, saying(Buffer.concat([Buffer.from(head), body])))
      assert.equal((await openSender(t).send(messageTo(receiver.url))).body, answer)
    })
  }

  test('PostgreSQL can store the text of any bytes', async t => {
    let body = Buffer.alloc(0)
    const receiver = await startRawReceiver(t, socket => {
      // In pieces, as a network may cut it anywhere.
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`)
      for (const byte of body.subarray(0, 20)) socket.write(Buffer.from([byte]))
      socket.write(body.subarray(20))
    })
    const sender = openSender(t)
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 1_100 }), async bytes => {
        body = Buffer.from(bytes)
        const { body: answer } = await sender.send(messageTo(receiver.url))
        assert.ok(answer?.isWellFormed() && !answer.includes('\0'))
      }),
      { numRuns: 50 },
    )
  })

  test('a compressed answer is not decompressed', async t => {
    const bomb = gzipSync(Buffer.alloc(20_000_000))
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
    const receiver = await startRawReceiver(t, saying(Buffer.concat([Buffer.from(head), bomb])))
    const { status, body: answer } = await openSender(t).send(messageTo(receiver.url))
    assert.equal(status, 200)
    assert.ok(answer && answer.length <= webhooks.responseBytesKept && answer.startsWith('\u001f'))
  })

  test('a redirect is a response, and is not followed', async t => {
    const target = await startRawReceiver(t, answering(200))
    for (const status of [301, 302, 303, 307, 308]) {
      const receiver = await startRawReceiver(t, answering(status, '', [`Location: ${target.url}`]))
      assert.equal((await openSender(t).send(messageTo(receiver.url))).status, status)
    }
    assert.equal(target.connectionCount(), 0)
  })

  test('cookies are not kept', async t => {
    const receiver = await startRawReceiver(t, answering(200, 'ok', ['Set-Cookie: session=1; Path=/']))
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
      const receiver = await startRawReceiver(t, saying(bytes + ok))
      const sender = openSender(t)
      for (const _ of [1, 2, 3, 4]) {
        const { status, body: answer } = await sender.send(messageTo(receiver.url))
        assert.deepEqual([status, answer], [200, 'ok'])
      }
      assert.ok(receiver.connectionCount() <= 2, 'the connection was not kept')
    })
  }

  test('the end of the connection may end the response', async t => {
    const receiver = await startRawReceiver(t, socket => socket.end('HTTP/1.0 200 OK\r\n\r\nuntil the end'))
    const { status, body: answer } = await openSender(t).send(messageTo(receiver.url))
    assert.deepEqual([status, answer], [200, 'until the end'])
  })
})

describe('without a response the reason is reported', () => {
  const receivers: [promise: string, error: SendErrorCode, onRequest: OnRequest][] = [
    ['a reset', 'closed_early', socket => void socket.resetAndDestroy()],
    ['the end before an answer', 'closed_early', socket => void socket.end()],
    ['the end within the headers', 'closed_early', socket => void socket.end('HTTP/1.1 200 OK\r\nConte')],
    ['another protocol', 'not_http', saying('SSH-2.0-OpenSSH_9.6\r\n')],
    ['a page without HTTP', 'not_http', saying('<!doctype html><p>hello</p>\r\n\r\n')],
    [
      'headers that break after a length',
      'not_http',
      saying('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nno header\r\n\r\n'),
    ],
    ['a header that is none', 'not_http', saying('HTTP/1.1 200 OK\r\nno header\r\n\r\n')],
    ['huge headers', 'not_http', saying(`HTTP/1.1 200 OK\r\nX-Long: ${'a'.repeat(1_000_000)}\r\n\r\n`)],
    ['very many headers', 'not_http', saying(`HTTP/1.1 200 OK\r\n${'X-Many: 1\r\n'.repeat(50_000)}\r\n`)],
    ['headers without end', 'not_http', dripping('HTTP/1.1 200 OK\r\n', `X-Long: ${'a'.repeat(4_000)}\r\n`)],
    ['interim answers without end', 'not_http', dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
    [
      'another protocol that nobody asked for',
      'not_http',
      saying('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'),
    ],
  ]
  for (const [promise, error, onRequest] of receivers) {
    test(promise, async t => {
      const receiver = await startRawReceiver(t, onRequest)
      const answered = await openSender(t).send(messageTo(receiver.url))
      assert.deepEqual([answered.status, answered.error, answered.body], [null, error, null])
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
    const receiver = await startRawReceiver(t, answering(200))
    const { port } = receiver
    const sender = openSender(t)
    const unused = port === 65_535 ? port - 1 : port + 1
    const { error } = await sender.send(messageTo(`http://127.0.0.2:${unused}/`))
    assert.equal(error, 'connection_failed')
  })

  test('a URL that is no longer allowed', async t => {
    const receiver = await startRawReceiver(t, answering(200))
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

describe('time', () => {
  const timeoutMs = 120
  /** At this limit and not at the usual one: a busy machine may be late, but nothing else may be. */
  const inTime = (latencyMs: number) =>
    latencyMs >= timeoutMs - 2 && latencyMs < webhooks.timeoutSeconds * 1_000

  const silent: [promise: string, onRequest: OnRequest][] = [
    ['a receiver that says nothing', () => undefined],
    ['headers that drip', dripping('HTTP/1.1 200 OK\r\n', 'x')],
    ['an interim answer and then nothing', saying('HTTP/1.1 103 Early Hints\r\n\r\n')],
  ]
  for (const [promise, onRequest] of silent) {
    test(`${promise} ends at the timeout, and its connection is closed`, async t => {
      const receiver = await startRawReceiver(t, onRequest)
      const { status, error, latencyMs } = await openSender(t, { timeoutMs }).send(messageTo(receiver.url))
      assert.deepEqual([status, error], [null, 'timed_out'])
      assert.ok(inTime(latencyMs), `${latencyMs} ms`)
      await receiver.allClosed()
    })
  }

  for (const status of [200, 500]) {
    test(`a body that drips after a ${status} ends at the timeout with its status`, async t => {
      const head = `HTTP/1.1 ${status} Said\r\nTransfer-Encoding: chunked\r\n\r\n`
      const receiver = await startRawReceiver(t, dripping(head, '1\r\nx\r\n'))
      // Long enough for a busy machine to see the head and more than a piece.
      const dripTimeoutMs = 2_000
      const answered = await openSender(t, { timeoutMs: dripTimeoutMs }).send(messageTo(receiver.url))
      assert.deepEqual([answered.status, answered.error], [status, null])
      assert.match(answered.body ?? '', /^x{2,}$/)
      assert.ok(answered.latencyMs >= dripTimeoutMs - 2, `${answered.latencyMs} ms`)
      await receiver.allClosed()
    })
  }

  test('a name lookup without a response ends at the timeout', async t => {
    const sender = openSender(t, { timeoutMs, lookup: () => undefined })
    const { error, latencyMs } = await sender.send(messageTo('http://hooks.example.com/'))
    assert.equal(error, 'timed_out')
    assert.ok(inTime(latencyMs), `${latencyMs} ms`)
  })

  test('a response received while the process was busy is read', async t => {
    const { setTimeout } = globalThis
    // The sender's clock stands until the response is sent: a machine that is slow to connect does not end the attempt.
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const receiver = await startRawReceiver(t, (socket, number) => {
      answering(200)(socket, number)
      // The process is busy beyond the limit: its timers run next, and only then the response can be read.
      setTimeout(() => t.mock.timers.tick(timeoutMs), 1)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    })
    const { status, error } = await openSender(t, { timeoutMs }).send(messageTo(receiver.url))
    assert.deepEqual([status, error], [200, null])
  })
})

describe('a body that breaks', () => {
  const broken: [promise: string, onRequest: OnRequest][] = [
    [
      'by a reset',
      socket =>
        void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf', () =>
          setTimeout(() => socket.resetAndDestroy(), 20),
        ),
    ],
    ['by its end', socket => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf')],
    ['by a wrong chunk', saying('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzzz\r\n')],
  ]
  for (const [promise, onRequest] of broken) {
    test(`${promise} does not change the status`, async t => {
      const receiver = await startRawReceiver(t, onRequest)
      const { status, error, body: answer } = await openSender(t).send(messageTo(receiver.url))
      assert.deepEqual([status, error, answer], [200, null, 'half'])
    })
  }
})

describe('a body without end', () => {
  const head = 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n'

  test('is read up to 64 KiB, and the connection ended', async t => {
    let taken = 0
    const drop = 'a'.repeat(4_096)
    const receiver = await startRawReceiver(t, socket => {
      dripping(head, drop)(socket, 0)
      socket.on('close', () => {
        taken = socket.bytesWritten
      })
    })
    const { status, body } = await openSender(t).send(messageTo(receiver.url))
    assert.deepEqual([status, body], [200, 'a'.repeat(webhooks.responseBytesKept)])
    await receiver.allClosed()
    const limit = webhooks.responseBytesMax
    assert.ok(taken >= limit && taken < limit + 20 * drop.length, `${taken} bytes were taken`)
  })

  test('ends at the timeout, however fast it is sent', async t => {
    const receiver = await startRawReceiver(t, socket => {
      socket.write(head)
      const pour = () => {
        while (!socket.destroyed && socket.write('a'.repeat(65_536)));
      }
      socket.on('drain', pour)
      pour()
    })
    const { status, latencyMs } = await openSender(t, { timeoutMs: 600_000 }).send(messageTo(receiver.url))
    assert.equal(status, 200)
    assert.ok(latencyMs < 60_000, `${latencyMs} ms`)
    await receiver.allClosed()
  })

  test('that ends just above the limit is handled alike', async t => {
    for (const size of [65_535, 65_536, 65_537, 70_000]) {
      const receiver = await startRawReceiver(t, socket => void socket.end(head + 'a'.repeat(size)))
      const { status, error } = await openSender(t).send(messageTo(receiver.url))
      assert.deepEqual([status, error], [200, null])
    }
  })
})

describe('all bytes of a response count against the limit, not only the body', () => {
  const ok = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
  const streams: [promise: string, status: number | null, first: string, drop: string][] = [
    ['a status line without end', null, 'HTTP/1.1 200 ', 'a'.repeat(16_384)],
    ['empty lines before the status line', null, '', '\r\n'.repeat(8_192)],
    ['interim responses', null, '', `HTTP/1.1 103 Early Hints\r\nX-Long: ${'a'.repeat(15_000)}\r\n\r\n`],
    ['a chunk extension without end', 200, `${ok}1;`, 'a'.repeat(16_384)],
    ['a chunk size of zeros', 200, ok, '0'.repeat(16_384)],
    ['chunks of one byte with long extensions', 200, ok, `1;${'a'.repeat(16_384)}\r\nx\r\n`],
    ['trailers without end', 200, `${ok}0\r\n`, `X-Trailer: ${'a'.repeat(16_384)}\r\n`],
  ]
  const toLoopback: LookupFunction = (_name, _options, done) =>
    done(null, [{ address: '127.0.0.1', family: 4 }])
  for (const [promise, status, first, drop] of streams) {
    for (const scheme of ['http', 'https']) {
      test(`${promise}, over ${scheme}`, { skip: scheme === 'https' && withoutCertificates }, async t => {
        const certificate = scheme === 'https' ? makeCertificate('DNS:hooks.example.com') : undefined
        const { promise: taken, resolve } = Promise.withResolvers<number>()
        const onRequest: OnRequest = socket => {
          socket.on('close', () => resolve(socket.bytesWritten))
          dripping(first, drop)(socket, 0)
        }
        const receiver = await startRawReceiver(t, onRequest, certificate && { certificate })
        const sender = openSender(t, { ca: certificate?.cert, lookup: toLoopback })
        const url = `${scheme}://hooks.example.com:${receiver.port}/`
        const answered = await sender.send(messageTo(url))
        assert.deepEqual([answered.status, answered.error], [status, status === null ? 'not_http' : null])
        const bytes = await taken
        assert.ok(bytes < 2_000_000, `${bytes} bytes were taken`)
      })
    }
  }

  test('the limit applies to each request of a connection', async t => {
    const body = 'a'.repeat(60_000)
    const receiver = await startRawReceiver(t, answering(200, body))
    const sender = openSender(t)
    for (let request = 0; request < 20; request += 1)
      assert.equal((await sender.send(messageTo(receiver.url))).status, 200)
    assert.ok(receiver.connectionCount() <= 2, `${receiver.connectionCount()} connections`)
  })
})
