import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { EventSource } from 'undici'
import { commit, lines, nation, seqOf } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { startTestServer } from '../support/test-server.ts'
import { tier } from '../support/tier.ts'
import { allowedMs, until } from '../support/until.ts'
import type { Event } from './log-model.ts'
import { openStream } from './stream-reader.ts'
import { disaster, startStreamServer } from './stream-server.ts'

const chancery = closeAfter(await startTestServer())
await chancery.ingest([nation('n1')], { waits: false })

const isQuick = tier === 'quick'
const burst = isQuick ? 2_500 : 50_000

/** About the most bytes that a summary may have. */
const longSummary = '河水漲價'.repeat(240)

/** Ingests this many events in one batch. Returns the number of the last. */
async function ingestMany(
  count: number,
  summary = 'The river rose, and with it the prices.',
): Promise<number> {
  const fact = disaster('n1', { summary })
  const batch = `many-${count}-${performance.now()}`
  const [outcome] = await chancery.send(lines(...Array<typeof fact>(count).fill(fact), commit(batch)))
  assert.equal(outcome?.status, 'applied')
  return Number(outcome.last_seq)
}

/** Reads a stream without keeping it, and checks that its numbers are consecutive. */
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
      // HTTP chunks end between frames. An id without data is a position.
      const seq = Number(line.slice(4))
      if (lines[index + 1]?.startsWith('data: ') === false) continue
      assert.equal(seq, last + 1)
      last = seq
    }
  })
  return {
    until: (seq: number) => until(() => last >= seq, `${seq} is received, after ${last}`),
    close: () => socket.destroy(),
  }
}

/** Sends a request as bytes. Its response is not read yet. */
async function request(url: string, after: number): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  socket.write(`GET /api/v1/events/stream HTTP/1.1\r\nHost: x\r\nLast-Event-ID: ${after}\r\n\r\n`)
  return socket
}

/** The stream responses that a server starts from now on. */
function streamResponsesOf(t: TestContext, serverUrl: string): ServerResponse[] {
  const responses: ServerResponse[] = []
  const { port } = new URL(serverUrl)
  const onStart = (message: unknown) => {
    const { response } = message as { response: ServerResponse }
    if (String(response.socket?.localPort) === port && response.req.url?.includes('/events/stream'))
      responses.push(response)
  }
  subscribe('http.server.request.start', onStart)
  t.after(() => unsubscribe('http.server.request.start', onStart))
  return responses
}

test('a burst of events reaches 20 fast readers whole and in order', async t => {
  const server = await startStreamServer(t, chancery.databaseUrl)
  const first = await seqOf(chancery)
  const readers = await Promise.all(Array.from({ length: 20 }, () => openCounter(server.url, first)))
  const last = await ingestMany(burst)
  await Promise.all(readers.map(reader => reader.until(last)))
  for (const reader of readers) reader.close()
  assert.equal(await server.count('chancery_streamed_events_total'), 20 * burst)
  assert.equal(await server.count('chancery_streams_ended_total', { reason: 'slow' }), 0)
})

/** A span of the log of 18 MB: more than the operating system buffers for a client. */
let longSpan: Promise<{ first: number; last: number }> | undefined
const ingestLongSpan = async () => {
  const first = await seqOf(chancery)
  return { first, last: await ingestMany(6_000, longSummary) }
}

test('clients that read nothing use no memory, disturb no other, and are disconnected with a reason', async t => {
  longSpan ??= ingestLongSpan()
  const { first } = await longSpan
  const server = await startStreamServer(t, chancery.databaseUrl, {
    streamTimings: { stalledMs: 1_500, sweepMs: 100, heartbeatMs: 400, graceMs: 10_000 },
  })
  const count = isQuick ? 4 : 30
  const responses = streamResponsesOf(t, server.url)
  const stuck = await Promise.all(Array.from({ length: count }, () => request(server.url, first)))
  for (const socket of stuck) socket.pause()
  await until(async () => (await server.count('chancery_streams_open')) === count, 'all streams are open')
  await until(() => responses.every(({ writableNeedDrain }) => writableNeedDrain), 'all have to drain')
  for (const { writableLength } of responses)
    assert.ok(writableLength < 1_000_000, `${writableLength} bytes are buffered for a client`)

  const other = await openStream(`${server.url}/api/v1/events/stream`)
  for (let call = 0; call < 3; call += 1) {
    const began = performance.now()
    const { last_seq } = await chancery.ingest([nation(`meanwhile-${call}`)], { waits: false })
    const confirmedAt = performance.now()
    await other.until(({ id }) => id === last_seq)
    assert.ok(performance.now() - confirmedAt < allowedMs(1_000, confirmedAt - began))
  }

  const slow = () => server.count('chancery_streams_ended_total', { reason: 'slow' })
  await until(async () => (await slow()) === count, 'all are disconnected')
  // A client that reads within the grace period gets the written frames, and the reason.
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
    await until(() => socket.closed || tail.endsWith('\r\n0\r\n\r\n'), 'the response has ended')
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
  // The others are disconnected.
  await until(async () => (await server.count('chancery_streams_open')) === 1, 'they are closed')
  for (const socket of lost) assert.doesNotMatch((await read(socket)).slice(-100), /\r\n0\r\n\r\n$/)
  other.close()
})

