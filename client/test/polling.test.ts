import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyOf, fakeServer, pageOf } from './support/fake-server.ts'

const noStream = () =>
  new Response('<h1>Sorry</h1>', { status: 404, headers: { 'content-type': 'text/html' } })
const event = (seq: number) => ({ id: `evt_${seq}`, seq, type: 'war.declared' })

test('polling reads pages without a pause until it has caught up, then every ten seconds', async () => {
  const log = Array.from({ length: 250 }, (_, index) => event(index + 1))
  const { client, clock, requests } = fakeServer(({ path }) => {
    if (path.startsWith('/events/stream')) return noStream()
    const after = Number(/after=(\d+)/.exec(path)?.[1])
    return pageOf(log.filter(({ seq }) => seq > after).slice(0, 100))
  })
  const received: number[] = []
  const followed = client.events.follow({ after: 0 })
  const following = (async () => {
    for await (const { seq } of followed) received.push(seq)
  })()
  await clock.flush()
  for (let round = 0; round < 20 && received.length < 250; round += 1) await clock.flush()
  assert.deepEqual([received.length, clock.now(), requests.length], [250, 0, 4])
  log.push(event(251))
  await clock.advance(9_000)
  assert.equal(received.length, 250)
  await clock.advance(1_000)
  assert.equal(received.at(-1), 251)
  await followed.return?.()
  await following
})

test('polling does not use the cache', async () => {
  let seq = 5
  const { client, clock, requests } = fakeServer(({ path, headers }) => {
    if (path.startsWith('/events/stream')) return noStream()
    assert.equal(headers.get('if-none-match'), null)
    return pageOf([event(seq)], { etag: '"1"' })
  })
  await client.events.list({ limit: 1 })
  seq = 9
  const followed = client.events.follow()
  const next = followed.next()
  await clock.flush()
  assert.equal(followed.position, 9)
  seq = 10
  await clock.advance(10_000)
  assert.equal((await next).value?.seq, 10)
  assert.equal(requests.filter(({ path }) => path === '/events?limit=1').length, 2)
  await followed.return?.()
})

test('a response that is not an event stream is closed', async () => {
  let isCancelled = false
  const { client, clock, requests } = fakeServer(({ path, signal }) => {
    if (!path.startsWith('/events/stream')) return bodyOf([])
    signal.addEventListener('abort', () => (isCancelled = true))
    return new Response(new ReadableStream(), { headers: { 'content-type': 'text/html' } })
  })
  const followed = client.events.follow({ after: 1 })
  const next = followed.next()
  await clock.flush()
  assert.deepEqual([isCancelled, requests.length], [true, 2])
  await followed.return?.()
  await next
})

test('a stream that breaks repeatedly, but sends data, is not replaced by polling', async () => {
  let seq = 5
  const { client, clock, requests } = fakeServer(() => {
    // Every second connection breaks before its first word.
    if (requests.length % 2 === 0) throw new TypeError('reset')
    seq += 1
    const text = `id: ${seq}\ndata: ${JSON.stringify(event(seq))}\n\n`
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  })
  const followed = client.events.follow({ after: 5 })
  const received: number[] = []
  const following = (async () => {
    for await (const one of followed) received.push(one.seq)
  })()
  await clock.advance(60_000)
  assert.ok(received.length > 8, `${received.length} events`)
  assert.deepEqual(
    requests.filter(({ path }) => !path.startsWith('/events/stream')),
    [],
  )
  await followed.return?.()
  await following
})

test('a stream that breaks three times without data is replaced by polling', async () => {
  const { client, clock, requests } = fakeServer(({ path }) => {
    if (path.startsWith('/events/stream')) throw new TypeError('reset')
    return pageOf([event(6)])
  })
  const followed = client.events.follow({ after: 5 })
  const next = followed.next()
  await clock.advance(10_000)
  assert.equal((await next).value?.seq, 6)
  assert.equal(requests.filter(({ path }) => path.startsWith('/events/stream')).length, 3)
  await followed.return?.()
})

test('an HTML page while following is retried', async () => {
  let isOther = false
  let seq = 5
  const { client, clock } = fakeServer(({ path }) => {
    if (path.startsWith('/events/stream')) return noStream()
    if (isOther) return new Response('<h1>Back soon</h1>', { headers: { 'content-type': 'text/html' } })
    return pageOf([event(seq)])
  })
  const followed = client.events.follow({ after: 4 })
  assert.equal((await followed.next()).value?.seq, 5)
  isOther = true
  const next = followed.next()
  await clock.advance(60_000)
  isOther = false
  seq = 6
  await clock.advance(60_000)
  assert.equal((await next).value?.seq, 6)
  await followed.return?.()
})
