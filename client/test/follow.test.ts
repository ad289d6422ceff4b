import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { nation, war } from '../../server/test/ingest/facts.ts'
import { tier } from '../../server/test/support/tier.ts'
import { until } from '../../server/test/support/until.ts'
import { Chancery, type ChanceryEvent, CursorExpired, type Followed } from '../src/index.ts'
import { acceleratedClock, seededRandom } from './support/clocks.ts'
import { useDemoWorld } from './support/demo-world.ts'
import {
  inSequence,
  type ProxyHandler,
  page,
  rejecting,
  startProxy,
  startScriptedServer,
} from './support/scripted-server.ts'

const served = useDemoWorld()
const clock = acceleratedClock(25)
const clientOf = (baseUrl: string) => new Chancery({ baseUrl, clock, random: () => 0.5 })

/** The log after a number, as the API lists it. */
async function readLog(after = 0, query = ''): Promise<ChanceryEvent[]> {
  const events: ChanceryEvent[] = []
  for (let last: number | undefined = after; last !== undefined; ) {
    const body: { data: ChanceryEvent[] } = await served.read(`/events?after=${last}&limit=100${query}`)
    events.push(...body.data)
    last = body.data.at(-1)?.seq
  }
  return events
}

const newest = async () => (await served.read<{ data: ChanceryEvent[] }>('/events?limit=1')).data[0]?.seq ?? 0

/** Reads `count` events, then closes the feed. */
async function take(followed: AsyncIterable<ChanceryEvent>, count: number): Promise<ChanceryEvent[]> {
  const events: ChanceryEvent[] = []
  for await (const event of followed) {
    events.push(event)
    if (events.length === count) break
  }
  return events
}

/** The first faults are fixed, so that each kind occurs; the others are random. */
const firstFaults = [0.5, 0.65, 0.5, 0.72, 0.78, 0.5, 0.83]

for (const seed of tier === 'quick' ? [1] : [1, 2]) {
  test(`under random faults (${seed}), the feed is the log`, async t => {
    const random = seededRandom(seed)
    const faults = new Map<string, number>()
    let calls = 0
    const recordFault = (what: string) => faults.set(what, (faults.get(what) ?? 0) + 1)
    const pass: ProxyHandler = ({ res, path, forward }) => {
      const isStream = path.startsWith('/events/stream')
      const share = firstFaults[calls] ?? random()
      calls += 1
      if (share < 0.6) {
        recordFault(`${isStream ? 'stream' : 'list'} cut`)
        forward(Math.floor(random() * (isStream ? 60_000 : 30_000)))
      } else if (share < 0.7) {
        recordFault('refused')
        rejecting(isStream ? 429 : 503, isStream ? 'rate_limited' : 'unavailable', { 'retry-after': '1' })(
          res.req,
          res,
        )
      } else if (share < 0.75) {
        recordFault('page')
        page(502)(res.req, res)
      } else if (share < 0.8) {
        recordFault('no data')
        if (isStream) res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      } else if (share < 0.85) {
        recordFault('closed')
        res.destroy()
      } else {
        recordFault(`${isStream ? 'stream' : 'list'} whole`)
        forward()
      }
    }
    const { url } = await startProxy(t, served.url, pass)
    const before = await readLog()
    const followed = take(clientOf(url).events.follow({ after: 0, signal: t.signal }), before.length + 40)
    for (let batch = 0; batch < 20; batch += 1) {
      const id = `s${seed}b${batch}`
      await served.ingest([nation(`${id}a`), nation(`${id}b`)], { waits: false })
      await sleep(random() * 60)
    }
    const events = await followed
    assert.deepEqual(events, await readLog())
    assert.ok(faults.size >= 5, JSON.stringify([...faults]))
  })
}

test('without a position the feed starts now', async () => {
  const followed = clientOf(served.url).events.follow()
  const first = followed.next()
  await until(() => followed.position !== undefined, 'the stream is open')
  const at = await newest()
  assert.equal(followed.position, at)
  await served.ingest([nation('now1')], { waits: false })
  const { value } = await first
  assert.equal(value?.seq, at + 1)
  await followed.return?.()
})

