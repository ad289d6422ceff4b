/** The mirrors of both clients against a service that the test changes. They have the same file format, so each test looks into the file. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { itemLists, listedResources, rankScores } from '@chancery/contract'
import { type Clock, systemClock } from '../client/src/clock.ts'
import { Chancery, ChanceryError } from '../client/src/index.ts'
import type { MirroredResource } from '../client/src/mirrored.ts'
import { startWorldService, type WorldService } from '../client/test/support/world-service.ts'
import { runPython, withPython } from '../examples/python/test/python.ts'
import { extractBlock, markedBlock, readGuide, run } from './guides/guide.ts'

/** Brings a file up to date. Returns the code of the error that ended it. */
type Update = (url: string, file: string, resources?: MirroredResource[]) => Promise<string | undefined>

/** Follows until it has waited this many times. */
type Follow = (url: string, file: string, pollSeconds: number, waits?: number) => Promise<Followed>
interface Followed {
  changes: object[]
  /** Seconds, rounded down. */
  waits: number[]
  /** The nation n1 and the war w1. */
  items: unknown[]
  /** Of all nations. */
  ids: string[]
  position: number | null
}

const languages: [name: string, options: { skip?: string }, update: Update, follow: Follow][] = [
  [
    'client.mirror',
    {},
    async (url, file, resources) => {
      const mirror = await new Chancery({ baseUrl: url, retries: 0 }).mirror(file, { resources })
      const error = await mirror.update().then(
        () => undefined,
        (caught: unknown) => caught,
      )
      mirror.close()
      if (error === undefined || error instanceof ChanceryError) return error?.code
      throw error
    },
    async (url, file, pollSeconds, count = 2) => {
      const waits: number[] = []
      const changes: object[] = []
      const enough = new AbortController()
      // Timeouts of requests never fire.
      const clock: Clock = {
        ...systemClock,
        after(ms, callback) {
          if (ms === 10_000 || ms === 30_000) return () => {}
          if (waits.push(Math.floor(ms / 1000)) === count) enough.abort()
          const timer = setImmediate(callback)
          return () => clearImmediate(timer)
        },
      }
      const client = new Chancery({ baseUrl: url, retries: 0, clock, random: () => 0 })
      const mirror = await client.mirror(file, { pollSeconds })
      const { signal } = enough
      await assert.rejects(
        async () => {
          for await (const change of mirror.follow({ signal })) changes.push(change)
        },
        error => error === signal.reason,
      )
      const { position = null } = mirror
      const items = [mirror.get('nation', 'n1') ?? null, mirror.get('war', 'w1') ?? null]
      const ids = [...mirror.list('nation')].map(({ id }) => id).sort()
      mirror.close()
      return { changes, waits, items, ids, position }
    },
  ],
  [
    'chancery.py',
    withPython,
    async (url, file, resources) => {
      const script = `
mirror = client(retries=0).mirror(${JSON.stringify(file)}, resources=${resources ? JSON.stringify(resources) : 'None'})
result = fails(mirror.update)
report(result[0] if isinstance(result, list) else None)
mirror.close()`
      const [code] = await runPython(script, { url })
      return code === null ? undefined : String(code)
    },
    async (url, file, pollSeconds, count = 2) => {
      const script = `
class Enough(Exception):
    pass
changes, waits = [], []
def sleep(seconds):
    waits.append(int(seconds))
    if len(waits) == ${count}:
        raise Enough
chancery.time.sleep = sleep
chancery.random.uniform = lambda low, high: low
mirror = client(retries=0).mirror(${JSON.stringify(file)}, poll_seconds=${pollSeconds})
try:
    for change in mirror.follow():
        changes.append(change)
except Enough:
    pass
report({
    "changes": changes,
    "waits": waits,
    "items": [mirror.get("nation", "n1"), mirror.get("war", "w1")],
    "ids": sorted(nation["id"] for nation in mirror.list("nation")),
    "position": mirror.position,
})
mirror.close()`
      return (await runPython(script, { url }))[0] as Followed
    },
  ],
]

const skyward = 'Skyward 🚀 {"rank":7} [x] \\'

/** An item with what could be taken for its rank. */
const nation = (score: number, more: object = {}) => ({
  nation_name: skyward,
  attributes: { rank: 9, list: [{ rank: 8 }] },
  rank: null,
  national_score: score,
  alliance: { rank: 'leader' },
  ...more,
})

