import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'
import { EventSource } from 'undici'
import { commit, lines, nation } from '../ingest/facts.ts'
import { allowedMs } from '../support/allowed-ms.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { tier } from '../support/tier.ts'
import { until } from '../support/until.ts'
import type { Event } from './cases.ts'
import { openStream } from './stream-reader.ts'
import { disaster, startStreamServer } from './stream-server.ts'

let chancery: TestServer
before(async () => {
  chancery = await startTestServer()
  await chancery.ingest([nation('n1')], { waits: false })
})
after(() => chancery.close())

const end = async () => (await chancery.read<{ data: Event[] }>('/events?limit=1')).data[0]?.seq ?? 0

const isQuick = tier === 'quick'
const burst = isQuick ? 2_500 : 50_000

/** About as many bytes as a summary may take. */
const longSummary = '河水漲價'.repeat(240)

/** Logs so many events in one batch; returns the number of the last. */
async function tellMany(count: number, summary = 'The river rose, and with it the prices.'): Promise<number> {
  const fact = disaster('n1', { summary })
  const batch = `many-${count}-${performance.now()}`
  const [outcome] = await chancery.send(lines(...Array<typeof fact>(count).fill(fact), commit(batch)))
  assert.equal(outcome?.status, 'applied')
  return Number(outcome.last_seq)
}

/** Reads a stream as fast as it comes, and keeps nothing: sees that each number follows the one before. */
async function openCounter(url: string, from: number) {
  const socket = await request(url, from)
  let last = from
  let carried = ''
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    const lines = (carried + text).split('\n')
    carried = lines.pop() ?? ''
    for (const [index, line] of lines.entries()) {
      if (!line.startsWith('id: ')) continue
      // Chunks of HTTP end in the middle of nothing: frames are written whole. An id alone is a position.
      const seq = Number(line.slice(4))
      if (lines[index + 1]?.startsWith('data: ') === false) continue
      assert.equal(seq, last + 1)
      last = seq
    }
  })
  return {
    until: (seq: number) => until(() => last >= seq, `${seq} comes, after ${last}`),
    close: () => socket.destroy(),
  }
}

/** A request as bytes, its answer not read yet. */
async function request(url: string, after: number): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  socket.write(`GET /api/v1/events/stream HTTP/1.1\r\nHost: x\r\nLast-Event-ID: ${after}\r\n\r\n`)
  return socket
}

/** The answers that a server writes from now on to those who open a stream. */
function answersOf(t: TestContext, serverUrl: string): ServerResponse[] {
  const answers: ServerResponse[] = []
  const { port } = new URL(serverUrl)
  const onStart = (message: unknown) => {
    const { response } = message as { response: ServerResponse }
    if (String(response.socket?.localPort) === port && response.req.url?.includes('/events/stream'))
      answers.push(response)
  }
  subscribe('http.server.request.start', onStart)
  t.after(() => unsubscribe('http.server.request.start', onStart))
  return answers
}

test('a burst of events reaches 20 fast readers whole and in order', async t => {
  const server = await startStreamServer(t, chancery.databaseUrl)
  const first = await end()
  const readers = await Promise.all(Array.from({ length: 20 }, () => openCounter(server.url, first)))
  const last = await tellMany(burst)
  await Promise.all(readers.map(reader => reader.until(last)))
  for (const reader of readers) reader.close()
  assert.equal(await server.count('chancery_streamed_events_total'), 20 * burst)
  assert.equal(await server.count('chancery_streams_ended_total', { reason: 'slow' }), 0)
})

/** Where a log begins of which each reader is sent 18 MB: more than what the operating system takes for them. */
let longLog: Promise<{ first: number; last: number }> | undefined
const logLong = async () => {
  const first = await end()
  return { first, last: await tellMany(6_000, longSummary) }
}

