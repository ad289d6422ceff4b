import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { cookieName } from '../../src/account/session/tokens.ts'
import { sendRaw } from '../http/raw.ts'
import { closeAfter } from '../support/close-after.ts'
import { startServerProcess } from '../support/server-process.ts'
import { isLong } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { assertServedDuring, describeMeasured, measureDuring } from './support/regular-client.ts'
import { openSockets } from './support/sockets.ts'

/** The requests of each kind. */
const count = isLong ? 2_000 : 200

const server = closeAfter(await startServerProcess())

const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

/** Sends each text on a connection of its own, 20 at a time. Resolves with the number of responses by status. */
async function flood(texts: Iterable<string>): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  const left = Iterator.from(texts)
  const send = async () => {
    for (const text of left) {
      const { responses } = await sendRaw(server.url, text)
      const status = responses[0]?.status ?? 'none'
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: 20 }, send))
  return statuses
}

const repeated = (make: (index: number) => string) => Array.from({ length: count }, (_, index) => make(index))

/** The number of time series in the metrics. */
async function seriesCount(): Promise<number> {
  const text = await (await server.operate('GET', '/metrics')).text()
  return text.split('\n').filter(line => line !== '' && !line.startsWith('#')).length
}

/** The server releases what a connection used when it has closed its side, on a busy machine later than the client. */
async function assertReleased(t: TestContext, usedBytes: number): Promise<void> {
  let megabytes = 0
  const isReleased = async () => {
    megabytes = ((await server.usage()).usedBytes - usedBytes) / 1e6
    return megabytes < 25
  }
  await until(isReleased, 'less than 25 MB stay in use', 20_000).finally(() =>
    t.diagnostic(`${megabytes.toFixed(1)} MB stay in use`),
  )
}

const parameters = Array.from({ length: 3_000 }, (_, index) => `a${index % 10}=1`).join('&')
const heads: [name: string, statuses: number[], make: (index: number) => string][] = [
  ['a head of 16 KB', [431], () => get('/api/v1/game', `X-A: ${'a'.repeat(16_384)}\r\n`)],
  ['a path of 100,000 characters', [431], index => get(`/api/v1/nations/${index}${'a'.repeat(100_000)}`)],
  [
    'a search for 10,000 characters',
    [400],
    index => get(`/api/v1/nations?search=${index}${'a'.repeat(10_000)}`),
  ],
  ['thousands of parameters', [200], () => get(`/api/v1/nations?${parameters}`)],
  ['an unknown path', [404], index => get(`/api/v1/nowhere/${index}`)],
  ['an unknown id', [404], index => get(`/api/v1/nations/none${index}`)],
  [
    'an invalid cookie',
    // The developer settings have a rate limit per address.
    [401, 429],
    index => get('/developers/api/codes', `Cookie: ${cookieName(server.url)}=${index}\r\n`),
  ],
  [
    'an invalid chunk',
    // 400 of the parser, or 404 of the unknown route.
    [400, 404],
    () =>
      `POST /developers/api/sessions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n`,
  ],
  ['HTTP/1.0', [200], () => 'GET /api/v1/game HTTP/1.0\r\n\r\n'],
  ['HTTP/1.0 with keep-alive', [200], () => 'GET /api/v1/game HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'],
]

test(`${count} requests of each unusual kind get responses, leave no memory in use, and delay no caller`, async t => {
  // Once before, so that lazily created objects exist.
  for (const [, , make] of heads) await flood([make(0)])
  const { usedBytes } = await server.usage()
  const series = await seriesCount()
  await assertServedDuring(t, server.url, async () => {
    for (const [name, statuses, make] of heads) {
      const byStatus = Object.entries(await flood(repeated(make)))
      assert.equal(
        byStatus.reduce((sum, [, times]) => sum + times, 0),
        count,
      )
      for (const [status] of byStatus) assert.ok(statuses.includes(Number(status)), `${name}: ${status}`)
    }
  })
  await assertReleased(t, usedBytes)
  assert.ok((await seriesCount()) < series + 20, 'requests create time series')
})

test('33 pipelined requests get their responses in order', async () => {
  const paths = Array.from({ length: 33 }, (_, index) =>
    index % 2 === 0 ? '/api/v1/game' : '/api/v1/nowhere',
  )
  const { responses, isClosed } = await sendRaw(server.url, paths.map(path => get(path)).join(''), {
    count: 33,
  })
  assert.deepEqual(
    responses.map(({ status }) => status),
    paths.map(path => (path.endsWith('game') ? 200 : 404)),
  )
  assert.equal(isClosed, false)
})

test('a client that pipelines more gets those responses, a 429, and the end of the connection', async () => {
  const { responses, isClosed } = await sendRaw(server.url, get('/api/v1/game').repeat(500), {
    count: 34,
  })
  assert.deepEqual(
    responses.map(({ status }) => status),
    [...Array(33).fill(200), 429],
  )
  assert.equal(isClosed, true)
  const last = responses.at(-1)
  assert.deepEqual([last?.headers['retry-after'], last?.headers.connection], ['1', 'close'])
  assert.match(last?.body ?? '', /"code":"rate_limited".*Too many pipelined requests/)
})

test('the 429 also arrives if far more was sent than is read', async () => {
  const { responses, isClosed } = await sendRaw(server.url, get('/api/v1/game').repeat(20_000), {
    count: 34,
  })
  assert.deepEqual([responses.at(-1)?.status, isClosed], [429, true])
})

test('a connection with sequential requests is never closed', async () => {
  const { hostname, port } = new URL(server.url)
  const agent = await import('node:http').then(({ Agent }) => new Agent({ keepAlive: true, maxSockets: 1 }))
  const { get } = await import('node:http')
  const sockets = new Set<unknown>()
  for (let call = 0; call < 200; call += 1) {
    const request = get({ hostname, port, path: '/api/v1/game', agent })
    const [response] = await once(request, 'response')
    assert.equal(response.statusCode, 200)
    sockets.add(request.socket)
    await once(response.resume(), 'end')
  }
  assert.equal(sockets.size, 1)
  agent.destroy()
})

/** Pipelines requests on each of 20 connections. Resolves with the processor time of the server, in ms. */
async function sendAtOnce(requests: number): Promise<number> {
  const before = await server.usage()
  const sockets = await openSockets(server.url, { count: 20, text: get('/api/v1/game').repeat(requests) })
  await until(() => sockets.ended() === 20, 'all are ended', 60_000)
  return (await server.usage()).cpuMs - before.cpuMs
}

test('of 10,000 pipelined requests on each of 20 connections, most are not read', async t => {
  const { usedBytes } = await server.usage()
  let some = 0
  let many = 0
  const met = await measureDuring(server.url, async () => {
    some = await sendAtOnce(2_000)
    many = await sendAtOnce(10_000)
  })
  t.diagnostic(describeMeasured(met))
  t.diagnostic(
    `${Math.round(some)} ms of processor time for 20 x 2,000, ${Math.round(many)} ms for 20 x 10,000`,
  )
  assert.ok(many < 2.5 * some, 'requests above the limit are read')
  await assertReleased(t, usedBytes)
})