async function start(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-mirror-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const service = await startWorldService(t)
  for (const [id, score] of Object.entries({ n1: 10.5, n2: 300, n3: 10.5, n4: 1 }))
    service.put('nation', id, nation(score))
  service.put('war', 'w1', { reason: skyward, losses: { attacker: {} } })
  return { service, file: join(folder, 'world.db') }
}

function readFile(file: string) {
  const db = new DatabaseSync(file)
  const rows = listedResources.flatMap(resource =>
    db
      .prepare(`select id, json from ${resource} order by id`)
      .all()
      .map(({ id, json }) => [`${resource} ${id}`, String(json)] as const),
  )
  const position = db.prepare("select value from mirror where name = 'position'").get()?.value
  db.close()
  return { items: new Map(rows), position: Number(position) }
}

/** The items of the service, with ranks. */
function expected({ items }: WorldService): Map<string, string> {
  const all = [...items].map(([key, json]) => ({ key, json, item: JSON.parse(json) }))
  const ranked = all.map(({ key, json, item }) => {
    const [resource = ''] = key.split(' ')
    const score = (rankScores as Record<string, string>)[resource]
    if (score === undefined) return [key, json] as const
    const higher = all.filter(
      other => other.key.startsWith(`${resource} `) && other.item[score] > item[score],
    )
    return [key, json.replace('"rank":null', `"rank":${higher.length + 1}`)] as const
  })
  const order = (key: string) => listedResources.findIndex(resource => key.startsWith(`${resource} `))
  return new Map(ranked.toSorted(([a], [b]) => order(a) - order(b) || (a < b ? -1 : 1)))
}

function assertSame(file: string, service: WorldService) {
  const { items, position } = readFile(file)
  assert.deepEqual([...items], [...expected(service)])
  assert.equal(position, service.seq)
}

test('chancery.py reads items from the same lists as the contract', withPython, async () => {
  const [mirrored] = await runPython('report(chancery.MIRRORED)')
  const scores: Readonly<Record<string, string>> = rankScores
  assert.deepEqual(
    mirrored,
    Object.fromEntries(
      listedResources.map(resource => {
        const { list, parameter, key } = itemLists[resource]
        return [resource, [list.path, parameter, key, scores[resource] ?? null]]
      }),
    ),
  )
})

