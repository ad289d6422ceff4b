import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import {
  contractFor,
  demoProfile,
  itemLists,
  listedResources,
  type SnapshotManifest,
  snapshotManifest,
} from '@chancery/contract'
import { createWorld } from '@chancery/simulator'
import { Compile } from 'typebox/compile'
import { deleteOldSnapshots } from '../../src/snapshots/files.ts'
import { makeSnapshot } from '../../src/snapshots/make-snapshot.ts'
import { rangeOf } from '../../src/snapshots/routes.ts'
import { createPool, type Transaction } from '../../src/store/database.ts'
import { assertError, readResponse } from '../http/responses.ts'
import { smallWorld } from '../http/world.ts'
import { put } from '../ingest/facts.ts'
import { prepare, useFixture, useIngestPool, useTestServer } from '../support/fixture.ts'
import type { Fact } from '../support/test-server.ts'

const chancery = useTestServer()
const writes = useFixture(async () =>
  createPool({
    target: { connectionString: chancery.databaseUrl },
    role: 'chancery_ingest',
    connectionsMax: 2,
  }),
)
const reads = useFixture(async () =>
  createPool({
    target: { connectionString: chancery.databaseUrl },
    role: 'chancery_public',
    connectionsMax: 2,
  }),
)
const ingest = useIngestPool(chancery)
const contract = contractFor(demoProfile)
const make = (isDue = async () => 'daily' as const) => makeSnapshot({ contract, reads, writes }, isDue)
const isManifest = Compile(snapshotManifest)

const download = (path: string, headers: Record<string, string> = {}) =>
  fetch(chancery.url + path, { headers })
const latest = async (): Promise<SnapshotManifest> =>
  (await (await download('/downloads/world/latest.json')).json()) as SnapshotManifest
const fileOf = ({ files }: SnapshotManifest, resource: string) => {
  const file = files.find(found => found.resource === resource)
  assert.ok(file, resource)
  return file
}

prepare(async () => {
  await chancery.ingest(smallWorld())
  const world = createWorld({ nations: 20, days: 6, seed: 3, endsAt: '2026-05-01T00:00:00Z' })
  for (const batch of world.history())
    await chancery.ingest(batch.facts as unknown as Fact[], { waits: false })
  await chancery.ingest([put('nation', { id: 'n1', motto: 'Onwards' })])
})

test('before the first snapshot the manifest is not found', async () => {
  assert.equal((await download('/downloads/world/latest.json')).status, 404)
})

describe('a snapshot', () => {
  test('has every item of every list, byte for byte, and the events', async () => {
    assert.ok(await make())
    const manifest = await latest()
    assert.ok(isManifest.Check(manifest), JSON.stringify(isManifest.Errors(manifest)))
    assert.deepEqual(
      manifest.files.map(({ resource }) => resource).toSorted(),
      [...listedResources, 'event'].toSorted(),
    )
    for (const { resource, path, bytes, sha256, rows } of manifest.files) {
      const file = Buffer.from(await (await download(path)).arrayBuffer())
      assert.equal(file.length, bytes)
      assert.equal(createHash('sha256').update(file).digest('hex'), sha256)
      const lines = gunzipSync(file).toString().split('\n').slice(0, -1)
      assert.equal(lines.length, rows)
      const items = new Set<string>()
      for (let page = 1, last = 1; page <= last; page += 1) {
        const list =
          resource === 'event' ? '/events' : itemLists[resource as keyof typeof itemLists].list.path
        const body = await (await chancery.get(`${list}?limit=100&page=${page}`)).text()
        const { data, pagination } = JSON.parse(body)
        last = pagination.pages
        for (const item of data) {
          const text = JSON.stringify(item)
          assert.ok(body.includes(text))
          items.add(text)
        }
      }
      assert.ok(items.size > 0, resource)
      assert.deepEqual(lines.toSorted(), [...items].toSorted(), resource)
    }
  })

  test('continues with the changes after it', async () => {
    const { change_seq } = await latest()
    await chancery.ingest([put('nation', { id: 'n2', motto: 'Later' })])
    const { data } = await chancery.read<{ data: object[] }>(`/changes?after=${change_seq}`)
    assert.deepEqual(
      data.map(change => ({ ...change, seq: 0 })),
      [{ seq: 0, resource: 'nation', id: 'n2', change: 'put' }],
    )
  })

  test('has the events since the one before it', async () => {
    const before = await latest()
    await chancery.ingest([put('nation', { id: 'n2', nation_name: 'Renamed once more' })])
    await make()
    const after = await latest()
    assert.equal(fileOf(after, 'event').rows, after.event_seq - before.event_seq)
    const { data } = (await (await download('/downloads/world/index.json')).json()) as {
      data: SnapshotManifest[]
    }
    assert.deepEqual(data, [after, before])
  })

  test('has its age as a metric', async () => {
    const metrics = await (await chancery.operate('GET', '/metrics')).text()
    const age = Number(/^chancery_snapshot_age_seconds (\S+)$/m.exec(metrics)?.[1])
    assert.ok(age < 600, `${age}`)
  })

  test('is made by one of several processes at a time', async () => {
    const results = await Promise.all([make(), make(), make()])
    assert.equal(results.filter(result => result !== undefined).length, 1)
  })
})

