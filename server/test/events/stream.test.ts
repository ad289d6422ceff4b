import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bases } from '@chancery/contract'
import { createWorld, linesOf } from '@chancery/simulator'
import { sendLines } from '../http/raw.ts'
import { assertError, readResponse } from '../http/responses.ts'
import { alliance, member, nation, put, seqOf, war } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { startTestServer } from '../support/test-server.ts'
import { allowedMs } from '../support/until.ts'
import { type Event, readEvents } from './log-model.ts'
import { openStream } from './stream-reader.ts'
import { disaster, frameOf, startStreamServer } from './stream-server.ts'

const chancery = closeAfter(await startTestServer())
const world = createWorld({ nations: 60, days: 60, seed: 5, endsAt: '2026-05-27T18:00:00Z' })
await chancery.send([...world.history()].map(linesOf).join(''))
/** The whole log from `/events`. */
const log = await readEvents(chancery)
assert.ok(log.length > 500, `${log.length}`)

const readLog = (query?: string, after?: number) => readEvents(chancery, query, after)

const open = (query = '', opening: Parameters<typeof openStream>[1] = {}, base: string = bases.canonical) =>
  openStream(`${chancery.url}${base}/events/stream${query}`, opening)

test('a stream delivers on both bases what /events returns, byte for byte', async () => {
  for (const base of Object.values(bases)) {
    const stream = await open('?after=0', {}, base)
    const last = await seqOf(chancery)
    await stream.upToDate()
    const frames = (await readLog()).map(frameOf).join('')
    assert.equal(stream.text(), `retry: 3000\n\nid: 0\n\n${frames}: up to date\nid: ${last}\n\n`)
    stream.close()
  }
})

test('a streamed response has the headers of every response, and those that prevent buffering', async () => {
  const stream = await open()
  assert.equal(stream.status, 200)
  const { headers } = stream
  assert.equal(headers['content-type'], 'text/event-stream')
  assert.equal(headers['cache-control'], 'private, no-cache')
  assert.equal(headers['x-accel-buffering'], 'no')
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.match(String(headers['x-request-id']), /^req_/)
  assert.match(String(headers['x-ratelimit-remaining']), /^\d+$/)
  for (const name of ['etag', 'content-encoding', 'content-length']) assert.equal(headers[name], undefined)
  stream.close()
})

test('a stream counts as one request', async () => {
  const left = async () => Number((await chancery.get('/game', { key })).headers.get('x-ratelimit-remaining'))
  const { key } = await chancery.makeKey({ player_id: 'p' })
  const before = await left()
  const stream = await open('?after=0', { key })
  await stream.upToDate()
  assert.equal(Number(stream.headers['x-ratelimit-remaining']), before - 1)
  assert.equal(await left(), before - 2)
  stream.close()
})

test('new events reach a client within a second of the acknowledgement, as /events returns them', async () => {
  const first = await seqOf(chancery)
  const stream = await open()
  await stream.upToDate()
  assert.equal(stream.text(), `retry: 3000\n\nid: ${first}\n\n: up to date\nid: ${first}\n\n`)
  for (const id of ['live-1', 'live-2', 'live-3']) {
    const began = performance.now()
    const { last_seq } = await chancery.ingest([nation(id)], { waits: false })
    const confirmedAt = performance.now()
    await stream.until(block => block.id === last_seq)
    assert.ok(performance.now() - confirmedAt < allowedMs(1_000, confirmedAt - began))
  }
  assert.deepEqual(
    stream.data(),
    (await readLog('', first)).map(event => JSON.stringify(event)),
  )
  stream.close()
})

const filters = () => {
  const ended = log.find(({ type, alliance_ids }) => type === 'war.ended' && alliance_ids.length > 0)
  // Nations of a war, and another one.
  const nations = [...new Set([ended, ...log].flatMap(event => event?.nation_ids ?? []))]
    .slice(0, 3)
    .join(',')
  const warId = ended?.war_id
  const alliances = ended?.alliance_ids.join(',')
  assert.ok(nations && alliances && warId)
  return [
    'type=battle.fought',
    'type=war.*,treaty.signed',
    `nation_id=${nations}`,
    `alliance_id=${alliances}`,
    `war_id=${warId}`,
    `type=war.*&nation_id=${nations}`,
    `nation_id=${nations}&alliance_id=${alliances}`,
    `type=war.ended,battle.fought&war_id=${warId}&alliance_id=${alliances}`,
  ]
}

test('a stream delivers the past events that /events selects, from any position', async () => {
  for (const filter of filters()) {
    const all = await readLog(filter)
    assert.ok(all.length > 0, filter)
    for (const after of [0, 100, log.length - 300]) {
      const stream = await open(`?${filter}&after=${after}`)
      await stream.upToDate()
      const expected = all.filter(({ seq }) => seq > after)
      assert.deepEqual(
        stream.data(),
        expected.map(event => JSON.stringify(event)),
        `${filter} ${after}`,
      )
      stream.close()
    }
  }
})

