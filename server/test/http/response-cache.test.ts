import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { bases, contractFor, demoProfile, operations } from '@chancery/contract'
import Fastify from 'fastify'
import { anonymous } from '../../src/access/key.ts'
import { createDisclosure } from '../../src/disclosure/disclosure.ts'
import { createDefineOperation } from '../../src/http/define-operation.ts'
import { sendCacheable } from '../../src/http/respond.ts'
import { createResponseCache } from '../../src/http/response-cache.ts'

const contract = contractFor(demoProfile)

/** A front with the list of nations, of whom there are none. `asked` holds what the handler was asked for. */
function openFront() {
  const world = { version: 1 }
  const asked: unknown[] = []
  const app = Fastify()
  app.addHook('onRequest', async req => {
    req.viewer = anonymous
  })
  const define = createDefineOperation({
    app,
    contract,
    disclose: createDisclosure(contract),
    pulse: {
      current: () => ({
        seq: 0,
        firstSeq: 0,
        worldVersion: world.version,
        accessVersion: 0,
        worldChangedAt: null,
        redactionVersion: 0,
      }),
    },
  })
  define(operations.nationsList, async ({ values }) => {
    asked.push(values)
    return { items: [], total: 0, resource: 'nation' }
  })
  const ask = async (query: string, base: string = bases.canonical) => {
    const { statusCode, body } = await app.inject(`${base}/nations${query}`)
    assert.equal(statusCode, 200, body)
    return body
  }
  return { ask, asked, world }
}

test('a repeated request is computed once, whatever unknown parameters it has and in whichever order it is written', async () => {
  const { ask, asked } = openFront()
  const plain = await ask('?limit=2&status=active')
  await ask('?status=active&limit=2')
  const others = Array.from({ length: 50 }, (_, index) => `?limit=2&status=active&x${index}=${index}`)
  for (const query of [
    ...others,
    '?status=active&limit=2',
    '?limit=2&status=active&',
    '?limit=%32&status=active&page=1',
    '?limit=02&status=active&search=',
  ])
    assert.equal(await ask(query), plain, query)
  assert.equal(await ask('?status=active&limit=2', bases.mirror), plain)
  assert.equal(asked.length, 2)
})

test('all spellings of a list are one question', async () => {
  const { ask, asked } = openFront()
  const plain = await ask('?ids=n1,n2&alliance_id=a1')
  for (const query of [
    '?ids[]=n2&ids[]=n1&alliance_id=a1',
    '?alliance_id[]=a1&ids=n1&ids=n2',
    '?ids=n1,%20n2,n1&alliance_id=+a1',
    '?ids%5B0%5D=n1&ids%5B1%5D=n2&alliance_id=a1',
  ])
    assert.equal(await ask(query), plain, query)
  assert.equal(asked.length, 2)
})

test('other requests, and those of another world version, are computed', async () => {
  const { ask, asked, world } = openFront()
  for (const query of ['', '?limit=2', '?limit=3', '?limit=3&search=a', '?limit=3&search=A', '?ids='])
    await ask(query)
  assert.equal(asked.length, 6)
  for (let times = 0; times < 3; times += 1) await ask('?limit=3')
  assert.equal(asked.length, 7)
  world.version = 2
  await ask('?limit=3')
  await ask('?limit=3')
  assert.equal(asked.length, 8)
})

test('what was requested once in a world version is not cached, and what was requested more often is cached from the first request of the next', async () => {
  const { ask, asked, world } = openFront()
  const timesAsked = async (query: string) => {
    const before = asked.length
    await ask(query)
    return asked.length - before
  }
  assert.deepEqual([await timesAsked(''), await timesAsked(''), await timesAsked('')], [1, 1, 0])
  assert.equal(await timesAsked('?page=2'), 1)
  for (const version of [2, 3]) {
    world.version = version
    assert.deepEqual([await timesAsked(''), await timesAsked('')], [1, 0])
    assert.equal(await timesAsked('?page=2'), 1)
  }
  world.version = 4
  await timesAsked('')
  world.version = 5
  assert.deepEqual([await timesAsked(''), await timesAsked(''), await timesAsked('')], [1, 1, 0])
})

test('equal requests in flight wait for one computation', async () => {
  const { ask, asked } = openFront()
  await Promise.all(Array.from({ length: 10 }, () => ask('')))
  assert.equal(asked.length, 1)
})

test('a failed computation fails all requests that wait for it, and the next request computes again', async () => {
  const answers = createResponseCache()
  const question = { url: '/nations', key: 'nations.list {}' }
  const failing = Promise.withResolvers<string>()
  const waiting = [1, 2, 3].map(() => answers.getOrCompute(question, 1, () => failing.promise))
  failing.reject(new Error('away'))
  for (const each of await Promise.allSettled(waiting)) assert.equal(each.status, 'rejected')
  for (const text of ['"one"', '"two"'])
    assert.equal(String((await answers.getOrCompute(question, 1, async () => text)).bytes), '"one"')
  assert.equal(String(answers.get('/nations', 1)?.bytes), '"one"')
})

test('a body that is computed after the world version has changed is not sent to later requests', async () => {
  const answers = createResponseCache()
  const question = { url: '/nations', key: 'nations.list {}' }
  const slow = Promise.withResolvers<string>()
  const ask = (version: number, make: () => Promise<string>) => answers.getOrCompute(question, version, make)
  const before = [ask(1, () => slow.promise), ask(1, () => slow.promise)]
  const turn = new Promise<undefined>(resolve => setImmediate(() => resolve(undefined)))
  const afterwards = await Promise.race([ask(2, async () => '"new"'), turn])
  assert.equal(String(afterwards?.bytes), '"new"')
  slow.resolve('"old"')
  for (const { bytes } of await Promise.all(before)) assert.equal(String(bytes), '"old"')
  assert.equal(String((await ask(2, async () => '"new"')).bytes), '"new"')
  assert.notEqual(String(answers.get('/nations', 2)?.bytes), '"old"')
})

test('cached bodies are evicted with their world version', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const answers = createResponseCache()
  const ask = (version: number) =>
    answers.getOrCompute({ url: '/nations', key: 'nations.list {}' }, version, async () => '"all"')
  await ask(1)
  const remembered = new WeakRef(await ask(1))
  assert.equal(answers.get('/nations', 1), remembered.deref())
  await answers.getOrCompute({ url: '/wars', key: 'wars.list {}' }, 2, async () => '"none"')
  await new Promise(resolve => setImmediate(resolve))
  collect()
  assert.equal(remembered.deref(), undefined)
})

test('a cached body retains the memory of its own bytes only, compressed or not', async () => {
  const answers = createResponseCache()
  const make = async () => JSON.stringify({ data: 'text '.repeat(300) })
  const ask = (id: string) => answers.getOrCompute({ url: id, key: id }, 1, make)
  const app = Fastify()
  app.get<{ Params: { id: string } }>('/:id', async (req, reply) =>
    sendCacheable(req, reply, await ask(req.params.id), 'public'),
  )
  for (const id of ['a', 'b', 'a', 'b']) {
    const { headers } = await app.inject({ url: `/${id}`, headers: { 'accept-encoding': 'gzip' } })
    assert.equal(headers['content-encoding'], 'gzip')
  }
  for (const id of ['a', 'b']) {
    const { bytes, compressed } = await ask(id)
    assert.equal(bytes.buffer.byteLength, bytes.length)
    assert.ok(Buffer.isBuffer(compressed))
    assert.equal(compressed.buffer.byteLength, compressed.length)
  }
})
