import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import type { LookupFunction, Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import type { DeliveryError } from '@chancery/contract'
import { createConnector } from '../../src/webhooks/outbound/connector.ts'
import { createNameLookup, isPublicAddress, SendError } from '../../src/webhooks/outbound/guard.ts'
import { startNameServer } from './name-server.ts'
import { messageTo, openSender, type RawReceiver, startRawReceiver, withStatus } from './raw-receiver.ts'

const name = 'hooks.example.com'
/** In an unallocated block: public by its range, but unreachable. */
const unreachable = '2d00::1'

/** A sender with the rules of production and a test name server, and a receiver on the loopback, which it must not reach. */
async function open(t: TestContext, { timeoutMs = 60_000 } = {}) {
  const [nameServer, receiver] = await Promise.all([startNameServer(t), startRawReceiver(t, withStatus(200))])
  const lookup = createNameLookup(() => () => undefined, nameServer.createResolver)
  const sender = openSender(t, { allowsLocal: false, lookup, timeoutMs })
  const url = `https://${name}:${receiver.port}/`
  return { nameServer, receiver, url, send: () => sender.send(messageTo(url)) }
}

function assertUntouched(receiver: RawReceiver): void {
  assert.deepEqual([receiver.connectionCount(), receiver.bytesReceived()], [0, 0])
}

describe('a name', () => {
  const hidden: [promise: string, addresses: string[]][] = [
    ['of the loopback', ['127.0.0.1']],
    ['of the loopback in IPv6', ['::1']],
    ['of a private network', ['10.0.0.1']],
    ['of the metadata of a cloud', ['169.254.169.254']],
    ['of the unspecified address', ['0.0.0.0']],
    ['of IPv6 that carries the loopback', ['::ffff:127.0.0.1']],
    ['of NAT64 that carries the loopback', ['64:ff9b::7f00:1']],
    ['of 6to4 that carries the loopback', ['2002:7f00:1::1']],
    ['with a public address and then a private one', ['8.8.8.8', '127.0.0.1']],
    ['with a private address and then a public one', ['127.0.0.1', '8.8.8.8']],
    ['with a public IPv4 address and a private IPv6 address', ['8.8.8.8', '::1']],
    ['with a public IPv6 address and a private IPv4 address', [unreachable, '127.0.0.1']],
  ]
  for (const [promise, addresses] of hidden) {
    test(`${promise} is rejected, and nothing is sent`, async t => {
      const { nameServer, receiver, send } = await open(t)
      nameServer.setAddresses(name, addresses)
      const { status, error } = await send()
      assert.deepEqual([status, error], [null, 'address_not_public'])
      assertUntouched(receiver)
    })
  }

  test('that was public and became private is rejected on the next attempt', async t => {
    const { nameServer, receiver, send } = await open(t, { timeoutMs: 1_000 })
    nameServer.setAddresses(name, [unreachable])
    const firstError = (await send()).error
    assert.ok(firstError === 'connection_failed' || firstError === 'timed_out', String(firstError))
    nameServer.setAddresses(name, ['127.0.0.1'])
    assert.equal((await send()).error, 'address_not_public')
    assert.equal(nameServer.queryCount(name), 4, 'names are not cached')
    assertUntouched(receiver)
  })

  test('that does not exist, or has no address, is not found', async t => {
    const { nameServer, send } = await open(t)
    assert.equal((await send()).error, 'name_not_found')
    nameServer.setAddresses(name, [])
    assert.equal((await send()).error, 'name_not_found')
  })

  test('with an unresponsive server takes no longer than the timeout', async t => {
    const { nameServer, send } = await open(t, { timeoutMs: 200 })
    nameServer.setAddresses(name, undefined)
    const { error, latencyMs } = await send()
    assert.equal(error, 'timed_out')
    assert.ok(latencyMs < 30_000, `${latencyMs} ms`)
  })

  test('is reached at its next address when the first does not listen', async t => {
    const receiver = await startRawReceiver(t, withStatus(200))
    const nameServer = await startNameServer(t)
    nameServer.setAddresses(name, ['127.0.0.2', '::1', '127.0.0.1'])
    const lookup = createNameLookup(() => () => undefined, nameServer.createResolver)
    const { status } = await openSender(t, { lookup }).send(messageTo(`http://${name}:${receiver.port}/`))
    assert.equal(status, 200)
  })
})

describe('an address in a URL', () => {
  const literals = [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '１２７.0.0.1',
    '0',
    '[::1]',
  ]
  literals.push('[::ffff:7f00:1]', '[::ffff:127.0.0.1]', '[::7f00:1]', '[64:ff9b::7f00:1]', 'localhost')
  for (const literal of literals) {
    test(`${literal} is not reached, even if it was allowed when it was saved`, async t => {
      const receiver = await startRawReceiver(t, withStatus(200))
      const sender = openSender(t, { allowsLocal: false })
      const { error } = await sender.send(messageTo(`https://${literal}:${receiver.port}/`))
      assert.equal(error, 'url_not_allowed')
      assertUntouched(receiver)
    })
  }
})

describe('a connection', () => {
  const rejectLookup: LookupFunction = (_name, _options, done) => done(new Error('unexpected lookup'), [])

  function connect(
    options: { lookup?: LookupFunction; isAllowed?: (address: string) => boolean },
    target: { hostname: string; port: number; protocol?: string },
  ): Promise<DeliveryError | Socket> {
    const connector = createConnector({
      isAllowed: isPublicAddress,
      lookup: rejectLookup,
      timeoutMs: 60_000,
      ...options,
    })
    const { hostname, port, protocol = 'https:' } = target
    return new Promise(resolve => {
      let hasReturned = false
      connector.connect({ hostname, protocol, port: String(port) }, (error, socket) => {
        assert.ok(hasReturned, 'undici was called back in the middle of its call')
        resolve(error instanceof SendError ? error.code : (socket ?? 'not_http'))
      })
      hasReturned = true
    })
  }

  for (const hostname of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1']) {
    test(`to the address ${hostname} is not made, although no name lookup takes place`, async t => {
      const receiver = await startRawReceiver(t, withStatus(200))
      assert.equal(await connect({}, { hostname, port: receiver.port }), 'address_not_public')
      assertUntouched(receiver)
    })
  }

  for (const protocol of ['https:', 'http:']) {
    test(`to another address than the name lookup returned is closed before a byte is sent (${protocol})`, async t => {
      const receiver = await startRawReceiver(t, withStatus(200))
      let reads = 0
      const changing: LookupAddress = {
        family: 4,
        // The check reads another address than the connection.
        get address() {
          return reads++ === 0 ? '8.8.8.8' : '127.0.0.1'
        },
      }
      const lookup: LookupFunction = (_name, _options, done) => done(null, [changing])
      const connected = await connect({ lookup }, { hostname: name, port: receiver.port, protocol })
      assert.equal(connected, 'address_not_public')
      await receiver.allClosed()
      assert.deepEqual([receiver.connectionCount(), receiver.bytesReceived()], [1, 0])
    })
  }

  test('to an allowed address succeeds', async t => {
    const receiver = await startRawReceiver(t, withStatus(200))
    const lookup: LookupFunction = (_name, _options, done) =>
      done(null, [{ address: '127.0.0.1', family: 4 }])
    const isAllowed = (address: string) => address === '127.0.0.1'
    const connected = await connect(
      { lookup, isAllowed },
      { hostname: name, port: receiver.port, protocol: 'http:' },
    )
    assert.ok(typeof connected === 'object')
    connected.destroy()
  })

  test('is not made to the allowed one of two addresses either', async t => {
    const receiver = await startRawReceiver(t, withStatus(200))
    const addresses = ['127.0.0.1', '127.0.0.2'].map(address => ({ address, family: 4 }))
    const lookup: LookupFunction = (_name, _options, done) => done(null, addresses)
    const isAllowed = (address: string) => address === '127.0.0.1'
    const target = { hostname: name, port: receiver.port, protocol: 'http:' }
    assert.equal(await connect({ lookup, isAllowed }, target), 'address_not_public')
    assertUntouched(receiver)
  })
})
