import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { bases, contractFor, demoProfile, operations } from '@chancery/contract'
import Fastify from 'fastify'
import { anonymous } from '../../src/access/key.ts'
import { createDisclosure } from '../../src/disclosure/disclosure.ts'
import { createDefineOperation } from '../../src/http/define-operation.ts'
import { createResponseCache, sendCacheable } from '../../src/http/response-cache.ts'

const contract = contractFor(demoProfile)

/** The operation nations.list of an empty world. `handled` has the parameters of each call of the handler. */
function openApi() {
  const world = { version: 1 }
  const handled: unknown[] = []
  const app = Fastify()
  app.addHook('onRequest', async req => {
    req.viewer = anonymous
  })
  const define = createDefineOperation({
    app,
    contract,
    disclose: createDisclosure(contract),
    horizon: { version: () => undefined },
    reads: {
      choose: () => ({ server: 0, version: world.version }),
      run: (server, read) => read(server),
    },
  })
  define(operations.nationsList, async ({ values }) => {
    handled.push(values)
    return { items: [], total: 0, resource: 'nation' }
  })
  const request = async (query: string, base: string = bases.canonical) => {
    const { statusCode, body } = await app.inject(`${base}/nations${query}`)
    assert.equal(statusCode, 200, body)
    return body
  }
  return { request, handled, world }
}

test('a repeated request is computed once, whatever unknown parameters it has and in whichever order it is written', async () => {
  const { request, handled } = openApi()
  const plain = await request('?limit=2&status=active')
  await request('?status=active&limit=2')
  const others = Array.from({ length: 50 }, (_, index) => `?limit=2&status=active&x${index}=${index}`)
  for (const query of [
    ...others,
    '?status=active&limit=2',
    '?limit=2&status=active&',
    '?limit=%32&status=active&page=1',
    '?limit=02&status=active&search=',
  ])
    assert.equal(await request(query), plain, query)
  assert.equal(await request('?status=active&limit=2', bases.mirror), plain)
  assert.equal(handled.length, 2)
})

test('all spellings of a list have one cache key', async () => {
  const { request, handled } = openApi()
  const plain = await request('?ids=n1,n2&alliance_id=a1')
  for (const query of [
    '?ids[]=n2&ids[]=n1&alliance_id=a1',
    '?alliance_id[]=a1&ids=n1&ids=n2',
    '?ids=n1,%20n2,n1&alliance_id=+a1',
    '?ids%5B0%5D=n1&ids%5B1%5D=n2&alliance_id=a1',
  ])
    assert.equal(await request(query), plain, query)
  assert.equal(handled.length, 2)
})

test('other requests, and those of another world version, are computed', async () => {
  const { request, handled, world } = openApi()
  for (const query of ['', '?limit=2', '?limit=3', '?limit=3&search=a', '?limit=3&search=A', '?ids='])
    await request(query)
  assert.equal(handled.length, 6)
  for (let times = 0; times < 3; times += 1) await request('?limit=3')
  assert.equal(handled.length, 7)
  world.version = 2
  await request('?limit=3')
  await request('?limit=3')
  assert.equal(handled.length, 8)
})

test('what was requested once in a world version is not cached, and what was requested more often is cached from the first request of the next', async () => {
  const { request, handled, world } = openApi()
  const timesHandled = async (query: string) => {
    const before = handled.length
    await request(query)
    return handled.length - before
  }
  assert.deepEqual([await timesHandled(''), await timesHandled(''), await timesHandled('')], [1, 1, 0])
  assert.equal(await timesHandled('?page=2'), 1)
  for (const version of [2, 3]) {
    world.version = version
    assert.deepEqual([await timesHandled(''), await timesHandled('')], [1, 0])
    assert.equal(await timesHandled('?page=2'), 1)
  }
  // One version without a second request does not evict it, two do.
  world.version = 4
  await timesHandled('')
  world.version = 5
  assert.deepEqual([await timesHandled(''), await timesHandled('')], [1, 0])
  for (const version of [6, 7]) {
    world.version = version
    await timesHandled('')
  }
  world.version = 8
  await timesHandled('?page=3')
  assert.deepEqual([await timesHandled(''), await timesHandled('')], [1, 1])
})

test('late in a version, as long as the longest of the last four lasted, a body is cached on its third request', async () => {
  let now = 0
  const responses = createResponseCache(undefined, () => now)
  let computed = 0
  const request = async (key: string, version: number) => {
    const before = computed
    await responses.getOrCompute({ url: key, key }, version, async () => {
      computed += 1
      return '"body"'
    })
    return computed > before
  }
  const begin = async (version: number, at: number) => {
    now = at
    await request('any', version)
  }
  const isComputed = async (key: string, version: number, times: number) => {
    const all: boolean[] = []
    for (let time = 0; time < times; time += 1) all.push(await request(key, version))
    return all
  }
  await begin(1, 0)
  now = 10_000
  assert.deepEqual(await isComputed('in the first version', 1, 3), [true, true, false])
  for (const [version, at] of [
    [2, 20_000],
    [3, 21_000],
    [4, 21_050],
    [5, 22_000],
    [6, 22_050],
  ] as const)
    await begin(version, at)
  now = 22_500
  assert.deepEqual(await isComputed('early', 6, 3), [true, true, false])
  now = 22_600
  assert.deepEqual(await isComputed('late', 6, 4), [true, true, true, false])
})

