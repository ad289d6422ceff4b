import assert from 'node:assert/strict'
import type { LookupFunction } from 'node:net'
import { describe, test } from 'node:test'
import { webhooks } from '@chancery/contract'
import { makeCertificate, withoutCertificates } from './certificate.ts'
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

describe('time', () => {
  const timeoutMs = 120
  /** At this timeout, not at the default one. Only a busy machine may be late. */
  const inTime = (latencyMs: number) =>
    latencyMs >= timeoutMs - 2 && latencyMs < webhooks.timeoutSeconds * 1_000

  const hanging: [promise: string, onRequest: OnRequest][] = [
    ['a receiver that sends nothing', () => undefined],
    ['headers sent slowly', trickle('HTTP/1.1 200 OK\r\n', 'x')],
    ['an interim response and then nothing', withBytes('HTTP/1.1 103 Early Hints\r\n\r\n')],
  ]
  for (const [promise, onRequest] of hanging) {
    test(`${promise} ends at the timeout, and its connection is closed`, async t => {
      const { receiver, status, error, latencyMs } = await sendTo(t, onRequest, { timeoutMs })
      assert.deepEqual([status, error], [null, 'timed_out'])
      assert.ok(inTime(latencyMs), `${latencyMs} ms`)
      await receiver.allClosed()
    })
  }

  for (const status of [200, 500]) {
    test(`a body sent slowly after a ${status} ends at the timeout with its status`, async t => {
      const head = `HTTP/1.1 ${status} Status\r\nTransfer-Encoding: chunked\r\n\r\n`
      const receiver = await startRawReceiver(t, trickle(head, '1\r\nx\r\n'))
      // Long enough for a busy machine to see the head and more than a piece.
      const bodyTimeoutMs = 2_000
      const response = await openSender(t, { timeoutMs: bodyTimeoutMs }).send(messageTo(receiver.url))
      assert.deepEqual([response.status, response.error], [status, null])
      assert.match(response.body ?? '', /^x{2,}$/)
      assert.ok(response.latencyMs >= bodyTimeoutMs - 2, `${response.latencyMs} ms`)
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
    // The sender's clock is stopped until the response is sent, so that a slow connection does not end the attempt.
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const receiver = await startRawReceiver(t, (socket, number) => {
      withStatus(200)(socket, number)
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
    [
      'by a wrong chunk',
      withBytes('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzzz\r\n'),
    ],
  ]
  for (const [promise, onRequest] of broken) {
    test(`${promise} does not change the status`, async t => {
      const { status, error, body } = await sendTo(t, onRequest)
      assert.deepEqual([status, error, body], [200, null, 'half'])
    })
  }
})

describe('a body without end', () => {
  const head = 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n'

  test('is read up to 64 KiB, and the connection ended', async t => {
    let sent = 0
    const piece = 'a'.repeat(4_096)
    const { receiver, status, body } = await sendTo(t, socket => {
      trickle(head, piece)(socket, 0)
      socket.on('close', () => {
        sent = socket.bytesWritten
      })
    })
    assert.deepEqual([status, body], [200, 'a'.repeat(webhooks.responseBytesKept)])
    await receiver.allClosed()
    const limit = webhooks.responseBytesMax
    assert.ok(sent >= limit && sent < limit + 20 * piece.length, `${sent} bytes were received`)
  })

  test('ends before the timeout, however fast it is sent', async t => {
    const { receiver, status, latencyMs } = await sendTo(
      t,
      socket => {
        socket.write(head)
        const write = () => {
          while (!socket.destroyed && socket.write('a'.repeat(65_536)));
        }
        socket.on('drain', write)
        write()
      },
      { timeoutMs: 600_000 },
    )
    assert.equal(status, 200)
    assert.ok(latencyMs < 60_000, `${latencyMs} ms`)
    await receiver.allClosed()
  })

  test('that ends near the limit is accepted', async t => {
    for (const size of [65_535, 65_536, 65_537, 70_000]) {
      const { status, error } = await sendTo(t, socket => void socket.end(head + 'a'.repeat(size)))
      assert.deepEqual([status, error], [200, null])
    }
  })
})

describe('all bytes of a response count against the limit, not only the body', () => {
  const ok = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
  const streams: [promise: string, status: number | null, first: string, piece: string][] = [
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
  for (const [promise, status, first, piece] of streams) {
    for (const scheme of ['http', 'https']) {
      test(`${promise}, over ${scheme}`, { skip: scheme === 'https' && withoutCertificates }, async t => {
        const certificate = scheme === 'https' ? makeCertificate('DNS:hooks.example.com') : undefined
        const { promise: sent, resolve } = Promise.withResolvers<number>()
        const onRequest: OnRequest = socket => {
          socket.on('close', () => resolve(socket.bytesWritten))
          trickle(first, piece)(socket, 0)
        }
        const receiver = await startRawReceiver(t, onRequest, certificate && { certificate })
        const sender = openSender(t, { ca: certificate?.cert, lookup: toLoopback })
        const url = `${scheme}://hooks.example.com:${receiver.port}/`
        const response = await sender.send(messageTo(url))
        assert.deepEqual([response.status, response.error], [status, status === null ? 'not_http' : null])
        const bytes = await sent
        assert.ok(bytes < 2_000_000, `${bytes} bytes were received`)
      })
    }
  }

  test('the limit applies to each request of a connection', async t => {
    const body = 'a'.repeat(60_000)
    const receiver = await startRawReceiver(t, withStatus(200, body))
    const sender = openSender(t)
    for (let request = 0; request < 20; request += 1)
      assert.equal((await sender.send(messageTo(receiver.url))).status, 200)
    assert.ok(receiver.connectionCount() <= 2, `${receiver.connectionCount()} connections`)
  })
})
