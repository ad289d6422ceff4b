import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { createWorld, linesOf } from '@chancery/simulator'
import { checkBackup } from '../../src/backup/read-backup.ts'
import type { RestoreResult } from '../../src/backup/restore-backup.ts'
import { sequenceFloorAt } from '../../src/ingest/continue-numbers.ts'
import { endDay } from '../disclosure/ingested-world.ts'
import { nation } from '../ingest/facts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withConnection } from '../support/database-url.ts'
import type { TestServer } from '../support/test-server.ts'
import { tier } from '../support/tier.ts'
import { until } from '../support/until.ts'
import {
  neverRespond,
  respondStatus,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts'
import { addActiveEndpoint, eventDeliveriesOf } from '../webhooks/owner.ts'
import { backUp, firstValue, inChunks, readTables, restoreTo, startServerOn } from './backups.ts'

/** Requests whose responses are compared: lists in both directions, single items, and the log by every order. */
const paths = [
  '/nations?limit=100',
  '/nations?search=a&limit=50',
  '/alliances?limit=100',
  '/wars?limit=100',
  '/rankings?type=nation_score&limit=100',
  '/global-conflicts',
  '/eras',
  '/market/rankings',
  '/market/price/history?interval=day&limit=400',
  '/nations/n1/history',
  '/alliances/a1/history',
  '/news?limit=100',
  '/game',
  '/events?limit=100',
  '/events?after=0&limit=100&page=2',
  '/events?type=war.*&limit=100',
]
/** The tables that a restore changes. All others have the same rows. */
const changed = new Set([
  'chancery_meta.migration',
  'chancery_secret.nation_ranking_log',
  'chancery_world.pulse',
  'chancery_access.pulse',
  'chancery_world.log_gap',
  'chancery_world.ranking_round',
  'chancery_world.nation_ranking',
  'chancery_world.nation_ranking_dirty',
  'chancery_world.change',
  'chancery_world.change_block',
  'chancery_world.change_day',
  'chancery_world.snapshot',
  'chancery_world.snapshot_chunk',
  'chancery_world.alliance_ranking',
  'chancery_world.nation_attribute_ranking',
  'chancery_world.nation_attribute_ranking_gap',
  'chancery_world.alliance_attribute_ranking',
  'chancery_access.session',
  'chancery_access.handover',
  'chancery_access.verification_code',
  'chancery_outbound.endpoint',
  'chancery_outbound.delivery',
])

/** The rows of the other tables. The operator log of the backup itself may be in the backup, or be written later. */
const unchangedIn = (tables: Map<string, string[]>) =>
  [...tables]
    .filter(([name]) => !changed.has(name))
    .map(([name, rows]) => [name, rows.filter(row => !row.includes('"POST /backup"'))])

let receiver: WebhookReceiver
let source: TestDatabase
let destination: TestDatabase
let backup: Buffer
let restored: RestoreResult
let responses: Map<string, unknown>
let tables: Map<string, string[]>
let key: { id: string; key: string }
let endpointId: string
let lastSeq: number

async function responsesOf(chancery: TestServer): Promise<Map<string, unknown>> {
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
  // Texts that COPY has to escape.
  await chancery.ingest([nation('odd', { motto: 'Tab\tand \\. back\\slash\nline', player: 'p-odd' })])
  key = await chancery.makeKey({ nation_id: 'odd' }, ['nation.read'])
  await chancery.makeCode('odd')
  await addActiveEndpoint(chancery, receiver.url('/good'), { player_id: 'p-odd' })
  const slow = await addActiveEndpoint(chancery, receiver.url('/slow'), { player_id: 'p-odd' })
  receiver.respondWith('/slow', neverRespond)
  endpointId = slow.id
  lastSeq = Number((await chancery.ingest([nation('news-1'), nation('news-2')])).last_seq)
  await until(() => receiver.eventsAt('/good').length === 2, 'both events arrive')
  await until(() => receiver.eventsAt('/slow').length === 2, 'both events are in flight')
  await endDay(source.url, 1)
  await chancery.ingest([], { waits: true, batch: 'last' })
  const untilCount = (count: string, from: string) =>
    until(
      async () => (await firstValue<string>(source.url, `select count(*) from ${from}`)) === count,
      `${from} has ${count} rows`,
    )
  await untilCount('1', "chancery_access.audit_log where subject = 'last'")
  await untilCount('2', "chancery_outbound.delivery where state = 'delivered' and seq is not null")
  // An attempt on the slow receiver may end during the backup: then the backup is repeated.
  do {
    tables = await readTables(source.url)
    backup = await backUp(chancery)
  } while (!isDeepStrictEqual(unchangedIn(tables), unchangedIn(await readTables(source.url))))
  responses = await responsesOf(chancery)
  await chancery.close()
  restored = await restoreTo(destination, backup)
})
after(async () => {
  await receiver.close()
  await source.drop()
  await destination.drop()
})

