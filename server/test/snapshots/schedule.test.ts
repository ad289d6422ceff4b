import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile } from '@chancery/contract'
import { dueReason } from '../../src/snapshots/schedule.ts'
import { smallWorld } from '../http/world.ts'
import { useIngestPool, useTestServer } from '../support/fixture.ts'
import { downloadSnapshot, takeSnapshot } from './take-snapshot.ts'

const chancery = useTestServer()
const pool = useIngestPool(chancery)
const contract = contractFor(demoProfile)
const take = () => takeSnapshot(chancery.databaseUrl, contract)
const endPause = () => chancery.query('update chancery_world.pulse set snapshots_paused_until = null')

test('the first snapshot is due some time after the first facts', async () => {
  assert.equal(await dueReason(pool, 0), undefined)
  await chancery.ingest(smallWorld())
  assert.equal(await dueReason(pool, 3_600_000), undefined)
  assert.equal(await dueReason(pool, 0), 'daily')
})

test('another one is due on the next day, after the pause', async () => {
  await take()
  await endPause()
  assert.equal(await dueReason(pool, 0), undefined)
  await chancery.query(`update chancery_world.snapshot set created_at = created_at - interval '1 day'`)
  assert.equal(await dueReason(pool, 0), 'daily')
  await chancery.query(`update chancery_world.pulse set snapshots_paused_until = now() + interval '1 hour'`)
  assert.equal(await dueReason(pool, 0), undefined)
  await endPause()
})

test('after an erasure one is due at once, but for the pause', async () => {
  await take()
  await endPause()
  await chancery.ingest([{ op: 'erase', player: 'player-of-n2' }])
  assert.equal(await dueReason(pool, 0), 'renewed')
  await take()
  assert.equal(await dueReason(pool, 0), undefined)
  const { manifest } = await downloadSnapshot(chancery.url)
  assert.ok(manifest.files.length > 5)
})

test('a snapshot from before the oldest stored change is replaced', async () => {
  await endPause()
  await chancery.query(
    'update chancery_world.pulse set change_seq = change_seq + 1, change_floor = change_seq + 1',
  )
  assert.equal(await dueReason(pool, 0), 'renewed')
})
