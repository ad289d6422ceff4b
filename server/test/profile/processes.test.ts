import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Profile } from '@chancery/contract'
import { StartupError } from '../../src/index.ts'
import { createPool, type Database, sql } from '../../src/store/database.ts'
import { closeAfter } from '../support/close-after.ts'
import { until } from '../support/until.ts'
import { attribute, changed, createGameHost, ingest, put, smallGame } from './games.ts'

async function adopted(databaseUrl: string): Promise<{ profile: Profile; adopted_at: string } | undefined> {
  const pool = createPool({ target: { connectionString: databaseUrl }, connectionsMax: 1 })
  try {
    return await pool.first(sql`select profile, adopted_at from chancery_meta.game_profile`)
  } finally {
    await pool.close()
  }
}

test('processes that start concurrently with one profile agree, and the first adopts it', async t => {
  const host = closeAfter(await createGameHost(), t)
  await Promise.all([smallGame, smallGame, smallGame].map(profile => host.start(profile)))
  const first = await adopted(host.databaseUrl)
  assert.deepEqual(first?.profile, smallGame)
  await host.start(smallGame)
  assert.deepEqual(await adopted(host.databaseUrl), first, 'the same profile again changes nothing')
})

test('of two processes that start together, the one that contradicts stored data is rejected', async t => {
  const host = closeAfter(await createGameHost(), t)
  const running = await host.start(smallGame)
  await ingest(running, [put('nation', { id: 'n1', nation_name: 'Roma', attributes: { corruption: 7 } })])
  const wider = changed(profile => profile.attributes.nation.push(attribute('temple')))
  const looser = changed(profile => {
    for (const entry of profile.attributes.nation) if (entry.key === 'corruption') entry.class = 'public'
  })
  const [good, bad] = await Promise.allSettled([host.start(wider), host.start(looser)])
  assert.equal(good.status, 'fulfilled')
  assert.ok(bad.status === 'rejected' && bad.reason instanceof StartupError)
  assert.match(bad.reason.message, /^attributes\.nation\.corruption: 1 nation uses it/m)
  assert.deepEqual((await adopted(host.databaseUrl))?.profile, wider)
})

test('a second process may not remove keys that a running one has stored', async t => {
  const host = closeAfter(await createGameHost(), t)
  const first = await host.start(smallGame)
  const wider = changed(profile => profile.attributes.nation.push(attribute('temple')))
  const second = await host.start(wider)
  await ingest(second, [put('nation', { id: 'n1', nation_name: 'Roma', attributes: { temple: 'Vesta' } })])
  await assert.rejects(
    host.start(smallGame),
    /attributes\.nation\.temple: 1 nation uses it, and it is no longer/,
  )
  await second.close()
  await first.close()
})

test('a batch in progress while a class is tightened leaves no value in the public tables', async t => {
  const host = closeAfter(await createGameHost(), t)
  const running = await host.start(smallGame)
  await ingest(running, [put('nation', { id: 'n1', nation_name: 'Roma', attributes: { patron: 'Mars' } })])
  const pool = closeAfter(
    createPool({ target: { connectionString: host.databaseUrl }, connectionsMax: 2 }),
    t,
  )
  const closer = changed(profile => {
    for (const entry of profile.attributes.nation) if (entry.key === 'patron') entry.class = 'admin_only'
  })
  // The row is locked, so that the batch has read it and cannot write it yet.
  let starting: Promise<unknown> = Promise.resolve()
  let ingesting: Promise<unknown> = Promise.resolve()
  await pool.transaction(async db => {
    await db.rows(sql`select from chancery_world.nation where id = 'n1' for update`)
    ingesting = ingest(running, [put('nation', { id: 'n1', motto: 'Ad astra' })])
    await until(() => waits(pool, 'chancery chancery_ingest'), 'the batch waits')
    starting = host.start(closer)
    await until(() => waits(pool, 'chancery migrate'), 'the start waits for the batch')
  })
  await Promise.all([ingesting, starting])
  const row = await pool.first(sql`select attributes, motto from chancery_world.nation`)
  assert.deepEqual(row, { attributes: {}, motto: 'Ad astra' })
})

/** Whether such a session of this database waits for a lock. A ranking round may, too: behind the batch. */
async function waits(db: Database, name: string): Promise<boolean> {
  const row = await db.first(sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and application_name = ${name}`)
  return row !== undefined
}