test('kinds, nations and alliances can be filtered, by stream and by polling', async t => {
  const log = await readLog(0, '&type=battle.fought')
  const [battle] = log
  const id = battle?.nation_ids[0]
  assert.ok(id)
  const expected = await readLog(0, `&type=battle.fought,war.*&nation_id=${id}`)
  assert.ok(expected.length > 0 && expected.length < log.length)
  const type = ['battle.fought', 'war.*']
  const current = { after: 0, type, nation_id: [id] }
  const deprecated = { after: 0, types: type, nationIds: [id] }
  const noStream = await startProxy(t, served.url, ({ res, path, forward }) =>
    path.startsWith('/events/stream') ? page(404)(res.req, res) : forward(),
  )
  for (const url of [served.url, noStream.url])
    for (const options of [current, deprecated])
      assert.deepEqual(await take(clientOf(url).events.follow(options), expected.length), expected)
  assert.throws(() => clientOf(served.url).events.follow({ type: [] }), TypeError)
})

test('with a narrow filter the position advances with the log', async () => {
  const followed = clientOf(served.url).events.follow({ after: 0, nation_id: ['missing'] })
  const first = followed.next()
  const end = await newest()
  await until(() => followed.position === end, 'the whole log has been filtered')
  await followed.return?.()
  assert.deepEqual(await first, { done: true, value: undefined })
})

const streamsOf = (requests: string[]) => requests.filter(path => path.startsWith('/events/stream')).length

test('it polls when streams are rejected, and retries the stream later', async t => {
  let isRefusing = true
  const { url, requests } = await startProxy(t, served.url, ({ res, path, forward }) => {
    if (isRefusing && path.startsWith('/events/stream'))
      rejecting(429, 'rate_limited', { 'retry-after': '15' })(res.req, res)
    else forward()
  })
  const followed = clientOf(url).events.follow({ after: await newest() })
  const began = clock.now()
  for (const id of ['polled1', 'polled2']) {
    const next = followed.next()
    await served.ingest([nation(id)], { waits: false })
    assert.equal((await next).value?.type, 'nation.founded')
  }
  if (clock.now() - began < 15_000) assert.equal(streamsOf(requests), 1)
  isRefusing = false
  const next = followed.next()
  const refused = streamsOf(requests)
  await until(() => streamsOf(requests) > refused, 'the stream is tried again')
  const polls = requests.length
  await sleep(300)
  await served.ingest([nation('streamed1')], { waits: false })
  assert.equal((await next).value?.type, 'nation.founded')
  assert.equal(requests.slice(polls).filter(path => path.startsWith('/events?')).length, 0)
  await followed.return?.()
})

test('it polls when a proxy buffers the stream, and closes the connection', async t => {
  let closed = 0
  const { url, requests } = await startProxy(t, served.url, ({ res, path, forward }) => {
    if (!path.startsWith('/events/stream')) forward()
    else res.on('close', () => (closed += 1))
  })
  const followed = clientOf(url).events.follow({ after: await newest() })
  const began = clock.now()
  const next = followed.next()
  await served.ingest([nation('gathered1')], { waits: false })
  assert.equal((await next).value?.type, 'nation.founded')
  assert.ok(clock.now() - began > 20_000, 'it waits for two heartbeats first')
  assert.deepEqual([closed, streamsOf(requests)], [1, 1])
  await followed.return?.()
})

test('leaving the loop closes the connection at once, also without events', async t => {
  const passing = await startProxy(t, served.url, ({ forward }) => forward())
  await take(clientOf(passing.url).events.follow({ after: 0 }), 3)
  await until(() => passing.open === 0, 'the connection is closed')

  const followed = clientOf(passing.url).events.follow()
  const waiting = followed.next()
  await until(() => passing.open === 1 && followed.position !== undefined, 'the stream is open')
  await followed.return?.()
  assert.deepEqual(await waiting, { done: true, value: undefined })
  await until(() => passing.open === 0, 'the connection is closed')
  assert.deepEqual(await followed.next(), { done: true, value: undefined })
})

