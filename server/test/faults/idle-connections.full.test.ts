import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Registry } from '@prometheus-io/client'
import { type ConnectionLimits, connectionsMax, limitConnections } from '../../src/http/connections.ts'
import { limitPipelining } from '../../src/http/protocol-errors.ts'
import { createTrustedProxies } from '../../src/http/trusted-proxies.ts'
import { listen } from '../support/listen.ts'
import { startServerProcess } from '../support/server-process.ts'
import { isLong } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { type Certificate, makeCertificate, withoutCertificates } from '../webhooks/certificate.ts'
import { assertServedDuring } from './support/regular-client.ts'
import { filesMax, openSockets, type Sockets } from './support/sockets.ts'

const count = isLong ? 10_000 : 1_000
/** Long enough to open all connections. */
const openedMs = isLong ? 15_000 : 5_000
/** Spreads the connections over eight addresses: one address may not hold all of them. */
const from = (index: number) => `127.0.0.${10 + (index % 8)}`

const files = filesMax()
const skip =
  files === undefined || process.platform !== 'linux'
    ? 'only Linux lets a test connect from many addresses'
    : files < count + 1_500
      ? `this process may open ${files} files, and ${count + 1_500} are needed`
      : false

for (const [name, text, headMs, idleMs] of [
  ['without a request', undefined, openedMs, 72_000],
  ['idle after one request', 'GET /api/v1/game HTTP/1.1\r\nHost: x\r\n\r\n', 60_000, openedMs],
] as const)
  test(`${count} connections ${name} use little memory, keep no caller out, and are closed`, {
    skip,
  }, async t => {
    const server = await startServerProcess(
      {},
      { timings: { connectionTimings: { headMs, idleMs, checkMs: 500 } } },
    )
    t.after(() => server.close())
    const before = await server.usage()
    const files = server.openFiles()
    await assertServedDuring(t, server.url, async () => {
      const sockets = await openSockets(server.url, { count, from, ...(text ? { text } : {}) })
      const open = count - sockets.ended()
      t.diagnostic(`${server.openFiles() - files} files for ${open} open connections`)
      const usage = await server.usage()
      const kilobytes = (usage.usedBytes - before.usedBytes) / 1e3 / open
      const residentKilobytes = (usage.residentBytes - before.residentBytes) / 1e3 / open
      t.diagnostic(`${kilobytes.toFixed(1)} KB used, ${residentKilobytes.toFixed(1)} KB resident for each`)
      assert.ok(kilobytes < 30, `${kilobytes} KB`)
      assert.ok(residentKilobytes < 60, `${residentKilobytes} KB resident`)
      await until(() => sockets.ended() === count, 'all are ended', 60_000)
    })
    await until(() => server.openFiles() < files + 20, 'the files are closed')
  })

/** More than the system buffers for a client that reads nothing. */
const largeBody = Buffer.alloc(16 * 1_048_576)

