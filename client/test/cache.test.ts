import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile } from '@chancery/contract'
import { knownFamilies } from '../src/cache.ts'
import type { ChanceryEvent } from '../src/index.ts'
import { bodyOf, fakeServer, pageOf } from './support/fake-server.ts'

const paths = (requests: { path: string }[]) => requests.map(({ path }) => path)

const event = (type: string, more: object = {}) =>
  ({
    id: 'evt_7',
    seq: 7,
    type,
    occurred_at: '2026-05-20T10:00:00Z',
    summary: '.',
    nation_ids: [],
    alliance_ids: [],
    war_id: null,
    conflict_id: null,
    data: {},
    ...more,
  }) as unknown as ChanceryEvent

test('a public response is cached for 60 seconds, then revalidated with its ETag, and a 304 makes it fresh again', async () => {
  let version = 1
  const { client, clock, requests } = fakeServer(({ headers }) => {
    const tag = `"${version}"`
    if (headers.get('if-none-match') === tag)
      return new Response(null, { status: 304, headers: { etag: tag } })
    return bodyOf({ id: 'n1', version }, { etag: tag })
  })
  const read = async () => ((await client.nations.get('n1')) as unknown as { version: number }).version
  assert.deepEqual([await read(), await read()], [1, 1])
  await clock.advance(59_999)
  assert.equal(await read(), 1)
  assert.equal(requests.length, 1)
  await clock.advance(1)
  assert.equal(await read(), 1)
  assert.equal(requests.at(-1)?.headers.get('if-none-match'), '"1"')
  await clock.advance(59_999)
  assert.equal(await read(), 1)
  assert.equal(requests.length, 2)
  version = 2
  await clock.advance(1)
  assert.deepEqual([await read(), await read()], [2, 2])
  assert.equal(requests.length, 3)
})

test('equal requests share a cache entry in any order of their parameters', async () => {
  const { client, requests } = fakeServer(() => pageOf([]))
  await client.wars.list({ status: 'active', nation_id: ['n1', 'n2'] })
  await client.wars.list({ nation_id: ['n1', 'n2'], status: 'active', page: undefined })
  assert.deepEqual(paths(requests), ['/wars?nation_id=n1%2Cn2&status=active'])
  await client.wars.list({ status: 'ended', nation_id: ['n1', 'n2'] })
  assert.equal(requests.length, 2)
})

test('concurrent equal requests are sent once, and each caller gets its own body', async () => {
  const { client, requests } = fakeServer(() => bodyOf({ id: 'n1', nation_name: 'Valdoria' }))
  const [one, other] = await Promise.all([client.nations.get('n1'), client.nations.get('n1')])
  assert.equal(requests.length, 1)
  one.nation_name = 'changed'
  assert.equal(other.nation_name, 'Valdoria')
  assert.equal((await client.nations.get('n1')).nation_name, 'Valdoria')
})

test('an aborted waiter does not abort the shared request; the last one does', async () => {
  const waiting: (() => void)[] = []
  const { client, requests, clock } = fakeServer(
    () => new Promise(resolve => waiting.push(() => resolve(bodyOf({ id: 'n1' })))),
  )
  const controllers = [new AbortController(), new AbortController()]
  const [one, other] = controllers.map(({ signal }) => client.nations.get('n1', { signal }))
  await clock.flush()
  controllers[0]?.abort(new Error('enough'))
  await assert.rejects(one ?? Promise.resolve(), /enough/)
  assert.equal(requests[0]?.signal.aborted, false)
  waiting[0]?.()
  assert.equal((await other)?.id, 'n1')

  const alone = new AbortController()
  const left = client.nations.get('n2', { signal: alone.signal })
  await clock.flush()
  alone.abort(new Error('enough'))
  await assert.rejects(left, /enough/)
  await clock.flush()
  assert.equal(requests[1]?.signal.aborted, true)
  // The next one does not join what was given up.
  const next = client.nations.get('n2')
  await clock.flush()
  waiting[2]?.()
  assert.equal((await next).id, 'n1')
})

