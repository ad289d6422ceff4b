import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { createWorld, linesOf } from '@chancery/simulator'
import { sequenceFloorAt } from '../../src/backup/previous-database.ts'
import { checkBackup } from '../../src/backup/read-backup.ts'
import type { RestoreResult } from '../../src/backup/restore-backup.ts'
import { nation } from '../ingest/facts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withConnection } from '../support/database-url.ts'
import type { TestServer } from '../support/test-server.ts'
import { tier } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { never, startWebhookReceiver, type WebhookReceiver, withStatus } from '../support/webhook-receiver.ts'
import { addHearing, newsOf } from '../webhooks/owner.ts'
import { backUp, firstValue, inPieces, readTables, restoreTo, startServerOn } from './backups.ts'

/** Where answers are compared: lists in both directions, single things, the log in all its ways. */
const paths = [
  '/nations?limit=100',
  '/nations?search=a&limit=50',
  '/alliances?limit=100',
  '/wars?limit=100',
  '/rankings?type=nation_score&limit=100',
  '/global-conflicts',
  '/eras',
  '/market/rankings',
  '/news?limit=100',
  '/game',
  '/events?limit=100',
  '/events?after=0&limit=100&page=2',
  '/events?type=war.*&limit=100',
]
/** What a restore changes, as it says: the rest is row for row what it was. */
const changed = new Set([
  'chancery_meta.migration',
  'chancery_secret.nation_changed',
  'chancery_world.pulse',
  'chancery_access.pulse',
  'chancery_world.log_gap',
  'chancery_world.ranking_round',
  'chancery_world.nation_place',
  'chancery_world.nation_moved',
  'chancery_world.alliance_place',
  'chancery_access.session',
  'chancery_access.handover',
  'chancery_access.verification_code',
  'chancery_outbound.endpoint',
  'chancery_outbound.delivery',
])

/** The rows of the other tables. The line of a backup in the log of operators may be in the backup itself, or come a moment later. */
const unchangedIn = (tables: Map<string, string[]>) =>
  [...tables]
    .filter(([name]) => !changed.has(name))
    .map(([name, rows]) => [name, rows.filter(row => !row.includes('"POST /backup"'))])

let receiver: WebhookReceiver
let source: TestDatabase
let destination: TestDatabase
let backup: Buffer
let restored: RestoreResult
let answers: Map<string, unknown>
let tables: Map<string, string[]>
let key: { id: string; key: string }
let endpointId: string
let lastSeq: number

async function answersOf(chancery: TestServer): Promise<Map<string, unknown>> {
  const all = new Map<string, unknown>()
  for (const path of paths) {
    const response = await chancery.get(path)
    assert.equal(response.status, 200, path)
    all.set(path, await response.json())
  }
  for (const path of ['/me/nation', '/me/key']) all.set(path, await chancery.read(path, key))
  return all
}

before(async () => {
  receiver = await startWebhookReceiver()
  source = await createTestDatabase()
  destination = await createTestDatabase()
  const chancery = await startServerOn(source.url)
  const world = createWorld({
    nations: 60,
    days: tier === 'quick' ? 5 : 20,
    seed: 5,
    endsAt: '2026-05-27T18:00:00Z',
  })
  await chancery.send([...world.history()].map(linesOf).join(''))
  // Texts that COPY has to write with care.
  await chancery.ingest([nation('odd', { motto: 'Tab\tand \\. back\\slash\nline', player: 'p-odd' })])
  key = await chancery.makeKey({ nation_id: 'odd' }, ['nation.read'])
  await chancery.makeCode('odd')
  await addHearing(chancery, receiver.url('/good'), { player_id: 'p-odd' })
  const slow = await addHearing(chancery, receiver.url('/slow'), { player_id: 'p-odd' })
  receiver.answer('/slow', never)
  endpointId = slow.id
  lastSeq = Number((await chancery.ingest([nation('news-1'), nation('news-2')])).last_seq)
  await until(() => receiver.newsAt('/good').length === 2, 'the news came')
  await until(() => receiver.newsAt('/slow').length === 2, 'the news is under way')
  await chancery.ingest([], { waits: true, batch: 'last' })
  await until(
    async () =>
      (await firstValue<string>(
        source.url,
        "select count(*) from chancery_access.operator_log where subject = 'last'",
      )) === '1',
    'the log of operators is written down',
  )
  await until(
    async () =>
      (await firstValue<string>(
        source.url,
        "select count(*) from chancery_outbound.delivery where state = 'delivered' and seq is not null",
      )) === '2',
    'it is written down',
  )
  // An attempt on the slow receiver may end meanwhile: what is compared was the same before and after the backup.
  do {
    tables = await readTables(source.url)
    backup = await backUp(chancery)
  } while (!isDeepStrictEqual(unchangedIn(tables), unchangedIn(await readTables(source.url))))
  answers = await answersOf(chancery)
  await chancery.close()
  restored = await restoreTo(destination, backup)
})
after(async () => {
  await receiver.close()
  await source.drop()
  await destination.drop()
})

