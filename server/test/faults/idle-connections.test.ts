import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Registry } from 'prom-client'
import { boundConnections } from '../../src/http/connections.ts'
import { connectionsMax } from '../../src/http/connections-max.ts'
import { createTrustedProxies } from '../../src/http/trusted-proxies.ts'
import { until } from '../support/until.ts'
import { startFront } from './front-support/front.ts'
import { isFull } from './front-support/full.ts'
import { assertServed, besides } from './front-support/honest.ts'
import { filesMax, openSockets } from './front-support/sockets.ts'

const count = isFull ? 10_000 : 1_000
/** Long enough to open all of them. */
const patienceMs = isFull ? 15_000 : 5_000
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
    const front = await startFront({}, { connectionTimings: { headMs, idleMs, checkMs: 500 } })
    t.after(() => front.close())
    const before = await front.usage()
    const files = front.files()
    const met = await besides(front.url, async () => {
      const sockets = await openSockets(front.url, { count, from, ...(text ? { text } : {}) })
      const open = count - sockets.ended()
      t.diagnostic(`${front.files() - files} files for ${open} connections that are open`)
      const usage = await front.usage()
      const kilobytes = (usage.usedBytes - before.usedBytes) / 1e3 / open
      const residentKilobytes = (usage.residentBytes - before.residentBytes) / 1e3 / open
      t.diagnostic(`${kilobytes.toFixed(1)} KB used, ${residentKilobytes.toFixed(1)} KB resident for each`)
      assert.ok(kilobytes < 30, `${kilobytes} KB`)
      assert.ok(residentKilobytes < 60, `${residentKilobytes} KB resident`)
      await until(() => sockets.ended() === count, 'all are ended', 60_000)
    })
    t.diagnostic(assertServed(met))
    await until(() => front.files() < files + 20, 'the files are given back')
  })

/** A plain server that has its bounds. */
async function startBounded(t: TestContext, max: number, trusted: string[] = []) {
  const registry = new Registry()
  // Whoever asked once may stay longer than a test waits.
  const server = http.createServer({ keepAliveTimeout: 120_000 }, (_req, res) => res.end('ok'))
  boundConnections(server, { trusted: createTrustedProxies(trusted), registry, connectionsMax: max })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
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
  const { url, metric } = await startBounded(t, 40, ['127.0.0.10'])
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