test('a stream delivers the new events that /events selects', async () => {
  await chancery.ingest(
    [
      ...['f1', 'f2', 'f3'].map(id => nation(id)),
      ...['fa', 'fb'].map(id => alliance(id)),
      member('f1', 'fa'),
      war('fw', 'f1', 'f2'),
    ],
    { waits: false },
  )
  const queries = [
    'type=game.disaster',
    'nation_id=f1',
    'alliance_id=fa,fb',
    'war_id=fw',
    'nation_id=f1,f2&alliance_id=fa',
    'type=war.*&war_id=fw',
    '',
  ]
  const first = await seqOf(chancery)
  const streams = await Promise.all(queries.map(query => open(`?${query}`)))
  await chancery.ingest(
    [
      disaster('f1', { alliance_ids: ['fa'], war_id: 'fw' }),
      disaster('f2', { alliance_ids: ['fb'] }),
      disaster('f3'),
      member('f3', 'fa'),
      put('war', { id: 'fw', ended_at: '2026-05-30T12:00:00Z', outcome: 'peace' }),
    ],
    { waits: false },
  )
  const later = [nation('f4'), disaster('f1', { alliance_ids: ['fa', 'fb'], war_id: 'fw' })]
  const { last_seq } = await chancery.ingest(later, { waits: false })
  await streams.at(-1)?.until(block => block.id === last_seq)
  for (const [index, query] of queries.entries()) {
    const expected = (await readLog(query, first)).map(event => JSON.stringify(event))
    assert.ok(expected.length > 0, query)
    const stream = streams[index]
    assert.ok(stream)
    await stream.until(({ data }) => data === expected.at(-1))
    assert.deepEqual(stream.data(), expected, query)
    stream.close()
  }
})

test('a heartbeat contains the position in the log, also where nothing matches the filter', async t => {
  const server = await startStreamServer(t, chancery.databaseUrl, {
    streamTimings: { heartbeatMs: 200, sweepMs: 20 },
  })
  const stream = await server.open('/events/stream?nation_id=none')
  const { last_seq } = await chancery.ingest([nation('unseen')], { waits: false })
  const { id } = await stream.until(({ comment, id }) => comment === 'heartbeat' && id === last_seq)
  assert.equal(id, last_seq)
  assert.deepEqual(stream.data(), [])
  // They continue, and not faster than the interval.
  const count = () => stream.blocks.filter(({ comment }) => comment === 'heartbeat').length
  const [from, start] = [count(), performance.now()]
  await stream.until(() => count() >= from + 5)
  const took = performance.now() - start
  assert.ok(took > 500, `five heartbeats took ${took} ms`)
})

test('unannounced history is not delivered live, but to clients that resume from before it', async () => {
  const stream = await open()
  const position = await seqOf(chancery)
  await stream.upToDate()
  const unannounced = await chancery.ingest([nation('unannounced-1'), nation('unannounced-2')], {
    waits: false,
    announce: false,
  })
  const { last_seq } = await chancery.ingest([nation('announced')], { waits: false })
  await stream.until(({ id }) => id === last_seq)
  assert.deepEqual(stream.seqs(), [last_seq])
  stream.close()

  const resumed = await open('', { headers: { 'last-event-id': String(position) } })
  await resumed.upToDate()
  assert.deepEqual(resumed.seqs(), [position + 1, position + 2, last_seq])
  assert.equal(unannounced.last_seq, position + 2)
  resumed.close()
})

test('a large load of unannounced history is skipped, and the events behind it arrive', async () => {
  const stream = await open('?type=nation.founded')
  await stream.upToDate()
  for (const [index, announce] of [false, true, false, false, true].entries()) {
    const facts = Array.from({ length: announce ? 3 : 700 }, (_, number) => nation(`q-${index}-${number}`))
    const { last_seq } = await chancery.ingest(facts, { waits: false, announce })
    if (announce) await stream.until(({ id }) => id === last_seq)
  }
  assert.equal(stream.data().length, 6)
  stream.close()
})

test('Last-Event-ID overrides after, and an empty one is ignored', async () => {
  const last = await seqOf(chancery)
  const seqsOf = async (id: string) => {
    const stream = await open(`?after=${last - 5}`, { headers: { 'last-event-id': id } })
    await stream.upToDate()
    stream.close()
    return stream.seqs()
  }
  assert.deepEqual(await seqsOf(`${last - 2}`), [last - 1, last])
  assert.deepEqual(await seqsOf(`${last}`), [])
  assert.deepEqual((await seqsOf('')).length, 5)
})

