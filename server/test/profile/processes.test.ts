import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Profile } from '@chancery/contract'
import { StartupError } from '../../src/index.ts'
import { createPool, type Database, sql } from '../../src/store/database.ts'
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

test('processes that start at once with one profile agree, and the first to come adopts it', async t => {
  const host = await createGameHost()
  t.after(() => host.close())
  await Promise.all([smallGame, smallGame, smallGame].map(profile => host.start(profile)))
  const first = await adopted(host.databaseUrl)
  assert.deepEqual(first?.profile, smallGame)
  await host.start(smallGame)
  assert.deepEqual(await adopted(host.databaseUrl), first, 'the same again is no change')
})

test('of two processes that start together, the one that contradicts stored data is rejected', async t => {
  const host = await createGameHost()
  t.after(() => host.close())
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
  const host = await createGameHost()
  t.after(() => host.close())
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

test('a batch that is under way while a class is tightened leaves no value behind where it was public', async t => {
  const host = await createGameHost()
  t.after(() => host.close())
  const running = await host.start(smallGame)
  await ingest(running, [put('nation', { id: 'n1', nation_name: 'Roma', attributes: { patron: 'Mars' } })])
  const pool = createPool({ target: { connectionString: host.databaseUrl }, connectionsMax: 2 })
  t.after(() => pool.close())
  const closer = changed(profile => {
    for (const entry of profile.attributes.nation) if (entry.key === 'patron') entry.class = 'admin_only'
  })
  // Something holds the row, so that the batch has read it and cannot write it back yet.
  let starting: Promise<unknown> = Promise.resolve()
  let telling: Promise<unknown> = Promise.resolve()
  await pool.transaction(async db => {
    await db.rows(sql`select from chancery_world.nation where id = 'n1' for update`)
    telling = ingest(running, [put('nation', { id: 'n1', motto: 'Ad astra' })])
    await until(() => waits(pool, 'chancery chancery_ingest'), 'the batch waits')
    starting = host.start(closer)
    await until(() => waits(pool, 'chancery migrate'), 'the start waits for the batch')
  })
  await Promise.all([telling, starting])
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