test('a backup has a summary of its contents, and is complete', async () => {
  const summary = await checkBackup(inChunks(backup, 3))
  assert.deepEqual(summary, restored.backup)
  assert.equal(summary.seq, lastSeq)
  assert.equal(summary.rows['chancery_world.event'], lastSeq)
  assert.equal(summary.rows['chancery_access.api_key'], 1)
})

test('a backup has every logged table except those that are recomputed', () => {
  const left = [...tables.keys()].filter(name => !(name in restored.backup.rows))
  assert.deepEqual(left, [
    'chancery_meta.migration',
    'chancery_secret.nation_ranking_log',
    'chancery_world.alliance_attribute_ranking',
    'chancery_world.alliance_ranking',
    'chancery_world.change',
    'chancery_world.change_block',
    'chancery_world.change_day',
    'chancery_world.event_block',
    'chancery_world.nation_attribute_ranking',
    'chancery_world.nation_attribute_ranking_gap',
    'chancery_world.nation_ranking',
    'chancery_world.nation_ranking_dirty',
    'chancery_world.snapshot',
    'chancery_world.snapshot_chunk',
  ])
})

test('every row is restored', async () => {
  const back = await readTables(destination.url)
  assert.deepEqual([...back.keys()], [...tables.keys()])
  assert.deepEqual(unchangedIn(back), unchangedIn(tables))
  const withoutApplied = (rows: string[] | undefined) => rows?.map(row => row.split(',').slice(0, 3))
  assert.deepEqual(
    withoutApplied(back.get('chancery_meta.migration')),
    withoutApplied(tables.get('chancery_meta.migration')),
  )
})

test('numbers continue above any number that may have been issued', async () => {
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

test('one-time codes and sessions are not restored', async () => {
  for (const table of ['session', 'handover', 'verification_code'])
    assert.equal(
      await firstValue(destination.url, `select count(*) from chancery_access.${table}`),
      '0',
      table,
    )
  assert.equal(await firstValue(source.url, 'select count(*) from chancery_access.verification_code'), '1')
})

test('the restored service responds as before, continues, and misses and repeats no delivery', async t => {
  receiver.respondWith('/slow', respondStatus(204))
  const before = receiver.eventsAt('/good').length
  // The deliveries of the slow receiver are due now, however often they failed before the backup.
  await withConnection(destination.url, client =>
    client.query("update chancery_outbound.delivery set due_at = now() where state = 'pending'"),
  )
  const chancery = await startServerOn(destination.url)
  t.after(() => chancery.close())
  await until(async () => {
    const status = (await (await chancery.operate('GET', '/status')).json()) as Record<string, number>
    return Number(status.ranked_version) >= Number(status.world_version)
  }, 'a ranking round ran')
  const now = await responsesOf(chancery)
  for (const path of [...paths, '/me/nation']) assert.deepEqual(now.get(path), responses.get(path), path)

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

  await until(() => receiver.eventsAt('/good').length === before + 2, 'the new events are delivered')
  const ids = receiver.eventsAt('/good').map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length, 'no event is delivered twice')
  const slowIds = () => new Set(receiver.eventsAt('/slow').map(({ id }) => id))
  await until(() => slowIds().size === 4, 'the events in flight and the new events are delivered')
  await until(
    async () => (await eventDeliveriesOf(chancery, endpointId)).every(({ state }) => state === 'delivered'),
    'every delivery has ended',
  )

  // A replay over the gap counts events, not numbers.
  const span = { since: '2026-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' }
  const replayed = await chancery.operate('POST', `/webhooks/${endpointId}/replay`, span)
  assert.deepEqual(await replayed.json(), { queued: lastSeq + 2 })
})
