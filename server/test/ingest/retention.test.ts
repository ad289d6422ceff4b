import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@chancery/contract'
import { deleteOldBatchIds, deleteOldDeadLetters } from '../../src/ingest/dead-letters.ts'
import { closeAfter } from '../support/close-after.ts'
import { query } from '../support/database-url.ts'
import { pluck } from '../support/pluck.ts'
import { createTestPools } from '../support/pools.ts'
import { startTestServer } from '../support/test-server.ts'
import { commit, lines, nation } from './facts.ts'

const chancery = closeAfter(await startTestServer())
const pools = closeAfter(createTestPools({ connectionString: chancery.databaseUrl }))

const send = async (batch: string, fact = nation(batch), more = {}) =>
  (await chancery.send(lines(fact, commit(batch, more))))[0]?.status
/** Makes a batch as old as if it had been applied, or rejected, this many days ago. */
const age = (table: string, column: string, id: string, days: number) =>
  query(
    chancery.databaseUrl,
    `update chancery_secret.${table} set ${column} = now() - make_interval(days => ${days}) where id = '${id}'`,
  )

test('the id of a batch is kept for the promised time, and deleted after that', async () => {
  const days = { retained: limits.batchIdDays - 1, expired: limits.batchIdDays + 1 }
  for (const [batch, ago] of Object.entries(days)) {
    await send(batch)
    await age('batch', 'applied_at', batch, ago)
  }
  await send('newest')
  await deleteOldBatchIds(pools.ingest)
  assert.equal(await send('retained'), 'duplicate')
  assert.equal(await send('expired'), 'applied')
})

test('the id of the last batch of a feed never expires, because the next batch names it', async () => {
  const feed = { name: 'quiet', after: null }
  await send('quiet-1', nation('quiet-1'), { feed })
  await age('batch', 'applied_at', 'quiet-1', limits.batchIdDays * 10)
  await send('newer')
  await deleteOldBatchIds(pools.ingest)
  assert.equal(await send('quiet-1', nation('quiet-1'), { feed }), 'duplicate')
  assert.equal(
    await send('quiet-2', nation('quiet-2'), { feed: { name: 'quiet', after: 'quiet-1' } }),
    'applied',
  )
})

test('a dead letter is kept for the promised time', async () => {
  const days = { 'retained-letter': limits.deadLetterDays - 1, 'expired-letter': limits.deadLetterDays + 1 }
  for (const [batch, ago] of Object.entries(days)) {
    assert.equal(await send(batch, nation(batch, { land_area: -1 })), 'refused')
    await age('dead_letter', 'last_rejected_at', batch, ago)
  }
  await deleteOldDeadLetters(pools.ingest)
  const { data } = (await (await chancery.operate('GET', '/refused')).json()) as { data: { id: string }[] }
  assert.deepEqual(pluck(data, 'id'), ['retained-letter'])
})
