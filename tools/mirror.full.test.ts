/**
 * Mirrors of a simulated world that moves, of both clients, killed twice each: in the end every item is byte for byte that of the API.
 * By hand, for a large world: `MIRROR_NATIONS=100000 MIRROR_SECONDS=600 MIRROR_POLL_SECONDS=60 MIRROR_KEY_LIMIT=120 node --test tools/mirror.full.test.ts`
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { itemLists, listedResources } from '@chancery/contract'
import { createWorld, linesOf } from '@chancery/simulator'
import { itemTexts } from '../client/src/mirror-row.ts'
import { startProxy } from '../client/test/support/scripted-server.ts'
import { withPython } from '../examples/python/test/python.ts'
import { createTestDatabase } from '../server/test/support/database.ts'
import {
  makeServeDir,
  removeServeDir,
  type ServeProcess,
  serve,
} from '../server/test/support/serve-process.ts'
import { until } from '../server/test/support/until.ts'

const { env } = process
const nations = Number(env.MIRROR_NATIONS ?? 60)
const seconds = Number(env.MIRROR_SECONDS ?? 12)
const tickSeconds = Number(env.MIRROR_TICK_SECONDS ?? 0.5)
const pollSeconds = Number(env.MIRROR_POLL_SECONDS ?? 1)
const days = Number(env.MIRROR_DAYS ?? 20)
const keyLimit = env.MIRROR_KEY_LIMIT ?? '1000000'
const endsAt = '2026-05-01T00:00:00Z'
const tickMs = 15 * 60_000

const pythonScript = `
import sys
from chancery import Chancery
url, file, seconds, key = sys.argv[1:]
Chancery(url, key).mirror(file, poll_seconds=float(seconds)).run()`
const pythonFolder = fileURLToPath(new URL('../examples/python', import.meta.url))

/** The command that runs a mirror, by client. */
const programs: Record<string, string[]> = {
  'client.mirror': [process.execPath, fileURLToPath(new URL('mirror-process.ts', import.meta.url))],
  ...('skip' in withPython ? {} : { 'chancery.py': [env.PYTHON ?? 'python3', '-B', '-c', pythonScript] }),
}

interface MirrorProcess {
  file: string
  start(): void
  kill(): Promise<void>
  /** Paths of its requests. */
  requests: string[]
  position(): number | undefined
}

function readRows(file: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return db.prepare(sql).all()
  } finally {
    db.close()
  }
}