test('a signal ends the feed with its reason while it streams, waits and polls', async t => {
  const passing = await startProxy(t, served.url, ({ forward }) => forward())
  const unavailable = await startScriptedServer(t, page(503))
  const refusing = await startScriptedServer(
    t,
    inSequence(rejecting(429, 'rate_limited'), rejecting(503, 'unavailable')),
  )
  for (const url of [passing.url, unavailable.url, refusing.url]) {
    const controller = new AbortController()
    const next = clientOf(url).events.follow({ signal: controller.signal }).next()
    await sleep(150)
    const reason = new Error('enough')
    controller.abort(reason)
    await assert.rejects(next, error => error === reason)
  }
  await until(() => passing.open === 0, 'the connection is closed')
  const late = clientOf(passing.url).events.follow({ signal: AbortSignal.abort(new Error('before')) })
  await assert.rejects(late.next(), /before/)
})

test('a position that the log does not contain is an error, or skipped on request', async () => {
  const client = clientOf(served.url)
  const beyond = (await newest()) + 1_000
  await assert.rejects(client.events.follow({ after: beyond }).next(), error => {
    assert.ok(error instanceof CursorExpired)
    assert.deepEqual([error.code, error.status], ['cursor_expired', 410])
    return true
  })
  const followed: Followed = client.events.follow({ after: beyond, onGap: 'newest' })
  const next = followed.next()
  await until(() => (followed.position ?? beyond) < beyond, 'it continues from now')
  await served.ingest([nation('gap1')], { waits: false })
  const { value } = await next
  assert.equal(value?.seq, await newest())
  await followed.return?.()
})

test('permanent errors are thrown', async t => {
  const wrongKey = new Chancery({ baseUrl: served.url, apiKey: 'chk_wrong', clock })
  await assert.rejects(wrongKey.events.follow().next(), { code: 'invalid_api_key' })
  const wrongType = clientOf(served.url).events.follow({ types: ['not a kind!'] })
  await assert.rejects(wrongType.next(), { code: 'invalid_parameter' })
  for (const status of [200, 404]) {
    const { url } = await startScriptedServer(t, page(status))
    await assert.rejects(clientOf(url).events.follow({ after: 1 }).next(), { code: 'unexpected_response' })
  }
})

test('repeated events of a stream are returned once', async t => {
  const frame = (seq: number) => `id: ${seq}\ndata: {"seq":${seq},"type":"war.declared"}\n\n`
  const { url } = await startScriptedServer(t, (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    res.end(
      `retry: 1\n\nid: 4\n\n${frame(5)}${frame(5)}id: 2\n\n${frame(4)}${frame(6)}${frame(7)}id: 9\n\n${frame(8)}${frame(10)}`,
    )
  })
  const events = await take(clientOf(url).events.follow({ after: 4 }), 4)
  assert.deepEqual(
    events.map(({ seq }) => seq),
    [5, 6, 7, 10],
  )
})

test('an invalid event in the stream is read from the list', async t => {
  for (const broken of ['{"seq":5,', '{"seq":"5","type":"x.y"}', '{"seq":5}', 'null']) {
    const { url } = await startScriptedServer(t, (req, res) => {
      if (!req.url?.includes('/stream'))
        return res
          .writeHead(200, { 'content-type': 'application/json' })
          .end('{"data":[{"seq":5,"type":"war.declared"}]}')
      return res.writeHead(200, { 'content-type': 'text/event-stream' }).end(`id: 5\ndata: ${broken}\n\n`)
    })
    const [event] = await take(clientOf(url).events.follow({ after: 4 }), 1)
    assert.equal(event?.seq, 5, broken)
  }
})

test('reads after an event never return responses from before it', async () => {
  const { ingest, url } = served
  const client = clientOf(url)
  const id = 'invalidated1'
  await ingest([nation(`${id}a`), nation(`${id}b`), war(id, `${id}a`, `${id}b`)])
  const followed = client.events.follow({ types: ['war.*'] })
  const next = followed.next()
  await until(() => followed.position !== undefined, 'the stream is open')
  const show = async () => {
    const [shown, listed] = [
      await client.wars.get(id),
      (await client.wars.list({ nation_id: [`${id}a`] })).data.find(one => one.id === id),
    ]
    return [shown.status, listed?.status]
  }
  assert.deepEqual(await show(), ['active', 'active'])
  const facts = [
    {
      op: 'put',
      resource: 'war',
      data: { id, status: 'ended', ended_at: '2026-05-27T18:00:00Z', outcome: 'peace' },
    },
  ]
  await ingest(facts, { waits: false })
  assert.equal((await next).value?.type, 'war.ended')
  assert.deepEqual(await show(), ['ended', 'ended'])
  await followed.return?.()
})
