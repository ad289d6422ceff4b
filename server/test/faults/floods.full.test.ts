import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { exchange } from '../http/raw.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { isLong } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { assertServed, describeMeasured, measureDuring } from './support/regular-client.ts'
import { openSockets } from './support/sockets.ts'

/** Of each kind. */
const count = isLong ? 2_000 : 200

let server: ServerProcess
before(async () => {
  server = await startServerProcess()
})
after(() => server.close())

const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

/** Sends each of many texts on a connection of its own, some at a time. Resolves with how many answers had which status. */
async function flood(texts: Iterable<string>): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  const left = Iterator.from(texts)
  const send = async () => {
    for (const text of left) {
      const { answers } = await exchange(server.url, text)
      const status = answers[0]?.status ?? 'none'
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: 20 }, send))
  return statuses
}

const repeated = (make: (index: number) => string) => Array.from({ length: count }, (_, index) => make(index))

/** How many lines of numbers Prometheus is told. */
async function seriesCount(): Promise<number> {
  const text = await (await server.operate('GET', '/metrics')).text()
  return text.split('\n').filter(line => line !== '' && !line.startsWith('#')).length
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
  ['a path that is not there', [404], index => get(`/api/v1/nowhere/${index}`)],
  ['a thing that is not there', [404], index => get(`/api/v1/nations/none${index}`)],
  [
    'a cookie that is none',
    // The settings let in so many calls of an address in a minute.
    [401, 429],
    index => get('/developers/api/codes', `Cookie: chancery_session=${index}\r\n`),
  ],
  [
    'a chunk that is none',
    // Whichever is first: the parser, or the route, which is not there.
    [400, 404],
    () =>
      `POST /developers/api/sessions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n`,
  ],
  ['HTTP/1.0', [200], () => 'GET /api/v1/game HTTP/1.0\r\n\r\n'],
  ['HTTP/1.0 that stays', [200], () => 'GET /api/v1/game HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'],
]

test(`${count} requests of each strange kind are answered, leave nothing behind, and hold up nobody`, async t => {
  // Once before, so that what is made at first need is there.
  for (const [, , make] of heads) await flood([make(0)])
  const before = await server.usage()
  const series = await seriesCount()
  const met = await measureDuring(server.url, async () => {
    for (const [name, statuses, make] of heads) {
      const answered = Object.entries(await flood(repeated(make)))
      assert.equal(
        answered.reduce((sum, [, times]) => sum + times, 0),
        count,
      )
      for (const [status] of answered) assert.ok(statuses.includes(Number(status)), `${name}: ${status}`)
    }
  })
  t.diagnostic(assertServed(met))
  const megabytes = ((await server.usage()).usedBytes - before.usedBytes) / 1e6
  t.diagnostic(`${megabytes.toFixed(1)} MB stay of ${heads.length * count} requests`)
  assert.ok(megabytes < 25, `${megabytes} MB stay`)
  assert.ok((await seriesCount()) < series + 20, 'numbers for Prometheus grow with what strangers send')
})

test('33 requests that are sent at once are answered in their order', async () => {
  const paths = Array.from({ length: 33 }, (_, index) =>
    index % 2 === 0 ? '/api/v1/game' : '/api/v1/nowhere',
  )
  const { answers, isClosed } = await exchange(server.url, paths.map(path => get(path)).join(''), {
    count: 33,
  })
  assert.deepEqual(
    answers.map(({ status }) => status),
    paths.map(path => (path.endsWith('game') ? 200 : 404)),
  )
  assert.equal(isClosed, false)
})

test('who sends further ahead of the answers gets those, is told to wait, and loses the connection', async () => {
  const { answers, isClosed } = await exchange(server.url, get('/api/v1/game').repeat(500), { count: 34 })
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array(33).fill(200), 429],
  )
  assert.equal(isClosed, true)
  const last = answers.at(-1)
  assert.deepEqual([last?.headers['retry-after'], last?.headers.connection], ['1', 'close'])
  assert.match(last?.body ?? '', /"code":"rate_limited".*Too many pipelined requests/)
})

test('the refusal arrives also where much more was sent than is read', async () => {
  const { answers, isClosed } = await exchange(server.url, get('/api/v1/game').repeat(20_000), { count: 34 })
  assert.deepEqual([answers.at(-1)?.status, isClosed], [429, true])
})

test('a connection on which one after the other is asked goes on for ever', async () => {
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

/** Sends so many requests at once on each of 20 connections. Resolves with the processor time that it took the server, in ms. */
async function sendAtOnce(requests: number): Promise<number> {
  const before = await server.usage()
  const sockets = await openSockets(server.url, { count: 20, text: get('/api/v1/game').repeat(requests) })
  await until(() => sockets.ended() === 20, 'all are ended', 60_000)
  return (await server.usage()).cpuMs - before.cpuMs
}

test('of 10,000 requests that each of 20 connections sends at once, most are not even read', async t => {
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
  assert.ok(many < 2.5 * some, 'what is sent too far ahead is read')
  const megabytes = ((await server.usage()).usedBytes - usedBytes) / 1e6
  assert.ok(megabytes < 25, `${megabytes} MB stay`)
})