test('equal requests in flight wait for one computation', async () => {
  const { request, handled } = openApi()
  await Promise.all(Array.from({ length: 10 }, () => request('')))
  assert.equal(handled.length, 1)
})

test('a computation in flight is shared for as long as it takes, however many others begin meanwhile', async () => {
  const responses = createResponseCache()
  const slow = Promise.withResolvers<string>()
  const request = (key: string, compute: () => Promise<string>) =>
    responses.getOrCompute({ url: key, key }, 1, compute)
  const first = request('slow', () => slow.promise)
  for (let number = 0; number < 2_500; number += 1) await request(`quick ${number}`, async () => '"quick"')
  const second = request('slow', async () => '"again"')
  slow.resolve('"slow"')
  for (const { bytes } of await Promise.all([first, second])) assert.equal(String(bytes), '"slow"')
})

test('a failed computation fails all requests that wait for it, and the next request computes again', async () => {
  const responses = createResponseCache()
  const cacheKey = { url: '/nations', key: 'nations.list {}' }
  const failing = Promise.withResolvers<string>()
  const waiting = [1, 2, 3].map(() => responses.getOrCompute(cacheKey, 1, () => failing.promise))
  failing.reject(new Error('away'))
  for (const each of await Promise.allSettled(waiting)) assert.equal(each.status, 'rejected')
  for (const text of ['"one"', '"two"'])
    assert.equal(String((await responses.getOrCompute(cacheKey, 1, async () => text)).bytes), '"one"')
  assert.equal(String(responses.get('/nations', 1)?.bytes), '"one"')
})

test('a body that is computed after the world version has changed is not sent to later requests', async () => {
  const responses = createResponseCache()
  const cacheKey = { url: '/nations', key: 'nations.list {}' }
  const slow = Promise.withResolvers<string>()
  const request = (version: number, make: () => Promise<string>) =>
    responses.getOrCompute(cacheKey, version, make)
  const before = [request(1, () => slow.promise), request(1, () => slow.promise)]
  const turn = new Promise<undefined>(resolve => setImmediate(() => resolve(undefined)))
  const afterwards = await Promise.race([request(2, async () => '"new"'), turn])
  assert.equal(String(afterwards?.bytes), '"new"')
  slow.resolve('"old"')
  for (const { bytes } of await Promise.all(before)) assert.equal(String(bytes), '"old"')
  assert.equal(String((await request(2, async () => '"new"')).bytes), '"new"')
  assert.notEqual(String(responses.get('/nations', 2)?.bytes), '"old"')
})

test('a body of more than an eighth of the cache is not stored, and evicts no other', async () => {
  const responses = createResponseCache(16_000)
  const request = (name: string, body: string) =>
    responses.getOrCompute({ url: `/${name}`, key: name }, 1, async () => body)
  for (const _ of [1, 2]) {
    await request('small', '"small"')
    await request('large', `"${'x'.repeat(2_000)}"`)
  }
  assert.equal(responses.get('/large', 1), undefined)
  assert.equal(String(responses.get('/small', 1)?.bytes), '"small"')
})

test('cached bodies are evicted with their world version', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const responses = createResponseCache()
  const request = (version: number) =>
    responses.getOrCompute({ url: '/nations', key: 'nations.list {}' }, version, async () => '"all"')
  await request(1)
  const cached = new WeakRef(await request(1))
  assert.equal(responses.get('/nations', 1), cached.deref())
  await responses.getOrCompute({ url: '/wars', key: 'wars.list {}' }, 2, async () => '"none"')
  await new Promise(resolve => setImmediate(resolve))
  collect()
  assert.equal(cached.deref(), undefined)
})

test('a cached body retains the memory of its own bytes only, compressed or not', async () => {
  const responses = createResponseCache()
  const make = async () => JSON.stringify({ data: 'text '.repeat(300) })
  const request = (id: string) => responses.getOrCompute({ url: id, key: id }, 1, make)
  const app = Fastify()
  app.get<{ Params: { id: string } }>('/:id', async (req, reply) =>
    sendCacheable(req, reply, await request(req.params.id), 'public'),
  )
  for (const id of ['a', 'b', 'a', 'b']) {
    const { headers } = await app.inject({ url: `/${id}`, headers: { 'accept-encoding': 'gzip' } })
    assert.equal(headers['content-encoding'], 'gzip')
  }
  for (const id of ['a', 'b']) {
    const { bytes, compressed } = await request(id)
    assert.equal(bytes.buffer.byteLength, bytes.length)
    assert.ok(Buffer.isBuffer(compressed))
    assert.equal(compressed.buffer.byteLength, compressed.length)
  }
})
