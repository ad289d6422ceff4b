import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, type TestContext, test } from 'node:test'
import { bases } from '@chancery/contract'
import { answered, assertError } from '../http/answers.ts'
import { smallWorld } from '../http/world.ts'
import { nation } from '../ingest/facts.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { type Opening, openStream, type StreamReader } from './stream-reader.ts'
import { eventually, type StreamServer, startStreamServer } from './stream-server.ts'

let chancery: TestServer
before(async () => {
  chancery = await startTestServer({ CHANCERY_STREAMS_PER_KEY: '', CHANCERY_STREAMS_PER_IP: '' })
  await chancery.tell(smallWorld(), { waits: false })
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
  answered(await chancery.get('/events/stream', opening))

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
  await eventually(async () => {
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

test('a stream that is refused for another reason takes no place', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n1' })
  for (const query of ['after=999999', 'after=x', 'type=nothing', 'since=x']) {
    for (let call = 0; call < 8; call += 1) {
      const { status } = await chancery.get(`/events/stream?${query}`, { key })
      assert.ok(status === 400 || status === 410, `${query} ${status}`)
    }
  }
  const until = '2020-01-01T00:00:00Z'
  // What ends by itself leaves its place at once: whoever comes back is not refused.
  for (let call = 0; call < 12; call += 1) {
    const stream = await openStream(`${chancery.url}/api/v1/events/stream?until=${until}`, { key })
    assert.equal(stream.status, 200)
    assert.deepEqual(await stream.ended, { isWhole: true })
  }
  const streams = await fill({ key })
  assert.equal(streams.length, 5)
  for (const stream of streams) stream.close()
})

test('readers who leave in the middle of opening leave no place taken', async t => {
  const server = await startStreamServer(t, chancery.databaseUrl, {
    env: { CHANCERY_STREAMS_PER_IP: '3' },
  })
  let left = 0
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(
      Array.from({ length: 3 }, async () => {
        let isAnswered = false
        const request = http.get(`${server.url}/api/v1/events/stream`, { agent: false }, () => {
          isAnswered = true
        })
        request.on('error', () => undefined)
        await new Promise(resolve => setTimeout(resolve, round % 6))
        if (!isAnswered) left += 1
        request.destroy()
      }),
    )
  }
  assert.ok(left > 10, `${left} left before they were answered`)
  const streams: StreamReader[] = []
  await eventually(async () => {
    const stream = await server.open('/events/stream')
    if (stream.status === 200) streams.push(stream)
    return streams.length === 3
  }, 'all places are free')
  assert.equal((await server.open('/events/stream')).status, 429)
})

test('addresses of one IPv6 /64 share their places, and a proxied caller has their own', async t => {
  const server = await startStreamServer(t, chancery.databaseUrl, {
    env: { CHANCERY_STREAMS_PER_IP: '1', CHANCERY_TRUSTED_PROXIES: '127.0.0.1' },
  })
  const status = async (address: string) =>
    (await server.open('/events/stream', { headers: { 'x-forwarded-for': address } })).status
  assert.equal(await status('2001:db8::1'), 200)
  assert.equal(await status('2001:db8::2'), 429)
  assert.equal(await status('2001:db8:0:1::1'), 200)
  assert.equal(await status('192.0.2.1'), 200)
  assert.equal(await status('::ffff:192.0.2.1'), 429)
})

/** A stream with a key, on a server that looks often; and how to wait for its end. */
async function openWithKey(t: TestContext, expiresInMs?: number) {
  const server = await startStreamServer(t, chancery.databaseUrl, { streamTimings: { sweepMs: 50 } })
  const expires_at = expiresInMs === undefined ? undefined : new Date(Date.now() + expiresInMs).toISOString()
  const { id, key } = await chancery.makeKey({ player_id: 'p1' }, [], expires_at ? { expires_at } : {})
  const { key: otherKey } = await chancery.makeKey({ player_id: 'p2' }, [])
  const [stream, other, anonymous] = await Promise.all([
    server.open('/events/stream', { key }),
    server.open('/events/stream', { key: otherKey }),
    server.open('/events/stream'),
  ])
  await Promise.all([stream, other, anonymous].map(each => each.upToDate()))
  return { server, id, stream, others: [other, anonymous] }
}

async function assertEndedWithItsKey(server: StreamServer, stream: StreamReader, others: StreamReader[]) {
  const start = performance.now()
  assert.deepEqual(await stream.ended, { isWhole: true })
  assert.ok(performance.now() - start < 1_000)
  assert.match(stream.text(), /\n\n: the key of this stream is no longer valid\n\n$/)
  assert.equal(await server.count('chancery_streams_ended_total', { reason: 'key' }), 1)
  const { last_seq } = await chancery.tell([nation(`after-${Math.random()}`.replace('.', '-'))], {
    waits: false,
  })
  for (const other of others) await other.until(({ id }) => id === last_seq)
}

test('a revoked key ends its streams within a second, and no others', async t => {
  const { server, id, stream, others } = await openWithKey(t)
  assert.equal((await chancery.operate('POST', `/keys/${id}/revoke`)).status, 200)
  await assertEndedWithItsKey(server, stream, others)
})

test('a suspended player’s streams end within a second', async t => {
  const { server, stream, others } = await openWithKey(t)
  assert.equal((await chancery.operate('POST', '/players/p1/suspend')).status, 200)
  t.after(() => chancery.operate('POST', '/players/p1/resume'))
  await assertEndedWithItsKey(server, stream, others)
})

test('an expired key ends its streams', async t => {
  const { server, stream, others } = await openWithKey(t, 1_000)
  await new Promise(resolve => setTimeout(resolve, 500))
  assert.ok(!stream.text().includes('no longer'))
  await assertEndedWithItsKey(server, stream, others)
})

test('what became of streams is counted', async t => {
  const server = await startStreamServer(t, chancery.databaseUrl)
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
  await eventually(async () => (await ended('reader')) === 1, 'one left')
  assert.equal(await server.count('chancery_streams_open'), 2)
  assert.equal(await requests(), 3, 'and not again when it ends')
})

test('a server that closes tells its readers to resume, ends their answers, and is gone at once', async t => {
  const server = await startStreamServer(t, chancery.databaseUrl)
  const streams = await Promise.all(Array.from({ length: 20 }, () => server.open('/events/stream?after=0')))
  await Promise.all(streams.map(stream => stream.upToDate()))
  const start = performance.now()
  await server.close()
  assert.ok(performance.now() - start < 1_000)
  for (const stream of streams) {
    assert.deepEqual(await stream.ended, { isWhole: true })
    assert.match(stream.text(), /: the service is restarting; resume with Last-Event-ID\n\n$/)
  }
})
