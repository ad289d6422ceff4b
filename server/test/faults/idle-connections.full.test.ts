import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Registry } from '@prometheus-io/client'
import { type ConnectionLimits, connectionsMax, limitConnections } from '../../src/http/connections.ts'
import { limitPipelining } from '../../src/http/pipelining.ts'
import { createTrustedProxies } from '../../src/http/trusted-proxies.ts'
import { startServerProcess } from '../support/server-process.ts'
import { isLong } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { type Certificate, makeCertificate, withoutCertificates } from '../webhooks/certificate.ts'
import { assertServed, measureDuring } from './support/regular-client.ts'
import { filesMax, openSockets, type Sockets } from './support/sockets.ts'

const count = isLong ? 10_000 : 1_000
/** Long enough to open all of them. */
const patienceMs = isLong ? 15_000 : 5_000
/** Of one address nobody may hold so many. */
const from = (index: number) => `127.0.0.${10 + (index % 8)}`

const files = filesMax()
const skip =
  files === undefined || process.platform !== 'linux'
    ? 'only a Linux lets a test call from many addresses'
    : files < count + 1_500
      ? `this process may open ${files} files, and ${count + 1_500} are needed`
      : false

for (const [name, text, headMs, idleMs] of [
  ['that ask nothing', undefined, patienceMs, 72_000],
  ['that ask once and stay', 'GET /api/v1/game HTTP/1.1\r\nHost: x\r\n\r\n', 60_000, patienceMs],
] as const)
  test(`${count} connections ${name} take little, keep nobody out, and are let go`, { skip }, async t => {
    const server = await startServerProcess(
      {},
      { timings: { connectionTimings: { headMs, idleMs, checkMs: 500 } } },
    )
    t.after(() => server.close())
    const before = await server.usage()
    const files = server.openFiles()
    const met = await measureDuring(server.url, async () => {
      const sockets = await openSockets(server.url, { count, from, ...(text ? { text } : {}) })
      const open = count - sockets.ended()
      t.diagnostic(`${server.openFiles() - files} files for ${open} connections that are open`)
      const usage = await server.usage()
      const kilobytes = (usage.usedBytes - before.usedBytes) / 1e3 / open
      const residentKilobytes = (usage.residentBytes - before.residentBytes) / 1e3 / open
      t.diagnostic(`${kilobytes.toFixed(1)} KB used, ${residentKilobytes.toFixed(1)} KB resident for each`)
      assert.ok(kilobytes < 30, `${kilobytes} KB`)
      assert.ok(residentKilobytes < 60, `${residentKilobytes} KB resident`)
      await until(() => sockets.ended() === count, 'all are ended', 60_000)
    })
    t.diagnostic(assertServed(met))
    await until(() => server.openFiles() < files + 20, 'the files are given back')
  })

/** More than the system takes for somebody who reads nothing. */
const largeBody = Buffer.alloc(16 * 1_048_576)

/** A plain server that has its bounds. */
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
  // Whoever asked once, and a half request, may stay longer than a test waits.
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

test('one address holds a quarter of all connections at most, and whoever calls from another is served', {
  skip,
}, async t => {
  const { url, metric } = await startBounded(t, 40)
  const greedy = await openSockets(url, { count: 100, from: () => '127.0.0.10' })
  await until(() => greedy.ended() === 90, 'all beyond ten are closed')
  assert.equal(await metric('chancery_connections_refused_total{reason="address"}'), 90)
  assert.equal((await fetch(url)).status, 200)
  greedy.destroy()
  await until(async () => (await metric('chancery_connections_open')) <= 1, 'they are no longer counted')
  const later = await openSockets(url, { count: 10, from: () => '127.0.0.10' })
  assert.equal((await fetch(url)).status, 200)
  assert.equal(later.ended(), 0)
  later.destroy()
})

test('a trusted proxy speaks for many: its connections are not those of one caller', { skip }, async t => {
  const { url, metric } = await startBounded(t, 40, { trusted: ['127.0.0.10'] })
  const many = await openSockets(url, { count: 25, from: () => '127.0.0.10' })
  assert.equal((await fetch(url)).status, 200)
  assert.equal(many.ended(), 0)
  assert.equal(await metric('chancery_connections_refused_total{reason="address"}'), 0)
  many.destroy()
})

test('when connections are getting scarce, those on which nothing is asked make room', { skip }, async t => {
  const { url } = await startBounded(t, 40)
  const text = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
  const idle = await openSockets(url, { count: 29, text, from: index => `127.0.0.${10 + (index % 5)}` })
  await until(() => idle.all.every(socket => idle.texts.get(socket)?.endsWith('ok')), 'all are answered')
  assert.equal(idle.ended(), 0)
  assert.equal((await fetch(url)).status, 200)
  await until(() => idle.ended() === 29, 'they have made room')
})

const halfHead = 'GET / HTTP/1.1\r\nHost: x\r\n'

test('four addresses that open half requests again and again keep out nobody', { skip }, async t => {
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
  test(`while connections are scarce an unfinished ${isTls ? 'handshake' : 'head'} is given less time`, {
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
      // From fewer than 30 on they are no longer scarce.
      return half.ended() > 6
    }, 'they have made room')
    half.destroy()
  })

test('where too much waits to be sent, those who do not read it are closed', { skip }, async t => {
  const { url, metric } = await startBounded(t, 40, { unsentBytesMax: 4 * largeBody.length })
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

test('a request is handled when the response before it was taken', async t => {
  let handled = 0
  const server = http.createServer((req, res) => {
    handled += 1
    res.end(req.url === '/large' ? largeBody : 'last')
  })
  limitPipelining(server, () => assert.fail('nothing is refused'), 2_000)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
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

test('requests that wait are bounded by the size of their headers too', async t => {
  let refused = 0
  // The first response is never sent: all others wait.
  const server = http.createServer(() => {})
  limitPipelining(server, () => (refused += 1), 2_000)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const large = `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(12_000)}\r\n\r\n`
  const { destroy } = await openSockets(url, { count: 1, text: large.repeat(7) })
  await until(() => refused === 1, 'the seventh is refused')
  destroy()
})

test('beyond all that may be open a connection is closed at once, and counted', { skip }, async t => {
  const { url, metric } = await startBounded(t, 8)
  const silent = await openSockets(url, { count: 20, from: index => `127.0.0.${10 + index}` })
  await until(() => silent.ended() === 12, 'all beyond eight are closed')
  assert.equal(await metric('chancery_connections_refused_total{reason="all"}'), 12)
  silent.destroy()
})

test('connections leave files for the database and the rest', () => {
  assert.equal(connectionsMax(1_000_000), 20_000)
  assert.equal(connectionsMax(Number.POSITIVE_INFINITY), 20_000)
  assert.equal(connectionsMax(10_000), 9_500)
  assert.equal(connectionsMax(1_024), 524)
  assert.equal(connectionsMax(256), 128)
})