test('a slow client that still reads is never disconnected, and gets every event', async t => {
  longSpan ??= ingestLongSpan()
  const { first, last } = await longSpan
  const total = last - first
  // If the machine stalled for this long, no client could read: retry with a longer limit.
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
    await until(
      () => socket.closed || rest.includes(': up to date\nid: '),
      'every event is received, or the client is disconnected',
    )
    if (!rest.includes(': up to date\nid: ')) {
      assert.ok(longestMs > stalledMs / 2, `disconnected, though it read every ${longestMs} ms`)
      continue
    }
    assert.ok(
      performance.now() - start > 1.5 * stalledMs,
      'it took longer than the limit for stalled clients',
    )
    assert.ok(frames >= total, `${frames} of ${total} were received`)
    socket.destroy()
    return
  }
})

test('every server on one database delivers every event', async t => {
  const servers = [
    await startStreamServer(t, chancery.databaseUrl),
    await startStreamServer(t, chancery.databaseUrl),
  ]
  const first = await seqOf(chancery)
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
  const first = await seqOf(chancery)
  const streams = await Promise.all([server.open('/events/stream'), server.open('/events/stream', { key })])
  await Promise.all(streams.map(stream => stream.upToDate()))

  proxy.cut()
  for (let batch = 0; batch < 5; batch += 1)
    await chancery.ingest([nation(`away-${batch}`)], { waits: false })
  const last = await ingestMany(200)
  const [one] = streams
  const from = one?.blocks.length ?? 0
  await one?.until((_block: unknown) => (one.blocks.length ?? 0) >= from + 5)
  assert.ok(one?.blocks.slice(from).every(({ comment, id }) => comment === 'heartbeat' && id === first))
  await until(async () => {
    const rejected = await server.open('/events/stream')
    rejected.close()
    return rejected.status === 503 && rejected.headers['retry-after'] === '1'
  }, 'the database is known to be unavailable')

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

test('EventSource follows the log, and resumes by itself', async t => {
  const server = await startStreamServer(t, chancery.databaseUrl)
  // A client behind a network that fails.
  const address = server.url.replace('http://', 'postgres://x@')
  const network = await startTcpProxy(t, `${address}/x`)
  const url = network.url.replace(/^postgres:\/\/x@/, 'http://').replace(/\/x$/, '')
  const source = new EventSource(`${url}/api/v1/events/stream?type=nation.founded`)
  t.after(() => source.close())
  const received: Event[] = []
  source.onmessage = ({ data }) => received.push(JSON.parse(data) as Event)
  await new Promise(resolve => {
    source.onopen = resolve
  })
  const before = await chancery.ingest([nation('source-1')], { waits: false })
  await until(() => received.length === 1, 'the first event is received')
  network.cut()
  await chancery.ingest([nation('source-2'), disaster('n1')], { waits: false })
  await chancery.ingest([nation('source-3')], { waits: false, announce: false })
  network.restore()
  await until(() => received.length >= 3, 'it resumes')
  const after = await chancery.ingest([nation('source-4')], { waits: false })
  await until(() => received.length >= 4, 'it continues')
  assert.deepEqual(
    received.map(({ summary }) => summary),
    [1, 2, 3, 4].map(number => `Nation source-${number} was founded.`),
  )
  assert.deepEqual([received[0]?.seq, received[3]?.seq], [before.last_seq, after.last_seq])
})