/** A minimal server with connection limits. */
async function startBounded(
  t: TestContext,
  connectionsMax: number,
  {
    trusted = [],
    tls,
    ...rules
  }: { trusted?: string[]; tls?: Certificate } & Partial<Omit<ConnectionLimits, 'trusted'>> = {},
) {
  const registry = new Registry()
  // Idle connections and half requests stay open longer than a test waits.
  const options = {
    keepAliveTimeout: 120_000,
    headersTimeout: 0,
    requestTimeout: 0,
    handshakeTimeout: 120_000,
  }
  const respond = (req: http.IncomingMessage, res: http.ServerResponse) =>
    res.end(req.url === '/large' ? largeBody : 'ok')
  const server = tls
    ? https.createServer({ ...options, ...tls }, respond)
    : http.createServer(options, respond)
  limitConnections(server, { trusted: createTrustedProxies(trusted), registry, connectionsMax, ...rules })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http${tls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`
  const metric = async (line: string) =>
    Number(
      new RegExp(`^${line.replace(/[{}]/g, '\\$&')} (\\d+)$`, 'm').exec(await registry.metrics())?.[1] ?? 0,
    )
  return { url, metric }
}

test('one address holds at most a quarter of all connections, and callers from other addresses are served', {
  skip,
}, async t => {
  const { url, metric } = await startBounded(t, 40)
  const greedy = await openSockets(url, { count: 100, from: () => '127.0.0.10' })
  await until(() => greedy.ended() === 90, 'all above ten are closed')
  assert.equal(await metric('chancery_connections_refused_total{reason="address"}'), 90)
  assert.equal((await fetch(url)).status, 200)
  greedy.destroy()
  await until(async () => (await metric('chancery_connections_open')) <= 1, 'they are no longer counted')
  const later = await openSockets(url, { count: 10, from: () => '127.0.0.10' })
  assert.equal((await fetch(url)).status, 200)
  assert.equal(later.ended(), 0)
  later.destroy()
})

test('the connections of a trusted proxy do not count as those of one caller', { skip }, async t => {
  const { url, metric } = await startBounded(t, 40, { trusted: ['127.0.0.10'] })
  const many = await openSockets(url, { count: 25, from: () => '127.0.0.10' })
  assert.equal((await fetch(url)).status, 200)
  assert.equal(many.ended(), 0)
  assert.equal(await metric('chancery_connections_refused_total{reason="address"}'), 0)
  many.destroy()
})

test('when connections are scarce, idle ones are closed', { skip }, async t => {
  const { url } = await startBounded(t, 40)
  const text = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
  const idle = await openSockets(url, { count: 29, text, from: index => `127.0.0.${10 + (index % 5)}` })
  await until(() => idle.all.every(socket => idle.texts.get(socket)?.endsWith('ok')), 'all have a response')
  assert.equal(idle.ended(), 0)
  assert.equal((await fetch(url)).status, 200)
  await until(() => idle.ended() === 29, 'they are closed')
})

const halfHead = 'GET / HTTP/1.1\r\nHost: x\r\n'

test('four addresses that repeatedly open half requests keep no caller out', { skip }, async t => {
  const { url, metric } = await startBounded(t, 40)
  let isOver = false
  const held = new Set<Sockets>()
  const renewing = [10, 11, 12, 13].map(async host => {
    while (!isOver) {
      const sockets = await openSockets(url, { count: 20, text: halfHead, from: () => `127.0.0.${host}` })
      held.add(sockets)
      const ended = sockets.ended()
      await until(() => isOver || sockets.ended() > ended, 'some are closed')
    }
  })
  await until(async () => (await metric('chancery_connections_open')) >= 30, 'connections are scarce')
  for (let call = 0; call < 40; call += 1)
    assert.equal((await fetch(url, { headers: { connection: 'close' } })).status, 200)
  assert.equal(await metric('chancery_connections_refused_total{reason="all"}'), 0)
  isOver = true
  await Promise.all(renewing)
  for (const sockets of held) sockets.destroy()
})

for (const isTls of [false, true])
  test(`while connections are scarce, an unfinished ${isTls ? 'handshake' : 'head'} has less time`, {
    skip: skip || (isTls && withoutCertificates),
  }, async t => {
    const tls = isTls ? makeCertificate('IP:127.0.0.1') : undefined
    const { url } = await startBounded(t, 40, { crowdedHeadMs: 200, ...(tls && { tls }) })
    const text = isTls ? '\u0016\u0003\u0001' : halfHead
    const half = await openSockets(url, { count: 36, text, from: index => `127.0.0.${10 + (index % 20)}` })
    const calls = async () => {
      const req = tls ? https.get(url, { ca: tls.cert, agent: false }) : http.get(url, { agent: false })
      const [res] = (await once(req, 'response')) as [http.IncomingMessage]
      assert.equal(Buffer.concat(await res.toArray()).toString(), 'ok')
    }
    await until(async () => {
      await calls()
      // Below 30, connections are no longer scarce.
      return half.ended() > 6
    }, 'they are closed')
    half.destroy()
  })

test('connections that do not read their responses are closed above the limit of unsent bytes', {
  skip,
}, async t => {
  // Four responses with their headers, even if the system has not buffered any of them yet.
  const { url, metric } = await startBounded(t, 40, { unsentBytesMax: 4 * (largeBody.length + 4_096) })
  const text = 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n'
  const from = (index: number) => `127.0.0.${10 + index}`
  const unread = await openSockets(url, { count: 4, text, reads: false, from })
  await fetch(url)
  assert.equal(await metric('chancery_connections_refused_total{reason="unsent"}'), 0)
  const more = await openSockets(url, { count: 8, text, reads: false, from })
  await until(async () => {
    assert.equal((await fetch(url)).status, 200)
    return (await metric('chancery_connections_refused_total{reason="unsent"}')) >= 7
  }, 'all but a few are closed')
  unread.destroy()
  more.destroy()
})

test('a pipelined request is handled after the response before it is read', async t => {
  let handled = 0
  const server = http.createServer((req, res) => {
    handled += 1
    res.end(req.url === '/large' ? largeBody : 'last')
  })
  limitPipelining(server, () => assert.fail('no request is rejected'), 2_000)
  const url = `http://127.0.0.1:${await listen(server, t)}`
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
  const text = get('/large').repeat(5) + get('/', 'Connection: close\r\n')
  const { all } = await openSockets(url, { count: 1, text, reads: false })
  const [socket] = all
  assert.ok(socket)
  await fetch(url, { headers: { connection: 'close' } })
  assert.equal(handled, 2)
  let bytes = 0
  for await (const part of socket) bytes += part.length
  assert.equal(handled, 7)
  assert.ok(bytes > 5 * largeBody.length)
})

test('pipelined requests are also limited by the size of their headers', async t => {
  let rejected = 0
  // The first response is never sent, so that all other requests wait.
  const server = http.createServer(() => {})
  limitPipelining(server, () => (rejected += 1), 2_000)
  const url = `http://127.0.0.1:${await listen(server, t)}`
  const large = `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(12_000)}\r\n\r\n`
  const { destroy } = await openSockets(url, { count: 1, text: large.repeat(7) })
  await until(() => rejected === 1, 'the seventh is rejected')
  destroy()
})

test('a connection above the limit is closed at once, and counted', { skip }, async t => {
  const { url, metric } = await startBounded(t, 8)
  const idle = await openSockets(url, { count: 20, from: index => `127.0.0.${10 + index}` })
  await until(() => idle.ended() === 12, 'all above eight are closed')
  assert.equal(await metric('chancery_connections_refused_total{reason="all"}'), 12)
  idle.destroy()
})

test('the connection limit leaves file descriptors for the database', () => {
  assert.equal(connectionsMax(1_000_000), 20_000)
  assert.equal(connectionsMax(Number.POSITIVE_INFINITY), 20_000)
  assert.equal(connectionsMax(10_000), 9_500)
  assert.equal(connectionsMax(1_024), 524)
  assert.equal(connectionsMax(256), 128)
})