test('clients that read nothing use no memory, disturb no other, and are disconnected with a reason', async t => {
  longLog ??= logLong()
  const { first } = await longLog
  const server = await startStreamServer(t, chancery.databaseUrl, {
    streamTimings: { stalledMs: 1_500, sweepMs: 100, heartbeatMs: 400, graceMs: 10_000 },
  })
  const count = isQuick ? 4 : 30
  const answers = answersOf(t, server.url)
  const stuck = await Promise.all(Array.from({ length: count }, () => request(server.url, first)))
  for (const socket of stuck) socket.pause()
  await until(async () => (await server.count('chancery_streams_open')) === count, 'all are open')
  await until(() => answers.every(({ writableNeedDrain }) => writableNeedDrain), 'all have to wait')
  for (const { writableLength } of answers)
    assert.ok(writableLength < 1_000_000, `${writableLength} bytes are held for a reader`)

  const other = await openStream(`${server.url}/api/v1/events/stream`)
  for (let call = 0; call < 3; call += 1) {
    const began = performance.now()
    const { last_seq } = await chancery.ingest([nation(`meanwhile-${call}`)], { waits: false })
    const told = performance.now()
    await other.until(({ id }) => id === last_seq)
    assert.ok(performance.now() - told < allowedMs(1_000, told - began))
  }

  const slow = () => server.count('chancery_streams_ended_total', { reason: 'slow' })
  await until(async () => (await slow()) === count, 'all are cut off')
  // One who wakes up in time gets the rest of what was written, whole frames, and the word.
  const [late, ...lost] = stuck
  assert.ok(late)
  const read = async (socket: Socket) => {
    const parts: string[] = []
    let tail = ''
    socket.setEncoding('latin1').on('data', (part: string) => {
      parts.push(part)
      tail = (tail + part).slice(-20)
    })
    socket.resume()
    await until(() => socket.closed || tail.endsWith('\r\n0\r\n\r\n'), 'the answer is over')
    return parts.join('')
  }
  const text = await read(late)
  assert.match(
    text.slice(-1_000),
    /\}\r?\n(\r\n)?\n[^}]*: this client reads too slowly and is disconnected; resume with Last-Event-ID\n\n\r\n0\r\n\r\n$/,
  )
  const ids = [...text.matchAll(/^id: (\d+)\ndata: /gm)].map(([, id]) => Number(id))
  assert.deepEqual(
    ids,
    ids.map((_, index) => first + 1 + index),
  )
  // The others are hung up on.
  await until(async () => (await server.count('chancery_streams_open')) === 1, 'they are gone')
  for (const socket of lost) assert.doesNotMatch((await read(socket)).slice(-100), /\r\n0\r\n\r\n$/)
  other.close()
})

test('a slow client that still reads is never disconnected, and gets every event', async t => {
  longLog ??= logLong()
  const { first, last } = await longLog
  const total = last - first
  // Where the machine itself stood still for so long, nobody took anything: then more patience is asked for.
  for (let stalledMs = 700; ; stalledMs *= 3) {
    const server = await startStreamServer(t, chancery.databaseUrl, {
      streamTimings: { stalledMs, sweepMs: 50 },
    })
    const socket = await request(server.url, first)
    const start = performance.now()
    let [frames, rest, taken, takenAt, longestMs] = [0, '', 0, start, 0]
    socket.setEncoding('latin1').on('data', (part: string) => {
      longestMs = Math.max(longestMs, performance.now() - takenAt)
      takenAt = performance.now()
      const blocks = (rest + part).split('\ndata: ')
      frames += blocks.length - 1
      rest = blocks.at(-1)?.slice(-200) ?? ''
      taken += part.length
      if (taken < 1_500_000) return
      taken = 0
      socket.pause()
      setTimeout(() => socket.resume(), stalledMs / 5)
    })
    await until(() => socket.closed || rest.includes(': up to date\nid: '), 'all comes, or it is cut off')
    if (!rest.includes(': up to date\nid: ')) {
      assert.ok(longestMs > stalledMs / 2, `cut off, though it took something every ${longestMs} ms`)
      continue
    }
    assert.ok(performance.now() - start > 1.5 * stalledMs, 'it took longer than a stalled reader has')
    assert.ok(frames >= total, `${frames} of ${total} came`)
    socket.destroy()
    return
  }
})

