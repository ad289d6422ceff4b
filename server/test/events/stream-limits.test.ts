import assert from 'node:assert/strict'
import http from 'node:http'
import { test } from 'node:test'
import { bases } from '@chancery/contract'
import { assertError, readResponse } from '../http/responses.ts'
import { smallWorld } from '../http/world.ts'
import { nation } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { longTimeouts, startTestServer } from '../support/test-server.ts'
import { allowedMs, until } from '../support/until.ts'
import { type Opening, openStream, type StreamReader } from './stream-reader.ts'
import { startStreamServer, streamsOf } from './stream-server.ts'

const env = {
  CHANCERY_STREAMS_PER_KEY: '',
  CHANCERY_STREAMS_PER_IP: '',
  CHANCERY_TRUSTED_PROXIES: '127.0.0.1',
}
const timings = { ...longTimeouts, streamTimings: { sweepMs: 50 } }
const chancery = closeAfter(await startTestServer(env, { timings }))
const served = streamsOf(chancery)
await chancery.ingest(smallWorld(), { waits: false })

const bothBases = Object.values(bases)
const open = (opening: Opening = {}, base: string = bases.canonical) =>
  openStream(`${chancery.url}${base}/events/stream?after=0`, opening)

/** Opens streams on both bases in turn until one is rejected; returns those that are open. */
async function fill(opening: Opening): Promise<StreamReader[]> {
  const streams: StreamReader[] = []
  for (;;) {
    const stream = await open(opening, bothBases[streams.length % 2])
    if (stream.status === 429) return streams
    assert.equal(stream.status, 200)
    streams.push(stream)
  }
}

const rejection = async (opening: { key?: string } = {}) =>
  readResponse(await chancery.get('/events/stream', opening))

/** Closes one of several streams, and waits until its slot is free. */
async function assertSlotFreed(opening: Opening, streams: StreamReader[]) {
  const [one, ...rest] = streams
  assert.ok(one)
  one.close()
  let next: StreamReader | undefined
  await until(async () => {
    const stream = await open(opening)
    if (stream.status === 200) next = stream
    return stream.status === 200
  }, 'a slot becomes free')
  assert.ok(next)
  assert.equal((await open(opening)).status, 429, 'only one slot')
  return [next, ...rest]
}

test('2 streams may be open from one address without a key, over both bases; a closed one frees its slot', async () => {
  const streams = await fill({})
  assert.equal(streams.length, 2)
  const response = await rejection()
  assert.match(assertError(response, 'rate_limited', 'a third'), /at most 2 event streams/)
  assert.equal(response.headers['retry-after'], '15')
  assert.equal(response.headers['x-ratelimit-limit'], '1000000')
  assert.ok(Number(response.headers['x-ratelimit-remaining']) > 0)
  for (const stream of await assertSlotFreed({}, streams)) stream.close()
})

test('5 streams may be open with one key, independent of other callers', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n1' })
  const { key: other } = await chancery.makeKey({ nation_id: 'n1' })
  const streams = await fill({ key })
  assert.equal(streams.length, 5)
  assert.match(
    assertError(await rejection({ key }), 'rate_limited', 'a sixth'),
    /at most 5 event streams.*one key/,
  )
  const [another, anonymous] = await Promise.all([open({ key: other }), open()])
  assert.deepEqual([another.status, anonymous.status], [200, 200])
  another.close()
  anonymous.close()
  for (const stream of await assertSlotFreed({ key }, streams)) stream.close()
})

test('a stream that is rejected for another reason uses no slot', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n1' })
  for (const query of ['after=999999', 'after=x', 'type=nothing', 'since=x']) {
    for (let call = 0; call < 8; call += 1) {
      const { status } = await chancery.get(`/events/stream?${query}`, { key })
      assert.ok(status === 400 || status === 410, `${query} ${status}`)
    }
  }
  // A stream that has ended frees its slot at once.
  for (let call = 0; call < 12; call += 1) {
    const stream = await openStream(`${chancery.url}/api/v1/events/stream?until=2020-01-01T00:00:00Z`, {
      key,
    })
    assert.equal(stream.status, 200)
    assert.deepEqual(await stream.ended, { isWhole: true })
  }
  const streams = await fill({ key })
  assert.equal(streams.length, 5)
  for (const stream of streams) stream.close()
})

test('clients that disconnect while a stream opens leave no slot in use', async () => {
  const headers = { 'x-forwarded-for': '192.0.2.77' }
  let disconnected = 0
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(
      Array.from({ length: 2 }, async () => {
        let hasResponse = false
        const request = http.get(`${chancery.url}/api/v1/events/stream`, { agent: false, headers }, () => {
          hasResponse = true
        })
        request.on('error', () => undefined)
        await new Promise(resolve => setTimeout(resolve, round % 6))
        if (!hasResponse) disconnected += 1
        request.destroy()
      }),
    )
  }
  assert.ok(disconnected >= 10, `${disconnected} disconnected before the response`)
  const opened: StreamReader[] = []
  await until(async () => {
    const stream = await open({ headers })
    if (stream.status === 200) opened.push(stream)
    return opened.length === 2
  }, 'all slots are free')
  assert.equal((await open({ headers })).status, 429)
  for (const stream of opened) stream.close()
})

