import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answering, bodyOf, pageOf } from './support/answering.ts'

const noStream = () =>
  new Response('<h1>Sorry</h1>', { status: 404, headers: { 'content-type': 'text/html' } })
const event = (seq: number) => ({ id: `evt_${seq}`, seq, type: 'war.declared' })

test('whoever is behind reads page after page without a pause, then every ten seconds', async () => {
  const log = Array.from({ length: 250 }, (_, index) => event(index + 1))
  const { client, clock, asked } = answering(({ path }) => {
    if (path.startsWith('/events/stream')) return noStream()
    const after = Number(/after=(\d+)/.exec(path)?.[1])
    return pageOf(log.filter(({ seq }) => seq > after).slice(0, 100))
  })
  const told: number[] = []
  const followed = client.events.follow({ after: 0 })
  const following = (async () => {
    for await (const { seq } of followed) told.push(seq)
  })()
  await clock.settle()
  for (let round = 0; round < 20 && told.length < 250; round += 1) await clock.settle()
  assert.deepEqual([told.length, clock.now(), asked.length], [250, 0, 4])
  log.push(event(251))
  await clock.pass(9_000)
  assert.equal(told.length, 250)
  await clock.pass(1_000)
  assert.equal(told.at(-1), 251)
  await followed.return?.()
  await following
})

test('polling never looks into the cache', async () => {
  let seq = 5
  const { client, clock, asked } = answering(({ path, headers }) => {
    if (path.startsWith('/events/stream')) return noStream()
    assert.equal(headers.get('if-none-match'), null)
    return pageOf([event(seq)], { etag: '"1"' })
  })
  await client.events.list({ limit: 1 })
  seq = 9
  const followed = client.events.follow()
  const next = followed.next()
  await clock.settle()
  assert.equal(followed.position, 9)
  seq = 10
  await clock.pass(10_000)
  assert.equal((await next).value?.seq, 10)
  assert.equal(asked.filter(({ path }) => path === '/events?limit=1').length, 2)
  await followed.return?.()
})

test('a stream that is none is closed, though it goes on', async () => {
  let isCancelled = false
  const { client, clock, asked } = answering(({ path, signal }) => {
    if (!path.startsWith('/events/stream')) return bodyOf([])
    signal.addEventListener('abort', () => (isCancelled = true))
    return new Response(new ReadableStream(), { headers: { 'content-type': 'text/html' } })
  })
  const followed = client.events.follow({ after: 1 })
  const next = followed.next()
  await clock.settle()
  assert.deepEqual([isCancelled, asked.length], [true, 2])
  await followed.return?.()
  await next
})

test('a stream that is cut again and again, and speaks in between, is never left for polling', async () => {
  let seq = 5
  const { client, clock, asked } = answering(() => {
    // Every second connection breaks before its first word.
    if (asked.length % 2 === 0) throw new TypeError('reset')
    seq += 1
    const text = `id: ${seq}\ndata: ${JSON.stringify(event(seq))}\n\n`
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  })
  const followed = client.events.follow({ after: 5 })
  const told: number[] = []
  const following = (async () => {
    for await (const one of followed) told.push(one.seq)
  })()
  await clock.pass(60_000)
  assert.ok(told.length > 8, `${told.length} events`)
  assert.deepEqual(
    asked.filter(({ path }) => !path.startsWith('/events/stream')),
    [],
  )
  await followed.return?.()
  await following
})

test('a stream that breaks before its first word three times is left for polling', async () => {
  const { client, clock, asked } = answering(({ path }) => {
    if (path.startsWith('/events/stream')) throw new TypeError('reset')
    return pageOf([event(6)])
  })
  const followed = client.events.follow({ after: 5 })
  const next = followed.next()
  await clock.pass(10_000)
  assert.equal((await next).value?.seq, 6)
  assert.equal(asked.filter(({ path }) => path.startsWith('/events/stream')).length, 3)
  await followed.return?.()
})

test('a page of something else in the midst of following is outlasted', async () => {
  let isOther = false
  let seq = 5
  const { client, clock } = answering(({ path }) => {
    if (path.startsWith('/events/stream')) return noStream()
    if (isOther) return new Response('<h1>Back soon</h1>', { headers: { 'content-type': 'text/html' } })
    return pageOf([event(seq)])
  })
  const followed = client.events.follow({ after: 4 })
  assert.equal((await followed.next()).value?.seq, 5)
  isOther = true
  const next = followed.next()
  await clock.pass(60_000)
  isOther = false
  seq = 6
  await clock.pass(60_000)
  assert.equal((await next).value?.seq, 6)
  await followed.return?.()
})