test(`mirrors of ${nations} nations that change for ${seconds} s, killed twice, are the world of the API in the end`, {
  timeout: (seconds * 10 + 600) * 1000,
}, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-mirror-'))
  const dirs = [makeServeDir(), makeServeDir()]
  const database = await createTestDatabase()
  const services: ServeProcess[] = []
  const mirrors: MirrorProcess[] = []
  t.after(async () => {
    for (const mirror of mirrors) await mirror.kill()
    for (const { child, ended } of services) {
      child.kill('SIGTERM')
      await ended
    }
    await database.drop()
    for (const dir of dirs) await removeServeDir(dir)
    await rm(folder, { recursive: true, force: true })
  })
  const startService = async (dir = '') => {
    const started = await serve(dir, { CHANCERY_DATABASE_URL: database.url, CHANCERY_KEY_LIMIT: keyLimit })
    services.push(started)
    return started
  }
  const service = await startService(dirs[0])

  const send = async (ndjson: string) => {
    const response = await fetch(`${service.operatorUrl}/facts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.operatorToken}`, 'content-type': 'application/x-ndjson' },
      body: ndjson,
    })
    const body = await response.text()
    assert.ok(response.status === 200 && !body.includes('"refused":[{'), body.slice(0, 1_000))
  }
  const world = createWorld({ nations, days, seed: 11, endsAt })
  for (const batch of world.history()) await send(linesOf(batch))
  await database.query("update chancery_secret.batch set applied_at = applied_at - interval '1 hour'")
  // It makes the first snapshot when it starts.
  const other = await startService(dirs[1])
  const hasSnapshot = async () => (await fetch(`${other.url}/downloads/world/latest.json`)).status === 200
  await until(hasSnapshot, 'the first snapshot is made', 600_000)

  for (const [index, [name, [command = '', ...args]]] of Object.entries(programs).entries()) {
    const proxy = await startProxy(t, (services[index] ?? service).url, ({ forward }) => forward())
    const response = await service.operate('POST', '/keys', { player_id: `player${index}`, name })
    const { key } = (await response.json()) as { key: string }
    const file = join(folder, `${name}.db`)
    let child: ChildProcess | undefined
    mirrors.push({
      file,
      requests: proxy.requests,
      start() {
        child = spawn(command, [...args, proxy.url, file, String(pollSeconds), key], {
          stdio: ['ignore', 'ignore', 'inherit'],
          env: { PATH: env.PATH, PYTHONPATH: pythonFolder },
        })
      },
      async kill() {
        if (!child || child.exitCode !== null || child.signalCode !== null) return
        child.kill('SIGKILL')
        await once(child, 'exit')
      },
      position() {
        const isOpen = readTables(file).includes('mirror')
        const [row] = isOpen ? readRows(file, "select value from mirror where name = 'position'") : []
        return row && Number(row.value)
      },
    })
  }

  const startedAt = performance.now()
  const killing = mirrors.map(async mirror => {
    const { requests } = mirror
    mirror.start()
    // While the snapshot is loaded.
    const count = 2 + Math.random() * listedResources.length
    await until(() => requests.length > count, 'the snapshot is requested', 120_000)
    await sleep(Math.random() * 20)
    await mirror.kill()
    mirror.start()
    // While changes are read.
    await sleep(Math.max(0, startedAt + seconds * 600 - performance.now()))
    const reads = () => requests.filter(path => /[?&]ids=/.test(path)).length
    const readBefore = reads()
    await until(() => reads() > readBefore, 'items are requested', (seconds + 120) * 1000)
    await sleep(Math.random() * 20)
    await mirror.kill()
    mirror.start()
  })
  let ticks = 0
  let facts = 0
  let isKilling = true
  const killed = Promise.all(killing).finally(() => {
    isKilling = false
  })
  // Thrown where it is awaited.
  killed.catch(() => {})
  while (isKilling || performance.now() - startedAt < seconds * 1000) {
    ticks += 1
    const batch = world.tick(new Date(Date.parse(endsAt) + ticks * tickMs).toISOString().replace('.000', ''))
    facts += batch.facts.length
    await send(linesOf(batch))
    await sleep(Math.max(0, startedAt + ticks * tickSeconds * 1000 - performance.now()))
  }
  await killed
  const stoppedAt = performance.now()

  const status = async () =>
    (await (await service.operate('GET', '/status')).json()) as { ranking_lag_versions: number }
  await until(async () => (await status()).ranking_lag_versions === 0, 'all nations are ranked', 300_000)
  // Changes are listed about a second after they were made.
  await sleep(3_000)
  const newest = async () => {
    const [row] = await database.query<{ seq: number }>(
      'select max(seq)::float8 as seq from chancery_world.change',
    )
    return row?.seq
  }
  const last = await newest()
  for (const mirror of mirrors) {
    await until(() => mirror.position() === last, `${mirror.file} is at ${last}`, (seconds * 5 + 300) * 1000)
    t.diagnostic(
      `${mirror.file}: current ${((performance.now() - stoppedAt) / 1000).toFixed(1)} s after the last change, ${(await stat(mirror.file)).size} bytes`,
    )
  }

  // With nothing to read, only the changes are requested.
  for (const { requests } of mirrors) {
    const before = requests.length
    await sleep(pollSeconds * 2_500)
    const idle = requests.slice(before)
    assert.ok(idle.length >= 2 && idle.length <= 3, idle.join(' '))
    assert.ok(
      idle.every(path => /^(\/api\/v1)?\/changes\?/.test(path)),
      idle.join(' '),
    )
  }
  t.diagnostic(`${ticks} ticks with ${facts} facts, ${last} changes`)
  for (const { file, requests } of mirrors) {
    const byPath = Map.groupBy(requests, path =>
      path.replace(/^\/api\/v1|\?.*/g, '').replace(/\/world\/[^/]+\//, '/world/{id}/'),
    )
    const counts = [...byPath].map(([path, { length }]) => `${path} ${length}`)
    t.diagnostic(`${file}: ${requests.length} requests: ${counts.join(', ')}`)
  }

  for (const resource of listedResources) {
    const { list, key } = itemLists[resource]
    const expected = new Map<string, string>()
    for (let page = 1; ; page += 1) {
      const response = await fetch(`${service.url}/api/v1${list.path}?limit=100&page=${page}`)
      assert.equal(response.status, 200)
      const texts = itemTexts(await response.text())
      for (const text of texts) expected.set(String(JSON.parse(text)[key]), text)
      if (texts.length < 100) break
    }
    t.diagnostic(`${resource}: ${expected.size} items`)
    for (const { file } of mirrors) {
      const rows = readRows(file, `select id, json from ${resource}`)
      assert.equal(rows.length, expected.size, `${file}: ${resource}`)
      for (const { id, json } of rows)
        assert.equal(json, expected.get(String(id)), `${file}: ${resource} ${id}`)
    }
  }
})

/** Tables of the file; none as long as it does not exist. */
function readTables(file: string): unknown[] {
  try {
    return readRows(file, "select name from sqlite_schema where type = 'table'").map(({ name }) => name)
  } catch {
    return []
  }
}