for (const [language, options, update, follow] of languages)
  describe(`the mirror of ${language}`, options, () => {
    test('loads a snapshot, then reads the items of changes only', async t => {
      const { service, file } = await start(t)
      service.snapshot()
      service.put('nation', 'n5', nation(20))
      service.put('nation', 'n2', nation(0.125))
      service.put('market_price', 'steel', { price: 3 })
      service.remove('war', 'w1')
      assert.equal(await update(service.url, file), undefined)
      assertSame(file, service)
      assert.equal(new Set(service.requests).size, service.requests.length, 'no request is repeated')
      service.requests.length = 0
      service.put('alliance_member', 'n1', { nation_id: 'n1', alliance_id: 'a1' })
      assert.equal(await update(service.url, file), undefined)
      assertSame(file, service)
      assert.deepEqual(service.requests, [
        `/changes?after=${service.seq - 1}&limit=100`,
        '/members?ids=n1&limit=100',
      ])
    })

    test('costs one request when nothing has changed', async t => {
      const { service, file } = await start(t)
      service.snapshot()
      await update(service.url, file)
      service.requests.length = 0
      await update(service.url, file)
      assert.equal(service.requests.length, 1)
    })

    test('reads many changes in few requests, each item once', async t => {
      const { service, file } = await start(t)
      service.snapshot()
      await update(service.url, file)
      for (let round = 0; round < 2; round += 1)
        for (let id = 0; id < 1_150; id += 1) service.put('nation', `n${id}`, nation(id + round))
      service.requests.length = 0
      assert.equal(await update(service.url, file), undefined)
      assertSame(file, service)
      // 12 pages of changes and 12 of items.
      assert.equal(service.requests.length, 24)
    })

    test('an item that is gone when it is read is deleted', async t => {
      const { service, file } = await start(t)
      service.snapshot()
      await update(service.url, file)
      service.put('nation', 'n1', nation(5))
      service.items.delete('nation n1')
      await update(service.url, file)
      assertSame(file, service)
    })

    test('waits for the first snapshot, and for one that is not older than the stored changes', async t => {
      const { service, file } = await start(t)
      assert.equal(await update(service.url, file), 'not_found')
      service.snapshot()
      assert.equal(await update(service.url, file), undefined)
      const { items } = readFile(file)
      service.put('war', 'w2')
      service.floor = service.seq
      service.requests.length = 0
      assert.equal(await update(service.url, file), 'not_found')
      assert.ok(!service.requests.some(path => path.endsWith('.gz')), 'no file is loaded for nothing')
      assert.deepEqual(readFile(file).items, items)
      service.snapshot()
      assert.equal(await update(service.url, file), undefined)
      assertSame(file, service)
    })

    test('a damaged file is not used, and files before it are not loaded again', async t => {
      const { service, file } = await start(t)
      service.snapshot()
      await update(service.url, file)
      const before = readFile(file)
      service.put('war', 'w2')
      service.put('nation', 'n1', nation(77))
      service.floor = service.seq
      const damages: ((content: Buffer) => Buffer)[] = [
        content => content.subarray(0, 20),
        content => Buffer.concat([content, content]),
        content => Buffer.from(content.map((byte, index) => (index === 30 ? byte ^ 1 : byte))),
        () => Buffer.from('<h1>Sorry</h1>'),
      ]
      for (const damage of damages) {
        service.snapshot()
        service.damage('war', damage)
        assert.equal(await update(service.url, file), 'network_error')
        assert.deepEqual(readFile(file), before)
      }
      service.intercept = (path, res) => path.includes('/war.') && Boolean(res.destroy())
      service.snapshot()
      assert.equal(await update(service.url, file), 'network_error')
      service.intercept = () => false
      service.requests.length = 0
      assert.equal(await update(service.url, file), undefined)
      assertSame(file, service)
      assert.deepEqual(
        service.requests.filter(path => path.endsWith('.gz')).map(path => /\/(\w+)\.nd/.exec(path)?.[1]),
        listedResources.slice(listedResources.indexOf('war')),
      )
    })

    test('a snapshot that is withdrawn meanwhile is replaced by the newest one', async t => {
      const { service, file } = await start(t)
      service.snapshot()
      service.intercept = path => {
        if (!path.includes('/war.')) return false
        service.intercept = () => false
        service.remove('nation', 'n2')
        service.snapshot()
        return false
      }
      assert.equal(await update(service.url, file), 'not_found')
      assert.equal(await update(service.url, file), undefined)
      assertSame(file, service)
    })

    test('a failed request leaves position and items as they were', async t => {
      const { service, file } = await start(t)
      service.snapshot()
      await update(service.url, file)
      const before = readFile(file)
      service.put('nation', 'n1', nation(7))
      service.put('war', 'w1')
      service.intercept = (path, res) => path === '/wars' && Boolean(res.writeHead(500).end())
      assert.equal(await update(service.url, file), 'unexpected_response')
      assert.deepEqual(readFile(file), before)
      service.intercept = () => false
      await update(service.url, file)
      assertSame(file, service)
    })

    test('chosen resources cost no requests for others; another choice starts from a snapshot', async t => {
      const { service, file } = await start(t)
      service.snapshot()
      assert.equal(await update(service.url, file, ['nation']), undefined)
      assert.equal(service.requests.filter(path => path.endsWith('.gz')).length, 1)
      service.put('war', 'w1')
      service.put('nation', 'n9', nation(3))
      service.requests.length = 0
      await update(service.url, file, ['nation'])
      assert.equal(service.requests.length, 2)
      assert.match(String(service.requests[0]), /resource=nation\b/)
      const nations = [...expected(service)].filter(([key]) => key.startsWith('nation '))
      assert.deepEqual([...readFile(file).items], nations)
      await update(service.url, file)
      assertSame(file, service)
    })

    test('a copy that is far behind starts from a newer snapshot', async t => {
      const { service, file } = await start(t)
      service.snapshot()
      await update(service.url, file)
      for (let id = 0; id < 1_100; id += 1) service.put('war', `w${id}`)
      service.snapshot()
      service.put('nation', 'n4', nation(9))
      service.extraTotal = 20_000
      service.requests.length = 0
      await update(service.url, file)
      assertSame(file, service)
      assert.equal(service.requests.filter(path => path.endsWith('.gz')).length, listedResources.length)
    })

    test('follows: yields changes when they are applied, waits when there are none, and reads items', async t => {
      const { service, file } = await start(t)
      service.snapshot()
      const loadedAt = service.seq
      service.put('nation', 'n1', nation(7))
      service.remove('war', 'w1')
      const followed = await follow(service.url, file, 45)
      const n1 = JSON.parse(expected(service).get('nation n1') ?? '')
      assert.deepEqual(followed, {
        changes: [
          { seq: loadedAt, change: 'loaded' },
          { seq: loadedAt + 1, resource: 'nation', id: 'n1', change: 'put' },
          { seq: loadedAt + 2, resource: 'war', id: 'w1', change: 'deleted' },
        ],
        waits: [45, 45],
        items: [n1, null],
        ids: ['n1', 'n2', 'n3', 'n4'],
        position: service.seq,
      })
      assert.equal(n1.rank, 3)
      // Two for the snapshot besides its files, three for the changes, one after the first wait.
      assert.equal(service.requests.length, 2 + listedResources.length + 2 + 1)
    })

    test('follows: waits longer after each error, and no longer than between two polls', async t => {
      const { service, file } = await start(t)
      service.intercept = (path, res) => path.endsWith('/latest.json') && Boolean(res.writeHead(503).end())
      assert.deepEqual((await follow(service.url, file, 45, 6)).waits, [2, 4, 8, 16, 32, 45])
      service.intercept = () => false
      assert.deepEqual((await follow(service.url, file, 45, 2)).waits, [45, 45])
    })

    test('indexes and views that others made in the file stay', async t => {
      const { service, file } = await start(t)
      service.snapshot()
      await update(service.url, file)
      const db = new DatabaseSync(file)
      db.exec("create index war_reason on war (json_extract(json, '$.reason'))")
      db.exec('create view first_nation as select * from nation order by id limit 1')
      service.floor = service.seq + 1
      service.put('war', 'w7', { reason: 'other' })
      service.snapshot()
      assert.equal(await update(service.url, file), undefined)
      assertSame(file, service)
      const plan = db
        .prepare("explain query plan select * from war where json_extract(json, '$.reason') = 'other'")
        .all()
      assert.match(JSON.stringify(plan), /war_reason/)
      assert.equal(db.prepare('select id from first_nation').get()?.id, 'n1')
      db.close()
    })

    test('a file that another mirror has written meanwhile is not overwritten', async t => {
      const { service, file } = await start(t)
      service.snapshot()
      await update(service.url, file)
      service.put('nation', 'n1', nation(7))
      service.intercept = path => {
        if (path !== '/nations') return false
        const db = new DatabaseSync(file)
        db.exec("update mirror set value = value + 1 where name = 'position'")
        db.close()
        return false
      }
      await assert.rejects(update(service.url, file), /written by another mirror/)
    })
  })

