import assert from 'node:assert/strict'
import { once } from 'node:events'
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { verifyTarget } from '../src/http/http.ts'
import { requestsFor } from '../src/http/targets.ts'
import { runWrk } from '../src/load.ts'
import { versionOf } from '../src/machine.ts'
import { trendOf } from '../src/memory.ts'
import { partOf, sharesOfBusyTime } from '../src/overhead.ts'
import { evaluateGoals } from '../src/report/goals.ts'
import { fromRoot, pageWith } from '../src/report/page.ts'
import { type HttpResults, type Results, ratioOf, type WorkloadResult } from '../src/report/results.ts'

const skip = versionOf('wrk', '-v') === undefined && 'wrk is not installed'

async function withServer(
  respond: (path: string, res: ServerResponse) => void,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer((req, res) => respond(req.url ?? '', res)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const load = (url: string, paths: string[]) =>
  runWrk({ url, requests: paths.map(path => ({ path })), connections: 2, seconds: 1 })

test('a load fails if any response has an error status', { skip }, async () => {
  const respond = (path: string, res: ServerResponse) => res.writeHead(path === '/b' ? 429 : 200).end('{}')
  await withServer(respond, url => assert.rejects(load(url, ['/a', '/b', '/a']), /had an error status/))
})

test('a load sends the requests that it is given, one or many', { skip }, async () => {
  for (const paths of [['/only'], ['/one', '/two']]) {
    const received = new Set<string>()
    const respond = (path: string, res: ServerResponse) => {
      received.add(path)
      res.end('{}')
    }
    await withServer(respond, async url => {
      const { requests, errors } = await load(url, paths)
      assert.ok(requests > 0)
      assert.equal(errors, 0)
    })
    assert.deepEqual([...received].sort(), paths)
  }
})

test('a target with another response than Chancery is not measured', async () => {
  const reference = async () => ({ status: 200, headers: [], body: Buffer.from('{"data":[]}') })
  const verified = (body: string) =>
    withServer(
      (_path, res) => res.end(body),
      url => {
        const target = { id: 'plain', title: 'Plain', url, pid: 0 } as const
        return verifyTarget('A page', { target, requests: [{ path: '/' }] }, reference)
      },
    )
  await verified('{"data":[]}')
  await assert.rejects(verified('{"data":[1]}'), /different body/)
})

test('private requests carry the key of their player, others every key', async () => {
  const requests = [{ path: '/a' }, { path: '/b' }]
  const target = { id: 'chancery-keys', url: '' } as const
  const sent = async (isPrivate: boolean) =>
    (await requestsFor({ requests, isPrivate }, target, ['one', 'other'])).map(
      ({ path, headers }) => `${path} ${headers?.authorization}`,
    )
  assert.deepEqual(await sent(true), ['/a Bearer one', '/b Bearer other'])
  const all = ['/a Bearer one', '/a Bearer other', '/b Bearer one', '/b Bearer other']
  assert.deepEqual(await sent(false), all)
})

/** The trend of a sample every minute for half an hour. */
const trend = (valueAt: (minute: number) => number) =>
  trendOf(Array.from({ length: 30 }, (_, minute) => valueAt(minute)))

test('a value that is constant after a warm-up does not grow', () => {
  const expected = { max: 130, early: 130, late: 130 }
  assert.deepEqual(
    trend(minute => (minute < 6 ? 100 + minute : 130)),
    expected,
  )
})

test('steady growth is measured despite noise', () => {
  const { early, late } = trend(minute => 100 + minute + (minute % 2 ? 0.5 : -0.5))
  // Three of five fifths of half an hour lie between.
  assert.ok(Math.abs(late - early - 18) < 1, `${late - early}`)
})

test('one minute has no growth', () => {
  assert.deepEqual(trendOf([5]), { max: 5, early: 5, late: 5 })
})

test('a profile charges a part with what it calls, but not with what runs behind a hook', async t => {
  const directory = await mkdtemp(join(tmpdir(), 'chancery-bench-'))
  t.after(() => rm(directory, { recursive: true }))
  /** root -> keys -> { native, Fastify's hooks -> response }, and idle. */
  const frames = [
    { id: 1, name: '(root)', url: '', children: [2, 6] },
    { id: 2, name: 'admit', url: '/server/src/access/keys.ts', children: [3, 4] },
    { id: 3, name: 'hash', url: '' },
    { id: 4, name: 'next', url: '/fastify/lib/hooks.js', children: [5] },
    { id: 5, name: 'respond', url: '/server/src/http/response-cache.ts' },
    { id: 6, name: '(idle)', url: '' },
  ]
  const profile = {
    startTime: 1_000,
    nodes: frames.map(({ id, name, url, children }) => ({
      id,
      callFrame: { functionName: name, url },
      children,
    })),
    // 1,000 of startup, then 10 of keys, 30 of what they call, 20 of Fastify, 40 of the response, 500 idle.
    samples: [5, 2, 3, 4, 5, 6],
    timeDeltas: [1_000, 10, 30, 20, 40, 500],
  }
  await writeFile(join(directory, 'a.cpuprofile'), JSON.stringify(profile))
  const shares = await sharesOfBusyTime(directory, 2_001, partOf)
  assert.deepEqual(Object.fromEntries(shares), { keys: 0.4, Fastify: 0.2, response: 0.4 })
})

test('every part of the overhead names source files of the server', async () => {
  const parts = new Set<string | undefined>()
  for await (const file of glob('server/src/**/*.ts', { cwd: fromRoot('.') })) parts.add(partOf(`/${file}`))
  assert.deepEqual([...parts].sort(), [
    'admission and rate headers',
    'keys',
    'limits',
    'request id',
    'request log and metrics',
    'response',
  ])
})

/** Results of one workload, with the rates of each target by round. */
const resultsOf = (rates: Record<string, number[]>): { http: HttpResults } => {
  const targets = Object.entries(rates).map(([id, perSecond]) => ({
    ...{ id, title: id, perSecond, serverUs: perSecond.map(rate => 1e6 / rate) },
    ...{ p50Ms: [1], p99Ms: [2], databaseUs: [0], busy: [1] },
  })) as WorkloadResult['targets']
  const machine = { model: 'a', cpus: 2, memoryBytes: 1e9, cores: null, loadBefore: 0 }
  return {
    http: {
      ...{
        measuredOn: '2026-01-01',
        command: 'npm run bench -- http',
        rounds: 3,
        seconds: 1,
        connections: 1,
      },
      machine: { ...machine, versions: {} as HttpResults['machine']['versions'] },
      world: { nations: 1, wars: 1, events: 1 },
      leftOut: [],
      workloads: [{ id: 'cached-page', title: 'A page', targets }],
    },
  }
}

test('a round in which the machine is slow for all targets changes no ratio', () => {
  for (const rates of [
    { node: [1000, 1000, 1000], chancery: [700, 700, 700] },
    { node: [1000, 100, 300], chancery: [700, 70, 210] },
  ]) {
    const [workload] = resultsOf(rates).http.workloads
    const ratio = workload && ratioOf(workload, 'chancery', 'node')
    assert.equal(ratio?.rate.toFixed(3), '0.700')
    assert.equal(ratio?.cpu?.toFixed(3), (1 / 0.7).toFixed(3))
  }
})

test('the tail is compared within each round as well', () => {
  const results = resultsOf({ fastify: [1, 1, 1], chancery: [1, 1, 1] })
  const [fastify, chancery] = results.http.workloads[0]?.targets ?? []
  assert.ok(fastify && chancery)
  fastify.p99Ms = [2, 20, 4]
  chancery.p99Ms = [3, 40, 5]
  const goals = evaluateGoals(results).map(({ goal, measured, isMet }) => `${goal} = ${measured} ${isMet}`)
  assert.deepEqual(goals, ['p99 of Chancery to that of bare Fastify, at most 1.5: a page = 1.50 true'])
})

test('the cost of an uncached list is that of the server and of the database', () => {
  const results = resultsOf({ plain: [1000, 1000, 1000], chancery: [1000, 1000, 1000] })
  const [workload] = results.http.workloads
  const [plain, chancery] = workload?.targets ?? []
  assert.ok(workload && plain && chancery)
  workload.id = 'wars'
  Object.assign(plain, { serverUs: [100, 200, 100], databaseUs: [100, 200, 100] })
  Object.assign(chancery, { serverUs: [150, 300, 150], databaseUs: [20, 40, 20] })
  const goals = evaluateGoals(results).map(({ goal, measured, isMet }) => `${goal} = ${measured} ${isMet}`)
  assert.ok(
    goals.includes(
      'Processor time of Chancery to that of Fastify + pg, server and database, at most 1.0: a page = 0.85 true',
    ),
    goals.join('\n'),
  )
})

test('a missed goal is reported as missed, and a goal without measurement not at all', () => {
  const rates = { node: [1000, 1000, 1000], nginx: [500, 500, 500], chancery: [599, 599, 599] }
  const goals = evaluateGoals(resultsOf(rates)).map(({ measured, isMet }) => `${measured} ${isMet}`)
  assert.deepEqual(goals, ['0.60 false', '1.20 true'])
})

test('a new run replaces the figures of the page and keeps its text', () => {
  const marks = ['<!-- measured: written by npm run bench -- http --write -->', '<!-- measured: end -->']
  const page = ['# Performance', ...marks, '## Run it\n'].join('\n\n')
  const before = pageWith(page, resultsOf({ node: [1000, 1000, 1000], chancery: [700, 700, 700] }))
  const after = pageWith(before, resultsOf({ node: [1000, 1000, 1000], chancery: [800, 800, 800] }))
  assert.match(before, /\| 0\.70 \|/)
  assert.doesNotMatch(after, /\| 0\.70 \|/)
  assert.match(after, /\| 0\.80 \|/)
  assert.ok(after.startsWith('# Performance') && after.endsWith('## Run it\n'))
  assert.throws(() => pageWith('# Performance', {}), /the page has no line/)
})

test('the published page is made of bench/results.json', async () => {
  const results = JSON.parse(await readFile(fromRoot('bench/results.json'), 'utf8')) as Results
  const page = await readFile(fromRoot('docs/operations/performance.md'), 'utf8')
  assert.equal(page, pageWith(page, results), 'run npm run bench -- http --write')
})