describe('a file', () => {
  test('is sent in parts', async () => {
    const { path, bytes, sha256 } = fileOf(await latest(), 'nation')
    const whole = Buffer.from(await (await download(path)).arrayBuffer())
    for (const [range, first, last] of [
      ['bytes=0-9', 0, 9],
      ['bytes=10-', 10, bytes - 1],
      ['bytes=-7', bytes - 7, bytes - 1],
      [`bytes=5-${bytes + 100}`, 5, bytes - 1],
    ] as const) {
      for (const condition of [undefined, `"${sha256}"`]) {
        const response = await download(path, { range, ...(condition && { 'if-range': condition }) })
        assert.equal(response.status, 206)
        assert.equal(response.headers.get('content-range'), `bytes ${first}-${last}/${bytes}`)
        assert.deepEqual(Buffer.from(await response.arrayBuffer()), whole.subarray(first, last + 1))
      }
    }
    for (const headers of [
      { range: 'bytes=0-9', 'if-range': '"other"' },
      { range: 'bytes=0-1,4-5' },
      { range: 'lines=1' },
    ]) {
      const response = await download(path, headers as never)
      assert.equal(response.status, 200)
      assert.equal((await response.arrayBuffer()).byteLength, bytes)
    }
    const beyond = await download(path, { range: `bytes=${bytes}-` })
    assert.equal(beyond.headers.get('content-range'), `bytes */${bytes}`)
    assert.equal(beyond.headers.get('etag'), null)
    assertError(await readResponse(beyond), 'range_not_satisfiable', 'beyond the end')
  })

  test('has a tag, and HEAD has its size', async () => {
    const { path, bytes, sha256 } = fileOf(await latest(), 'war')
    assert.equal((await download(path, { 'if-none-match': `"${sha256}"` })).status, 304)
    const head = await fetch(chancery.url + path, { method: 'HEAD' })
    assert.equal(head.headers.get('content-length'), String(bytes))
  })

  test('counts as a call, and other methods are rejected', async () => {
    const { path } = fileOf(await latest(), 'war')
    const remaining = async () => {
      const response = await download(path)
      await response.arrayBuffer()
      return Number(response.headers.get('x-ratelimit-remaining'))
    }
    assert.equal(await remaining(), (await remaining()) + 1)
    assert.equal((await fetch(chancery.url + path, { method: 'POST' })).status, 405)
    assert.equal((await download(path, { authorization: 'Bearer chk_wrong' })).status, 401)
    assert.equal((await download(`${path}x`)).status, 404)
    assert.equal((await download('/downloads/world/other/nation.ndjson.gz')).status, 404)
  })
})

test('a range from behind its end is no range', () => {
  assert.equal(rangeOf('bytes=9-3', { bytes: 100 }), undefined)
  assert.deepEqual(rangeOf('bytes=99-', { bytes: 100 }), { first: 99, last: 99 })
})

describe('removed texts', () => {
  test('withdraw all snapshots at once, also one that is being made', async () => {
    const { path } = fileOf(await latest(), 'nation')
    const redacted: Fact = { op: 'redact', resource: 'nation', id: 'n1', data: { motto: null } }
    await chancery.ingest([redacted])
    assert.equal((await download(path)).status, 404)
    assert.equal((await download('/downloads/world/latest.json')).status, 404)

    await chancery.ingest([put('nation', { id: 'n1', motto: 'To be removed' })])
    // Applied after the snapshot has been read, and before it is stored.
    const late = {
      ...reads,
      transaction: <T>(work: (db: Transaction) => Promise<T>) =>
        reads.transaction(db =>
          work({
            ...db,
            async rows(statement) {
              if (statement.text.includes('chancery_world.event'))
                await chancery.ingest([redacted], { waits: false })
              return db.rows(statement)
            },
          }),
        ),
    }
    assert.equal(await makeSnapshot({ contract, reads: late, writes }, async () => 'daily'), undefined)
    assert.equal((await download('/downloads/world/latest.json')).status, 404)
    await deleteOldSnapshots(ingest, 30)
    assert.deepEqual(await chancery.query('select * from chancery_world.snapshot_chunk'), [])
  })

  test('of an erased player withdraw them too', async () => {
    await chancery.ingest([
      put('nation', { id: 'n-erased', player: 'p-erased', nation_name: 'Erased Realm' }),
    ])
    await make()
    await latest()
    await chancery.ingest([{ op: 'erase', player: 'p-erased' }])
    assert.equal((await download('/downloads/world/latest.json')).status, 404)
  })

  test('a new snapshot has none of them', async () => {
    await make()
    const { path } = fileOf(await latest(), 'nation')
    const text = gunzipSync(Buffer.from(await (await download(path)).arrayBuffer())).toString()
    assert.ok(!text.includes('To be removed') && !text.includes('Onwards') && !text.includes('Erased Realm'))
  })
})

test('old snapshots are deleted, but not the newest', async () => {
  await make()
  await chancery.query(`update chancery_world.snapshot set created_at = created_at - interval '40 days'`)
  await deleteOldSnapshots(ingest, 30)
  assert.equal((await chancery.query('select from chancery_world.snapshot')).length, 1)
})

test('the last state of an era is in a snapshot', async () => {
  const { data } = await chancery.read<{ data: { id: string; status: string }[] }>('/eras?limit=100')
  const era = data.find(({ status }) => status === 'active')
  await chancery.ingest([{ op: 'reset', ended: { id: era?.id }, next: { id: 'e-next', name: 'Next era' } }])
  const manifest = await latest()
  assert.equal(manifest.reason, 'era_end')
  assert.ok(fileOf(manifest, 'nation').rows > 0)
  const { pagination } = await chancery.read<{ pagination: { total: number } }>('/nations')
  assert.equal(pagination.total, 0)
})