test('an invalid Last-Event-ID is rejected, with its name in the message', async () => {
  for (const id of [
    'x',
    '-1',
    '+1',
    '1.0',
    '1e3',
    '0x10',
    '1, 2',
    '9007199254740992',
    '9'.repeat(400),
    'évé',
  ]) {
    const lines = [`GET ${bases.mirror}/events/stream HTTP/1.1`, 'Host: x', `Last-Event-ID: ${id}`]
    const message = assertError(await sendLines(chancery.url, lines), 'invalid_parameter', id)
    assert.match(message, /`Last-Event-ID`.*integer from 0 to 9007199254740991/)
  }
  const twice = ['GET /api/v1/events/stream HTTP/1.1', 'Host: x', 'Last-Event-ID: 1', 'Last-Event-ID: 2']
  assertError(await sendLines(chancery.url, twice), 'invalid_parameter', 'twice')
})

test('an event number that the log does not have is 410, as for /events', async () => {
  const beyond = String((await seqOf(chancery)) + 1_000)
  assertError(
    await readResponse(await chancery.get(`/events/stream?after=${beyond}`)),
    'cursor_expired',
    'after',
  )
  for (const id of [beyond, '9007199254740991']) {
    const headers = { 'last-event-id': id }
    const response = await readResponse(await chancery.get('/events/stream?after=1', { headers }))
    assertError(response, 'cursor_expired', id)
  }
})

test('HEAD is 405 before any query', async () => {
  for (const base of Object.values(bases)) {
    const lines = [`HEAD ${base}/events/stream?after=x HTTP/1.1`, 'Host: x', 'Authorization: Bearer nonsense']
    const response = await sendLines(chancery.url, lines, { isHead: true })
    assert.deepEqual([response.status, response.headers.allow], [405, 'GET, OPTIONS'])
  }
})

test('with since a stream starts with the events logged at that time', async () => {
  await chancery.ingest([nation('since-1')], { waits: false })
  const { data } = await chancery.read<{ data: { world_changed_at: string } }>('/game')
  const since = encodeURIComponent(data.world_changed_at)
  const position = await seqOf(chancery)
  const stream = await open(`?since=${since}`)
  await stream.upToDate()
  const { last_seq } = await chancery.ingest([nation('since-2')], { waits: false })
  await stream.until(({ id }) => id === last_seq)
  assert.deepEqual(stream.seqs(), [position, last_seq])
  stream.close()

  // With `after` too, both filters apply.
  const both = await open(`?since=${since}&after=0`)
  await both.upToDate()
  assert.deepEqual(both.seqs(), [position, last_seq])
  both.close()
})

/** Future times, each further ahead, for machines that need longer before it comes. */
function* timesAhead(): Generator<number, never> {
  for (let ms = 400; ; ms *= 3) yield Date.now() + ms
}

test('with a future since a stream sends nothing until then', async () => {
  for (const since of timesAhead()) {
    const stream = await open(`?since=${new Date(since).toISOString()}`)
    const early = await chancery.ingest([nation(`early-${since}`)], { waits: false })
    if (Date.now() >= since) {
      stream.close()
      continue
    }
    await stream.upToDate()
    let last: number | null = null
    for (let number = 0; stream.data().length === 0; number += 1) {
      last = (await chancery.ingest([nation(`since-${since}-${number}`)], { waits: false })).last_seq
      await new Promise(resolve => setTimeout(resolve, 30))
    }
    const [first = 0] = stream.seqs()
    assert.ok(first > Number(early.last_seq) && first <= Number(last))
    const { data } = await chancery.read<{ data: Event[] }>(`/events?after=${first - 1}&limit=1`)
    assert.deepEqual(stream.data()[0], JSON.stringify(data[0]))
    return stream.close()
  }
})

test('with until a stream ends when the log has passed that time, with a comment', async () => {
  for (const time of timesAhead()) {
    const query = `until=${new Date(time).toISOString()}`
    const first = await seqOf(chancery)
    const stream = await open(`?${query}`)
    let isOver = false
    void stream.ended.then(() => {
      isOver = true
    })
    for (let index = 0; !isOver; index += 1)
      await chancery.ingest([nation(`until-${time}-${index}`)], { waits: false })
    assert.deepEqual(await stream.ended, { isWhole: true })
    assert.match(stream.text(), /: the log has passed the time given as until\n\n$/)
    const expected = (await readLog(query, first)).map(({ seq }) => seq)
    assert.deepEqual(stream.seqs(), expected)
    if (expected.length === 0) continue

    // A later request with the same query gets the same.
    const later = await open(`?${query}&after=${first}`)
    assert.deepEqual(await later.ended, { isWhole: true })
    assert.deepEqual(later.seqs(), expected)
    assert.match(later.text(), /: the log has passed the time given as until\n\n$/)
    return
  }
})