test('each client continues a file of the other', withPython, async t => {
  const { service, file } = await start(t)
  service.snapshot()
  for (const [, , update] of [...languages, ...languages]) {
    service.put('nation', `n${service.seq}`, nation(service.seq))
    await update(service.url, file)
    assertSame(file, service)
  }
  assert.equal(service.requests.filter(path => path === '/downloads/world/latest.json').length, 1)
})

test('the programs of the guide print what they read', withPython, async t => {
  const { service } = await start(t)
  service.snapshot()
  const guide = await readGuide('mirror-the-world')
  for (const [name, command] of [
    ['mirror.mjs', process.execPath],
    ['mirror.py', 'python3'],
  ] as const) {
    const { cwd, file, remove } = await extractBlock(guide, name)
    t.after(remove)
    const child = spawn(command, [file], {
      cwd,
      env: { ...process.env, CHANCERY_URL: service.url, PYTHONUNBUFFERED: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    const [printed] = await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await exited
    assert.equal(String(printed).trim(), `4 nations, complete up to change ${service.seq}`)
    await writeFile(join(cwd, 'top.py'), markedBlock(guide, 'top.py'))
    const { stdout } = await run('python3', ['top.py'], { cwd })
    assert.match(stdout, /^1 Skyward.*\n2 Skyward.*\n2 Skyward.*\n$/)
  }
  const { cwd, file, remove } = await extractBlock(guide, 'nations.py')
  t.after(remove)
  const env = { ...process.env, CHANCERY_URL: service.url }
  const { stdout } = await run('python3', [file], { cwd, env })
  assert.equal(stdout, `4 nations; continue with /changes?after=${service.seq}\n`)
})
