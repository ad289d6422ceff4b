import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { until } from '../support/until.ts'
import { messageTo, openSender, startRawReceiver, withStatus } from './raw-receiver.ts'

describe('connections', () => {
  test('are used again', async t => {
    const receiver = await startRawReceiver(t, withStatus(200))
    const sender = openSender(t)
    for (let count = 0; count < 20; count++) await sender.send(messageTo(receiver.url))
    assert.equal(receiver.requests.length, 20)
    // A connection is free one turn after its response: messages without a pause use two in turn.
    assert.ok(receiver.connectionCount() <= 2, `${receiver.connectionCount()} connections`)
  })

  test('are not shared while one waits: a hanging message does not delay others', async t => {
    const receiver = await startRawReceiver(t, (socket, number) => {
      if (number > 0) withStatus(200)(socket, number)
    })
    const sender = openSender(t)
    const stopping = new AbortController()
    let responses = 0
    const sent = Array.from({ length: 21 }, async () => {
      const { status } = await sender.send(messageTo(receiver.url), stopping.signal)
      if (status === 200) responses += 1
    })
    await until(() => responses === 20, 'the others get responses')
    stopping.abort()
    await Promise.all(sent)
  })

  test('that are idle are closed, although the receiver would keep them for an hour', async t => {
    const receiver = await startRawReceiver(t, withStatus(200, 'ok', ['Keep-Alive: timeout=3600']))
    const sender = openSender(t, { idleMs: 50 })
    await sender.send(messageTo(receiver.url))
    assert.equal(receiver.openCount(), 1)
    await receiver.allClosed()
  })

  test('are kept for a while', async t => {
    const receiver = await startRawReceiver(t, withStatus(200))
    const other = await startRawReceiver(t, socket => void setTimeout(withStatus(200), 200, socket, 0))
    const sender = openSender(t)
    await sender.send(messageTo(receiver.url))
    await sender.send(messageTo(other.url))
    assert.equal(receiver.openCount(), 1)
  })

  test('do not grow with the number of receivers', async t => {
    const receivers = await Promise.all(
      Array.from({ length: 30 }, () => startRawReceiver(t, withStatus(200))),
    )
    const sender = openSender(t, { spareConnectionsMax: 4 })
    for (const { url } of receivers) assert.equal((await sender.send(messageTo(url))).status, 200)
    const open = receivers.reduce((sum, receiver) => sum + receiver.openCount(), 0)
    assert.ok(open <= 8, `${open} connections are open`)
  })

  test('that are closed do not count as idle ones', async t => {
    const sender = openSender(t, { spareConnectionsMax: 4 })
    const closing = await startRawReceiver(t, withStatus(200, 'ok', ['Connection: close']))
    for (let count = 0; count < 20; count++) await sender.send(messageTo(closing.url))
    const keeping = await startRawReceiver(t, withStatus(200))
    for (let count = 0; count < 20; count++) await sender.send(messageTo(keeping.url))
    assert.ok(keeping.connectionCount() <= 2, `${keeping.connectionCount()} connections`)
  })

  test('that the receiver has closed meanwhile are not used', async t => {
    const receiver = await startRawReceiver(t, (socket, number) => {
      withStatus(200)(socket, number)
      socket.end()
    })
    const sender = openSender(t)
    for (let count = 0; count < 10; count++) {
      assert.equal((await sender.send(messageTo(receiver.url))).status, 200)
      await receiver.allClosed()
    }
    assert.equal(receiver.connectionCount(), 10)
  })

  test('with unrequested data are not reused', async t => {
    const forged = 'HTTP/1.1 500 Forged\r\nContent-Length: 0\r\n\r\n'
    const receiver = await startRawReceiver(t, (socket, number) => {
      withStatus(200)(socket, number)
      socket.write(forged)
    })
    const sender = openSender(t)
    for (let count = 0; count < 10; count++)
      assert.equal((await sender.send(messageTo(receiver.url))).status, 200)
  })
})

describe('stopping', () => {
  test('an aborted attempt reports so, and its connection ends', async t => {
    const stopping = new AbortController()
    const receiver = await startRawReceiver(t, () => stopping.abort())
    const sender = openSender(t)
    const sent = await Promise.all([
      sender.send(messageTo(receiver.url), stopping.signal),
      sender.send(messageTo(receiver.url), stopping.signal),
    ])
    assert.deepEqual(
      sent.map(({ status, error }) => [status, error]),
      [
        [null, 'stopped'],
        [null, 'stopped'],
      ],
    )
    await receiver.allClosed()
  })

  test('a received status is final, whatever happens to the body', async t => {
    const stopping = new AbortController()
    const receiver = await startRawReceiver(t, socket => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf')
      setTimeout(() => stopping.abort(), 50)
    })
    const { status, error, body } = await openSender(t).send(messageTo(receiver.url), stopping.signal)
    assert.deepEqual([status, error, body], [200, null, 'half'])
  })

  test('an aborted signal sends nothing', async t => {
    const receiver = await startRawReceiver(t, withStatus(200))
    const { error } = await openSender(t).send(messageTo(receiver.url), AbortSignal.abort())
    assert.equal(error, 'stopped')
    assert.equal(receiver.connectionCount(), 0)
  })

  test('a signal that is not aborted does not affect later attempts', async t => {
    const stopping = new AbortController()
    const receiver = await startRawReceiver(t, withStatus(200))
    const sender = openSender(t)
    for (let count = 0; count < 5; count++)
      assert.equal((await sender.send(messageTo(receiver.url), stopping.signal)).status, 200)
    stopping.abort()
    assert.equal((await sender.send(messageTo(receiver.url))).status, 200)
  })

  test('during the name lookup, no connection follows', async t => {
    const stopping = new AbortController()
    const receiver = await startRawReceiver(t, withStatus(200))
    const found: (() => void)[] = []
    const sender = openSender(t, {
      lookup: (_name, _options, done) =>
        void found.push(() => done(null, [{ address: '127.0.0.1', family: 4 }])),
    })
    const sent = sender.send(messageTo(`http://hooks.example.com:${receiver.port}/`), stopping.signal)
    stopping.abort()
    assert.equal((await sent).error, 'stopped')
    for (const respond of found) respond()
    // A later message to the same receiver arrives: the first would have arrived before it.
    await sender.send(messageTo(receiver.url))
    assert.equal(receiver.requests.length, 1)
  })

  test('a closing sender aborts requests in flight at every stage, and accepts no more', async t => {
    const receiver = await startRawReceiver(t, () => undefined)
    const sender = openSender(t, {
      lookup: (_name, _options, done) => {
        // The name is found after the sender has begun to close, however slow the machine is.
        setImmediate(() => {
          void sender.close()
          setTimeout(done, 20, null, [{ address: '127.0.0.1', family: 4 }])
        })
      },
    })
    const hanging = sender.send(messageTo(receiver.url))
    const lookingUp = sender.send(messageTo(`http://hooks.example.com:${receiver.port}/`))
    assert.deepEqual([(await hanging).error, (await lookingUp).error], ['stopped', 'stopped'])
    assert.equal((await sender.send(messageTo(receiver.url))).error, 'stopped')
    await receiver.allClosed()
    assert.deepEqual(receiver.requests.length <= 1, true)
  })
})