test('a backup says what it holds, and is whole', async () => {
  const summary = await checkBackup(inPieces(backup, 3))
  assert.deepEqual(summary, restored.backup)
  assert.equal(summary.seq, lastSeq)
  assert.equal(summary.rows['chancery_world.event'], lastSeq)
  assert.equal(summary.rows['chancery_access.api_key'], 1)
})

test('a backup holds every table that a crash does not empty, but what is made anew', () => {
  const left = [...tables.keys()].filter(name => !(name in restored.backup.rows))
  assert.deepEqual(left, [
    'chancery_meta.migration',
    'chancery_secret.nation_changed',
    'chancery_world.alliance_place',
    'chancery_world.nation_moved',
    'chancery_world.nation_place',
  ])
})

test('every row comes back', async () => {
  const back = await readTables(destination.url)
  assert.deepEqual([...back.keys()], [...tables.keys()])
  assert.deepEqual(unchangedIn(back), unchangedIn(tables))
  const withoutApplied = (rows: string[] | undefined) => rows?.map(row => row.split(',').slice(0, 3))
  assert.deepEqual(
    withoutApplied(back.get('chancery_meta.migration')),
    withoutApplied(tables.get('chancery_meta.migration')),
  )
})

test('numbers go on above anything that may have been given out', async () => {
  const { next_seq: next } = restored
  assert.ok(
    next > sequenceFloorAt(Date.now() - 600_000) && next <= sequenceFloorAt(Date.now()) + 1,
    `${next}`,
  )
  assert.equal(
    await firstValue(destination.url, "select last_before || ' ' || first_after from chancery_world.log_gap"),
    `${lastSeq} ${next}`,
  )
  for (const version of [
    'select world_version from chancery_world.pulse',
    'select version from chancery_access.pulse',
  ]) {
    assert.ok(Number(await firstValue(destination.url, version)) >= next - 1)
    assert.ok(Number(await firstValue(source.url, version)) < 1_000)
  }
})

test('what works once, or until it is ended, does not come back', async () => {
  for (const table of ['session', 'handover', 'verification_code'])
    assert.equal(
      await firstValue(destination.url, `select count(*) from chancery_access.${table}`),
      '0',
      table,
    )
  assert.equal(await firstValue(source.url, 'select count(*) from chancery_access.verification_code'), '1')
})

test('the restored service answers as before, goes on, and misses and repeats no delivery', async t => {
  receiver.answer('/slow', withStatus(204))
  const before = receiver.newsAt('/good').length
  // However often the slow receiver failed before the backup, its deliveries are due now.
  await withConnection(destination.url, client =>
    client.query("update chancery_outbound.delivery set due_at = now() where state = 'pending'"),
  )
  const chancery = await startServerOn(destination.url)
  t.after(() => chancery.close())
  await until(async () => {
    const status = (await (await chancery.operate('GET', '/status')).json()) as Record<string, number>
    return Number(status.ranked_version) >= Number(status.world_version)
  }, 'a ranking round ran')
  const now = await answersOf(chancery)
  for (const path of [...paths, '/me/nation']) assert.deepEqual(now.get(path), answers.get(path), path)

  const { last_seq } = await chancery.ingest([nation('news-3')])
  assert.equal(last_seq, restored.next_seq)
  await chancery.ingest([{ op: 'delete', resource: 'nation', id: 'news-3' }])
  const log = await chancery.read<{ data: { seq: number }[]; pagination: { total: number } }>(
    `/events?after=${lastSeq}`,
  )
  assert.deepEqual(
    log.data.map(({ seq }) => seq),
    [restored.next_seq, restored.next_seq + 1],
  )
  assert.equal((await chancery.get(`/events?after=${lastSeq + 1}`)).status, 410)
  const all = await chancery.read<{ pagination: { total: number } }>('/events?after=0')
  assert.equal(all.pagination.total, lastSeq + 2)

  await until(() => receiver.newsAt('/good').length === before + 2, 'what is new was delivered')
  const ids = receiver.newsAt('/good').map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length, 'nothing was delivered twice')
  const slowIds = () => new Set(receiver.newsAt('/slow').map(({ id }) => id))
  await until(() => slowIds().size === 4, 'what was under way and what is new was delivered')
  await until(
    async () => (await newsOf(chancery, endpointId)).every(({ state }) => state === 'delivered'),
    'all is settled',
  )

  // A span over the gap holds as many events as it holds, not as many as it has numbers.
  const span = { since: '2026-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' }
  const replayed = await chancery.operate('POST', `/webhooks/${endpointId}/replay`, span)
  assert.deepEqual(await replayed.json(), { queued: lastSeq + 2 })
})