test('an aborted request is not joined, however slowly it ends', async () => {
  let calls = 0
  const { client, clock } = fakeServer(() => bodyOf({}), {
    fetch: async () => {
      calls += 1
      return calls === 1 ? new Promise<never>(() => {}) : bodyOf({ id: 'n1' })
    },
  })
  const controller = new AbortController()
  const left = client.nations.get('n1', { signal: controller.signal })
  await clock.flush()
  controller.abort(new Error('enough'))
  await assert.rejects(left, /enough/)
  assert.equal((await client.nations.get('n1')).id, 'n1')
})

test('a failure is not cached', async () => {
  let isAway = true
  const { client, requests } = fakeServer(() =>
    isAway
      ? new Response('{"error":{"code":"not_found","message":"No.","request_id":"r"}}', { status: 404 })
      : bodyOf({ id: 'n1' }),
  )
  await assert.rejects(client.nations.get('n1'), { code: 'not_found' })
  isAway = false
  assert.equal((await client.nations.get('n1')).id, 'n1')
  assert.equal(requests.length, 2)
})

test('private responses and no-store responses are never cached', async () => {
  const { client, requests } = fakeServer(({ path }) =>
    bodyOf({ id: 'x' }, { etag: '"1"', ...(path === '/game' ? { 'cache-control': 'no-store' } : {}) }),
  )
  const calls = [
    () => client.me.nation(),
    () => client.me.key(),
    () => client.alliances.get('a1', { include: ['treasury'] }),
    () => client.discord.verify('K7PWM3XQ9T'),
    () => client.game.get(),
  ]
  for (const call of calls) {
    await call()
    await call()
  }
  assert.equal(requests.length, 2 * calls.length)
  assert.ok(requests.every(({ headers }) => !headers.has('if-none-match')))
})

test('the list of events is revalidated each time', async () => {
  const { client, requests } = fakeServer(({ headers }) =>
    headers.has('if-none-match')
      ? new Response(null, { status: 304 })
      : pageOf([{ id: 'evt_1' }], { etag: '"1"' }),
  )
  for (let count = 0; count < 3; count += 1) assert.equal((await client.events.list()).data.length, 1)
  assert.deepEqual(
    requests.map(({ headers }) => headers.get('if-none-match')),
    [null, '"1"', '"1"'],
  )
})

test('the cache is bounded and evicts the least recently used entries first', async () => {
  const { client, requests } = fakeServer(() => bodyOf({ id: 'x' }), { cacheEntriesMax: 2 })
  for (const id of ['n1', 'n2', 'n1', 'n3', 'n1', 'n2']) await client.nations.get(id)
  assert.deepEqual(paths(requests), ['/nations/n1', '/nations/n2', '/nations/n3', '/nations/n2'])
  const large = fakeServer(() => bodyOf({ text: 'x'.repeat(6_000_000) }))
  for (const id of ['n1', 'n2', 'n3', 'n3', 'n1']) await large.client.nations.get(id)
  assert.equal(large.requests.length, 4)
})

test('the time of freshness can be set, also to zero', async () => {
  const brief = fakeServer(() => bodyOf({ id: 'n1' }), { cacheSeconds: 5 })
  await brief.client.nations.get('n1')
  await brief.clock.advance(5_000)
  await brief.client.nations.get('n1')
  assert.equal(brief.requests.length, 2)
  const never = fakeServer(() => bodyOf({ id: 'n1' }), { cacheSeconds: 0 })
  await never.client.nations.get('n1')
  await never.client.nations.get('n1')
  assert.equal(never.requests.length, 2)
})

