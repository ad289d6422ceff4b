import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { asksOf } from '../src/asks.ts'
import type { Contestant } from '../src/contestants/contestant.ts'
import type { Answer } from '../src/exchange.ts'
import { versionOf } from '../src/installed.ts'
import { verify } from '../src/verify.ts'
import type { Work } from '../src/work.ts'
import { runWrk } from '../src/wrk.ts'

const skip = versionOf('wrk', '-v') === undefined && 'wrk is not installed'

async function withServer(
  answer: (path: string, res: ServerResponse) => void,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const server: Server = createServer((req, res) => answer(req.url ?? '', res)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const load = (url: string, paths: string[]) =>
  runWrk({ url, asks: paths.map(path => ({ path })), connections: 2, seconds: 1 })

test('a load in which a call is refused fails, whichever it is', { skip }, async () => {
  const refusing = (path: string, res: ServerResponse) => res.writeHead(path === '/b' ? 429 : 200).end('{}')
  await withServer(refusing, url => assert.rejects(load(url, ['/a', '/b', '/a']), /were refused/))
})

test('a load asks for what it was told to, one thing or many', { skip }, async () => {
  for (const paths of [['/only'], ['/one', '/two']]) {
    const asked = new Set<string>()
    const noting = (path: string, res: ServerResponse) => {
      asked.add(path)
      res.end('{}')
    }
    await withServer(noting, async url => {
      const { requests, refused } = await load(url, paths)
      assert.ok(requests > 0)
      assert.equal(refused, 0)
    })
    assert.deepEqual([...asked].sort(), paths)
  }
})

test('whoever answers otherwise than Chancery is not measured', async () => {
  const work: Work = {
    id: 'hot-list',
    title: 'A page',
    contestants: ['plain'],
    asks: [{ path: '/' }],
    isPersonal: false,
    isMoving: false,
    status: 200,
  }
  const reference = async (): Promise<Answer> => ({
    status: 200,
    headers: [],
    body: Buffer.from('{"data":[]}'),
  })
  const measured = (body: string) =>
    withServer(
      (_path, res) => res.end(body),
      url => {
        const contestant: Contestant = {
          id: 'plain',
          title: 'Plain',
          url,
          pid: 0,
          close: async () => undefined,
        }
        return verify(work, { contestant, asks: work.asks }, reference)
      },
    )
  await measured('{"data":[]}')
  await assert.rejects(measured('{"data":[1]}'), /another body/)
})

test('what is somebody’s own is asked with the key of its owner, and all else with each key', async () => {
  const work = { asks: [{ path: '/a' }, { path: '/b' }] } as Work
  const contestant = { id: 'chancery-keys' } as Contestant
  const asked = async (isPersonal: boolean) =>
    (await asksOf({ ...work, isPersonal }, contestant, { keys: ['one', 'other'] })).map(
      ({ path, headers }) => `${path} ${headers?.authorization}`,
    )
  assert.deepEqual(await asked(true), ['/a Bearer one', '/b Bearer other'])
  assert.deepEqual(await asked(false), [
    '/a Bearer one',
    '/a Bearer other',
    '/b Bearer one',
    '/b Bearer other',
  ])
})
