import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type LookupFunction, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { listen } from '../support/listen.ts'
import { until } from '../support/until.ts'
import { makeCertificate, withoutCertificates } from './certificate.ts'
import { messageTo, openSender, startRawReceiver, withStatus } from './raw-receiver.ts'

const name = 'hooks.example.com'
const loopback: LookupFunction = (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }])

describe('TLS', { skip: withoutCertificates }, () => {
  async function open(t: TestContext, { names = [`DNS:${name}`], isTrusted = true } = {}) {
    const certificate = makeCertificate(...names)
    const receiver = await startRawReceiver(t, withStatus(200), { certificate })
    const sender = openSender(t, {
      lookup: loopback,
      ...(isTrusted && { ca: certificate.cert }),
    })
    const send = (host: string) => sender.send(messageTo(`https://${host}:${receiver.port}/`))
    return { receiver, sender, send }
  }

  test('a certificate for the name is accepted, although the connection is to an address', async t => {
    const { send } = await open(t)
    const { status, error, body } = await send(name)
    assert.deepEqual([status, error, body], [200, null, 'ok'])
  })

  test('an untrusted certificate is rejected, and nothing is sent', async t => {
    const { send, receiver } = await open(t, { isTrusted: false })
    const { status, error } = await send(name)
    assert.deepEqual([status, error], [null, 'tls_failed'])
    assert.deepEqual(receiver.requests, [])
    await receiver.allClosed()
  })

  test('a certificate for another name is rejected', async t => {
    const { send, receiver } = await open(t, { names: ['DNS:other.example.com', 'IP:127.0.0.1'] })
    // The second time too: a resumed TLS session would skip the check.
    for (const _ of [1, 2]) assert.equal((await send(name)).error, 'tls_failed')
    assert.deepEqual(receiver.requests, [])
  })

  test('an address is verified as such', async t => {
    const { send } = await open(t, { names: ['IP:127.0.0.1'] })
    assert.equal((await send('127.0.0.1')).status, 200)
  })

  test('the receiver gets the host name (SNI)', async t => {
    const certificate = makeCertificate(`DNS:${name}`)
    const received: (string | false | null)[] = []
    const server = createTlsServer(certificate, socket => {
      received.push(socket.servername, socket.alpnProtocol)
      socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
    })
    const port = await listen(server)
    t.after(() => server.close())
    const sender = openSender(t, { lookup: loopback, ca: certificate.cert })
    assert.equal((await sender.send(messageTo(`https://${name}:${port}/`))).status, 204)
    assert.equal(received[0], name)
  })

  test('a message to a hanging receiver does not delay the next to the same name', async t => {
    const certificate = makeCertificate(`DNS:${name}`)
    const receiver = await startRawReceiver(
      t,
      (socket, number) => {
        if (number > 0) withStatus(200)(socket, number)
      },
      { certificate },
    )
    const sender = openSender(t, { lookup: loopback, ca: certificate.cert })
    const stopping = new AbortController()
    let responses = 0
    const sent = Array.from({ length: 6 }, async () => {
      const { status } = await sender.send(messageTo(`https://${name}:${receiver.port}/`), stopping.signal)
      if (status === 200) responses += 1
    })
    await until(() => responses === 5, 'the others get responses')
    stopping.abort()
    await Promise.all(sent)
  })

  test('a message whose handshake hangs does not delay the next to the same name', async t => {
    const certificate = makeCertificate(`DNS:${name}`)
    const tlsServer = createTlsServer(certificate, socket => withStatus(200)(socket, 0))
    const held: Socket[] = []
    const server = createTcpServer(socket => {
      if (held.push(socket) > 1) tlsServer.emit('connection', socket)
    })
    const port = await listen(server)
    t.after(() => {
      for (const socket of held) socket.destroy()
      server.close()
    })
    const sender = openSender(t, { lookup: loopback, ca: certificate.cert })
    const message = messageTo(`https://${name}:${port}/`)
    const stopping = new AbortController()
    const first = sender.send(message, stopping.signal)
    assert.equal((await sender.send(message)).status, 200)
    stopping.abort()
    assert.equal((await first).error, 'stopped')
  })

  test('a receiver without TLS has an error of its own', async t => {
    const server = createServer((_req, res) => res.end())
    const port = await listen(server)
    t.after(() => server.close())
    const sender = openSender(t, { lookup: loopback })
    assert.equal((await sender.send(messageTo(`https://${name}:${port}/`))).error, 'tls_failed')
  })

  test('a receiver that ends or resets the handshake', async t => {
    const ends = await startRawReceiver(t, () => undefined, { onConnect: socket => void socket.end() })
    const resets = await startRawReceiver(t, () => undefined, {
      onConnect: socket => void socket.once('data', () => socket.resetAndDestroy()),
    })
    const sender = openSender(t, { lookup: loopback })
    for (const { port } of [ends, resets])
      assert.equal((await sender.send(messageTo(`https://${name}:${port}/`))).error, 'tls_failed')
  })

  test('a stalled handshake ends at the timeout, and the connection with it', async t => {
    const receiver = await startRawReceiver(t, () => undefined)
    const sender = openSender(t, { lookup: loopback, timeoutMs: 120 })
    const { error } = await sender.send(messageTo(`https://${name}:${receiver.port}/`))
    assert.equal(error, 'timed_out')
    await receiver.allClosed()
  })

  test('a connection that is being opened is closed with the sender', async t => {
    const receiver = await startRawReceiver(t, () => undefined, {
      onConnect: socket => void socket.once('data', () => void sender.close()),
    })
    const sender = openSender(t, { lookup: loopback, timeoutMs: 600_000 })
    const { error } = await sender.send(messageTo(`https://${name}:${receiver.port}/`))
    assert.equal(error, 'stopped')
    await receiver.allClosed()
  })

  test('a TLS request in flight is aborted when the sender closes', async t => {
    const certificate = makeCertificate(`DNS:${name}`)
    const receiver = await startRawReceiver(t, () => void sender.close(), { certificate })
    const sender = openSender(t, { lookup: loopback, ca: certificate.cert })
    assert.equal((await sender.send(messageTo(`https://${name}:${receiver.port}/`))).error, 'stopped')
    await receiver.allClosed()
  })
})