/** Reads about one war, and about others. */
function worldOfWars() {
  return fakeServer(({ path }) => {
    if (path === '/wars/w1') return bodyOf({ id: 'w1', attacker: { nation_id: 'n1' } })
    if (path === '/wars/w2') return bodyOf({ id: 'w2', attacker: { nation_id: 'n3' } })
    if (path === '/wars/w1/battles') return pageOf([{ id: 'b1' }])
    if (path === '/battles') return pageOf([{ id: 'b1' }])
    if (path.startsWith('/wars')) return pageOf([{ id: 'w1' }])
    if (path === '/nations') return pageOf([{ id: 'n1' }, { id: 'n2' }])
    if (path.startsWith('/nations?alliance_id')) return pageOf([])
    if (path === '/alliances/a1/members') return pageOf([{ nation_id: 'n2' }])
    return bodyOf({ id: path.split('/').at(-1) })
  })
}

test('an event invalidates the responses that contain its ids and the lists that it changes, and nothing else', async () => {
  const { client, requests } = worldOfWars()
  const readAll = async () => {
    requests.length = 0
    await client.wars.get('w1')
    await client.wars.get('w2')
    await client.wars.battles('w1')
    await client.wars.list({ status: 'active' })
    await client.battles.list()
    await client.nations.get('n1')
    await client.nations.get('n2')
    await client.nations.list()
    await client.nations.list({ alliance_id: ['a7', 'a8'] })
    await client.alliances.members('a1')
    await client.game.get()
    return paths(requests).sort()
  }
  await readAll()
  assert.deepEqual(await readAll(), [])

  client.invalidate(
    event('war.declared', { nation_ids: ['n1'], war_id: 'w9', data: { war: { war_id: 'w9' } } }),
  )
  assert.deepEqual(await readAll(), ['/nations', '/nations/n1', '/wars/w1', '/wars?status=active'])
  client.invalidate(event('battle.fought', { war_id: 'w1', data: { battle_id: 'b2' } }))
  assert.deepEqual(await readAll(), ['/battles', '/wars/w1', '/wars/w1/battles', '/wars?status=active'])
  client.invalidate(event('alliance.member_joined', { nation_ids: ['n5'], alliance_ids: ['a1'] }))
  assert.deepEqual(await readAll(), ['/alliances/a1/members'])
  client.invalidate(event('alliance.member_joined', { nation_ids: ['n5'], alliance_ids: ['a8'] }))
  assert.deepEqual(await readAll(), ['/nations?alliance_id=a7%2Ca8'])
  client.invalidate(event('nation.founded', { nation_ids: ['n6'] }))
  assert.deepEqual(await readAll(), ['/nations', '/nations?alliance_id=a7%2Ca8'])
  for (const type of ['era.ended', 'record.redacted', 'unheard.of', 'constructor.x']) {
    client.invalidate(event(type))
    assert.equal((await readAll()).length, 11, type)
  }
})

test('a response in flight when an event arrives is not served to later requests', async () => {
  const waiting: ((response: Response) => void)[] = []
  const { client, clock } = fakeServer(() => new Promise(resolve => waiting.push(resolve)))
  const before = client.wars.get('w1')
  await clock.flush()
  client.invalidate(event('war.ended', { war_id: 'w1' }))
  const after = client.wars.get('w1')
  await clock.flush()
  assert.equal(waiting.length, 2)
  waiting[1]?.(bodyOf({ id: 'w1', status: 'ended' }))
  assert.equal((await after).status, 'ended')
  // The late one must not take its place.
  waiting[0]?.(bodyOf({ id: 'w1', status: 'active' }))
  assert.equal((await before).status, 'active')
  const later = client.wars.get('w1')
  await clock.flush()
  waiting[2]?.(bodyOf({ id: 'w1', status: 'ended' }))
  assert.equal((await later).status, 'ended')
})

test('every event family has its affected lists in the client', () => {
  const families = Object.keys(contractFor(demoProfile).eventKinds).map(type => type.split('.')[0] ?? '')
  assert.deepEqual(
    families.filter(family => !knownFamilies.has(family)),
    [],
  )
})
