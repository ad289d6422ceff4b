import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, test } from 'node:test'
import { bases } from '@chancery/contract'
import { assertError, readResponse } from '../http/responses.ts'
import { smallWorld } from '../http/world.ts'
import { nation } from '../ingest/facts.ts'
import { allowedMs } from '../support/allowed-ms.ts'
import { patientTimings, startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { type Opening, openStream, type StreamReader } from './stream-reader.ts'
import { type StreamServer, startStreamServer, streamsOf } from './stream-server.ts'

let chancery: TestServer
let served: StreamServer
before(async () => {
  const env = {
    CHANCERY_STREAMS_PER_KEY: '',
    CHANCERY_STREAMS_PER_IP: '',
    CHANCERY_TRUSTED_PROXIES: '127.0.0.1',
  }
  // It looks often.
  chancery = await startTestServer(env, { timings: { ...patientTimings, streamTimings: { sweepMs: 50 } } })
  served = streamsOf(chancery)
  await chancery.ingest(smallWorld(), { waits: false })
})
after(() => chancery.close())

const bothBases = Object.values(bases)
const open = (opening: Opening = {}, base: string = bases.canonical) =>
  openStream(`${chancery.url}${base}/events/stream?after=0`, opening)

/** Opens streams on both bases in turn until one is refused; returns those that are open. */
async function fill(opening: Opening): Promise<StreamReader[]> {
  const streams: StreamReader[] = []
  for (;;) {
    const stream = await open(opening, bothBases[streams.length % 2])
    if (stream.status === 429) return streams
    assert.equal(stream.status, 200)
    streams.push(stream)
  }
}

const refusal = async (opening: { key?: string } = {}) =>
  readResponse(await chancery.get('/events/stream', opening))

/** Closes one of several streams; waits until its place is free. */
async function assertGivenBack(
  opening: Opening,
  streams: StreamReader[],
  end: (stream: StreamReader) => void,
) {
  const [one, ...rest] = streams
  assert.ok(one)
  end(one)
  let next: StreamReader | undefined
  await until(async () => {
    const stream = await open(opening)
    if (stream.status === 200) next = stream
    return stream.status === 200
  }, 'a place becomes free')
  assert.ok(next)
  assert.equal((await open(opening)).status, 429, 'and only one')
  return [next, ...rest]
}

test('2 streams may be open from one address without a key, over both bases; a place that is left is free', async () => {
  const streams = await fill({})
  assert.equal(streams.length, 2)
  const answer = await refusal()
  assert.match(assertError(answer, 'rate_limited', 'a third'), /at most 2 event streams/)
  assert.equal(answer.headers['retry-after'], '15')
  assert.equal(answer.headers['x-ratelimit-limit'], '1000000')
  assert.ok(Number(answer.headers['x-ratelimit-remaining']) > 0)
  for (const stream of await assertGivenBack({}, streams, stream => stream.close())) stream.close()
})

test('5 streams may be open with one key, whatever others have open', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n1' })
  const { key: other } = await chancery.makeKey({ nation_id: 'n1' })
  const streams = await fill({ key })
  assert.equal(streams.length, 5)
  assert.match(
    assertError(await refusal({ key }), 'rate_limited', 'a sixth'),
    /at most 5 event streams.*one key/,
  )
  const [another, anonymous] = await Promise.all([open({ key: other }), open()])
  assert.deepEqual([another.status, anonymous.status], [200, 200])
  another.close()
  anonymous.close()
  for (const stream of await assertGivenBack({ key }, streams, stream => stream.close())) stream.close()
})