test('every server on one database delivers every event', async t => {
  const servers = [
    await startStreamServer(t, chancery.databaseUrl),
    await startStreamServer(t, chancery.databaseUrl),
  ]
  const first = await end()
  const streams = await Promise.all(
    [chancery.url, ...servers.map(({ url }) => url)].map(url => openStream(`${url}/api/v1/events/stream`)),
  )
  for (let batch = 0; batch < 20; batch += 1)
    await chancery.ingest([nation(`all-${batch}`)], { waits: false })
  for (const stream of streams) {
    await stream.until(({ id }) => id === first + 20)
    assert.deepEqual(
      stream.seqs(),
      Array.from({ length: 20 }, (_, index) => first + 1 + index),
    )
    stream.close()
  }
})

test('while the database is unavailable streams stay open with heartbeats; afterwards nothing is lost', async t => {
  const proxy = await startTcpProxy(t, chancery.databaseUrl)
  const server = await startStreamServer(t, proxy.url, {
    databaseTimeoutFactor: 4,
    streamTimings: { heartbeatMs: 200, sweepMs: 20 },
  })
  const { key } = await chancery.makeKey({ player_id: 'p1' })
  const first = await end()
  const streams = await Promise.all([server.open('/events/stream'), server.open('/events/stream', { key })])
  await Promise.all(streams.map(stream => stream.upToDate()))

  proxy.cut()
  for (let batch = 0; batch < 5; batch += 1)
    await chancery.ingest([nation(`away-${batch}`)], { waits: false })
  const last = await tellMany(200)
  const [one] = streams
  const from = one?.blocks.length ?? 0
  await one?.until((_block: unknown) => (one.blocks.length ?? 0) >= from + 5)
  assert.ok(one?.blocks.slice(from).every(({ comment, id }) => comment === 'heartbeat' && id === first))
  await until(async () => {
    const refused = await server.open('/events/stream')
    refused.close()
    return refused.status === 503 && refused.headers['retry-after'] === '1'
  }, 'it is known that the database is away')

  proxy.restore()
  for (const stream of streams) {
    await stream.until(({ id }) => id === last)
    assert.deepEqual(
      stream.seqs(),
      Array.from({ length: 205 }, (_, index) => first + 1 + index),
    )
    stream.close()
  }
})

test('a key that is revoked while the database is unavailable ends its streams afterwards', async t => {
  const proxy = await startTcpProxy(t, chancery.databaseUrl)
  const server = await startStreamServer(t, proxy.url)
  const { id, key } = await chancery.makeKey({ player_id: 'p1' })
  const stream = await server.open('/events/stream', { key })
  await stream.upToDate()
  proxy.cut()
  assert.equal((await chancery.operate('POST', `/keys/${id}/revoke`)).status, 200)
  proxy.restore()
  assert.deepEqual(await stream.ended, { isWhole: true })
})

test('EventSource follows, and resumes by itself', async t => {
  const server = await startStreamServer(t, chancery.databaseUrl)
  // A reader behind a network that breaks.
  const address = server.url.replace('http://', 'postgres://x@')
  const network = await startTcpProxy(t, `${address}/x`)
  const url = network.url.replace(/^postgres:\/\/x@/, 'http://').replace(/\/x$/, '')
  const source = new EventSource(`${url}/api/v1/events/stream?type=nation.founded`)
  t.after(() => source.close())
  const heard: Event[] = []
  source.onmessage = ({ data }) => heard.push(JSON.parse(data) as Event)
  await new Promise(resolve => {
    source.onopen = resolve
  })
  const before = await chancery.ingest([nation('source-1')], { waits: false })
  await until(() => heard.length === 1, 'the first comes')
  network.cut()
  await chancery.ingest([nation('source-2'), disaster('n1')], { waits: false })
  await chancery.ingest([nation('source-3')], { waits: false, announce: false })
  network.restore()
  await until(() => heard.length >= 3, 'it came back')
  const after = await chancery.ingest([nation('source-4')], { waits: false })
  await until(() => heard.length >= 4, 'it goes on')
  assert.deepEqual(
    heard.map(({ summary }) => summary),
    [1, 2, 3, 4].map(number => `Nation source-${number} was founded.`),
  )
  assert.deepEqual([heard[0]?.seq, heard[3]?.seq], [before.last_seq, after.last_seq])
})