test('addresses of one IPv6 /64 share their slots, and each caller behind a proxy has its own', async () => {
  const opened: StreamReader[] = []
  const status = async (address: string) => {
    const stream = await open({ headers: { 'x-forwarded-for': address } })
    opened.push(stream)
    return stream.status
  }
  assert.deepEqual([await status('2001:db8::1'), await status('2001:db8::2')], [200, 200])
  assert.equal(await status('2001:db8::3'), 429)
  assert.equal(await status('2001:db8:0:1::1'), 200)
  assert.deepEqual([await status('192.0.2.1'), await status('192.0.2.1')], [200, 200])
  assert.equal(await status('::ffff:192.0.2.1'), 429)
  for (const stream of opened) stream.close()
})

/** A stream with a key, two others, and how many streams have ended because of their key; undefined if the key has expired. */
async function openWithKey(expires_at?: string) {
  const endedSoFar = await served.count('chancery_streams_ended_total', { reason: 'key' })
  const { id, key } = await chancery.makeKey({ player_id: 'p1' }, [], expires_at ? { expires_at } : {})
  const { key: otherKey } = await chancery.makeKey({ player_id: 'p2' }, [])
  // A new address each time: streams that were just closed may still hold their slots.
  const headers = { 'x-forwarded-for': `198.51.100.${endedSoFar}` }
  const [stream, ...others] = await Promise.all([open({ key }), open({ key: otherKey }), open({ headers })])
  if (stream.status === 401) {
    for (const other of others) other.close()
    return undefined
  }
  await Promise.all(others.map(each => each.upToDate()))
  return { id, stream, others, endedSoFar }
}

async function assertEndedByKey({
  stream,
  others,
  endedSoFar,
}: {
  stream: StreamReader
  others: StreamReader[]
  endedSoFar: number
}) {
  assert.deepEqual(await stream.ended, { isWhole: true })
  assert.match(stream.text(), /\n\n: the key of this stream is no longer valid\n\n$/)
  assert.equal(await served.count('chancery_streams_ended_total', { reason: 'key' }), endedSoFar + 1)
  const { last_seq } = await chancery.ingest([nation(`after-${Math.random()}`.replace('.', '-'))], {
    waits: false,
  })
  for (const other of others) {
    await other.until(({ id }) => id === last_seq)
    other.close()
  }
}

for (const [name, path] of [
  ['a revoked key ends its streams within a second, and no others', (id: string) => `/keys/${id}/revoke`],
  ['a suspended player’s streams end within a second', () => '/players/p1/suspend'],
] as const)
  test(name, async t => {
    t.after(() => chancery.operate('POST', '/players/p1/resume'))
    const opened = await openWithKey()
    assert.ok(opened)
    await opened.stream.upToDate()
    const began = performance.now()
    assert.equal((await chancery.operate('POST', path(opened.id))).status, 200)
    const confirmedAt = performance.now()
    await opened.stream.ended
    assert.ok(performance.now() - confirmedAt < allowedMs(1_000, confirmedAt - began))
    await assertEndedByKey(opened)
  })

test('an expired key ends its streams, and not before', async () => {
  // On a busy machine the key may expire before its stream opens: retry with a longer lifetime.
  for (let livesMs = 1_000; ; livesMs *= 3) {
    const expires_at = new Date(Date.now() + livesMs).toISOString()
    const opened = await openWithKey(expires_at)
    if (opened === undefined) continue
    await opened.stream.ended
    assert.ok(Date.now() >= Date.parse(expires_at) - 50, 'it ended early')
    return assertEndedByKey(opened)
  }
})

test('ended streams are counted by reason, and a server that closes lets its clients resume', async t => {
  // No client is disconnected before it has read the last comment.
  const server = await startStreamServer(t, chancery.databaseUrl, { streamTimings: { graceMs: 1e8 } })
  const streams = await Promise.all([1, 2, 3].map(() => server.open('/events/stream?after=0')))
  await Promise.all(streams.map(stream => stream.upToDate()))
  const events = streams[0]?.data().length ?? 0
  assert.ok(events > 10)
  assert.equal(await server.count('chancery_streams_open'), 3)
  assert.equal(await server.count('chancery_streamed_events_total'), 3 * events)
  const requests = () => server.count('chancery_requests_total', { operation: 'events.stream' })
  assert.equal(await requests(), 3, 'a request is counted when it is responded to')
  streams[0]?.close()
  const ended = (reason: string) => server.count('chancery_streams_ended_total', { reason })
  await until(async () => (await ended('client')) === 1, 'one stream has ended')
  assert.equal(await server.count('chancery_streams_open'), 2)
  assert.equal(await requests(), 3, 'not again when the stream ends')

  const more = await Promise.all(Array.from({ length: 18 }, () => server.open('/events/stream?after=0')))
  await Promise.all(more.map(stream => stream.upToDate()))
  await server.close()
  for (const stream of [...streams.slice(1), ...more]) {
    assert.deepEqual(await stream.ended, { isWhole: true })
    assert.match(stream.text(), /: the service is restarting; resume with Last-Event-ID\n\n$/)
  }
})