test('a stream that is rejected for another reason uses no slot', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n1' })
  for (const query of ['after=999999', 'after=x', 'type=nothing', 'since=x']) {
    for (let call = 0; call < 8; call += 1) {
      const { status } = await chancery.get(`/events/stream?${query}`, { key })
      assert.ok(status === 400 || status === 410, `${query} ${status}`)
    }
  }
  // What ends by itself leaves its place at once: whoever comes back is not refused.
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
  let left = 0
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(
      Array.from({ length: 2 }, async () => {
        let isAnswered = false
        const request = http.get(`${chancery.url}/api/v1/events/stream`, { agent: false, headers }, () => {
          isAnswered = true
        })
        request.on('error', () => undefined)
        await new Promise(resolve => setTimeout(resolve, round % 6))
        if (!isAnswered) left += 1
        request.destroy()
      }),
    )
  }
  assert.ok(left >= 10, `${left} left before they were answered`)
  const opened: StreamReader[] = []
  await until(async () => {
    const stream = await open({ headers })
    if (stream.status === 200) opened.push(stream)
    return opened.length === 2
  }, 'all places are free')
  assert.equal((await open({ headers })).status, 429)
  for (const stream of opened) stream.close()
})

test('addresses of one IPv6 /64 share their places, and a proxied caller has their own', async () => {
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

/** A stream with a key, others beside it, and how often a stream has ended because of its key; undefined: the key has expired since. */
async function openWithKey(expires_at?: string) {
  const endedSoFar = await served.count('chancery_streams_ended_total', { reason: 'key' })
  const { id, key } = await chancery.makeKey({ player_id: 'p1' }, [], expires_at ? { expires_at } : {})
  const { key: otherKey } = await chancery.makeKey({ player_id: 'p2' }, [])
  // Each time from another address: those who just left may still have their places.
  const headers = { 'x-forwarded-for': `198.51.100.${endedSoFar}` }
  const [stream, ...others] = await Promise.all([open({ key }), open({ key: otherKey }), open({ headers })])
  if (stream.status === 401) {
    for (const other of others) other.close()
    return undefined
  }
  await Promise.all(others.map(each => each.upToDate()))
  return { id, stream, others, endedSoFar }
}

async function assertEndedWithItsKey({
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
    const told = performance.now()
    await opened.stream.ended
    assert.ok(performance.now() - told < allowedMs(1_000, told - began))
    await assertEndedWithItsKey(opened)
  })

test('an expired key ends its streams, and not before', async () => {
  // On a busy machine it has expired before its stream is open: then another lives longer.
  for (let livesMs = 1_000; ; livesMs *= 3) {
    const expires_at = new Date(Date.now() + livesMs).toISOString()
    const opened = await openWithKey(expires_at)
    if (opened === undefined) continue
    await opened.stream.ended
    assert.ok(Date.now() >= Date.parse(expires_at) - 50, 'it ended early')
    return assertEndedWithItsKey(opened)
  }
})

test('ended streams are counted by reason, and a server that closes lets its clients resume', async t => {
  // Nobody is hung up on: it is gone when all have taken its last word.
  const server = await startStreamServer(t, chancery.databaseUrl, { streamTimings: { graceMs: 1e8 } })
  const streams = await Promise.all([1, 2, 3].map(() => server.open('/events/stream?after=0')))
  await Promise.all(streams.map(stream => stream.upToDate()))
  const events = streams[0]?.data().length ?? 0
  assert.ok(events > 10)
  assert.equal(await server.count('chancery_streams_open'), 3)
  assert.equal(await server.count('chancery_streamed_events_total'), 3 * events)
  const requests = () => server.count('chancery_requests_total', { operation: 'events.stream' })
  assert.equal(await requests(), 3, 'a call is counted when it is answered')
  streams[0]?.close()
  const ended = (reason: string) => server.count('chancery_streams_ended_total', { reason })
  await until(async () => (await ended('reader')) === 1, 'one left')
  assert.equal(await server.count('chancery_streams_open'), 2)
  assert.equal(await requests(), 3, 'and not again when it ends')

  const more = await Promise.all(Array.from({ length: 18 }, () => server.open('/events/stream?after=0')))
  await Promise.all(more.map(stream => stream.upToDate()))
  await server.close()
  for (const stream of [...streams.slice(1), ...more]) {
    assert.deepEqual(await stream.ended, { isWhole: true })
    assert.match(stream.text(), /: the service is restarting; resume with Last-Event-ID\n\n$/)
  }
})
